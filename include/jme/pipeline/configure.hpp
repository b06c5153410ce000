#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <jme/base/horizon.hpp>
#include <jme/pipeline/run_config.hpp>
#include <jme/pipeline/run_settings.hpp>
#include <jme/rows/source_traits.hpp>

namespace jme {

/// Reads the matrix of a workload or a shape that is written "@name"; `field` is for messages.
using MatrixReader = std::function<Eigen::MatrixXd(const std::string& name, std::string_view field)>;

/// Reads a text that a setting names with "@name"; `field` is for messages.
using TextReader = std::function<std::string(const std::string& name, std::string_view field)>;

/// The configuration that settings describe, after check() of them for the source. PreparedRun checks what
/// only numbers can tell.
/// Settings that only say how a file is read (format, compression, records, delimiter, no_header, width) are
/// left to the code that reads it. Without a `read_matrix`, matrices are refused, without a `read_text`,
/// files of bounds. Throws InvalidParameter.
[[nodiscard]] RunConfig run_config(const RunSettings& settings, const MatrixReader& read_matrix = {},
                                   const TextReader& read_text = {}, const SourceTraits& source = {});

/// What the columns and their bounds say about a stream, as far as they do. A dimension of 0 means that the
/// input will tell it.
struct KnownColumns {
  std::optional<std::size_t> dimension{};
  bool unit_box = false;  ///< they have bounds, so that rows lie in the unit box
};
/// The part of the configuration that makes the stream; plans use it as well.
[[nodiscard]] StreamConfig stream_config(const RunSettings& settings, const KnownColumns& columns,
                                         const MatrixReader& read_matrix = {});

/// The horizon from the texts of rows or steps, and of every. Throws with an explanation of what a horizon is
/// where neither length is given.
[[nodiscard]] Horizon horizon_of(const std::optional<std::string>& rows,
                                 const std::optional<std::string>& steps,
                                 const std::optional<std::string>& every);
/// As Workload::parse and Shape::parse, and "@name".
[[nodiscard]] Workload parse_workload(const std::string& text, std::string_view field,
                                      const MatrixReader& read_matrix);
[[nodiscard]] Shape parse_shape(const std::string& text, std::string_view field,
                                const MatrixReader& read_matrix);
/// Where a stream is kept; none where there is no state.
[[nodiscard]] std::optional<DurableOptions> durable_options(const RunSettings& settings);
[[nodiscard]] OnBadRow parse_on_bad_row(std::string_view text);
/// How many cells a record has, where the settings say it (InputOptions::width).
[[nodiscard]] std::optional<std::size_t> record_width(const RunSettings& settings);
/// How many threads are asked for. Throws InvalidParameter.
[[nodiscard]] std::optional<unsigned> thread_count(const RunSettings& settings);
/// What becomes of bad rows: what on_bad_row says. By default `zero` where a bad row then counts nowhere,
/// which is where counts of rows or cells are private and where steps are slots of time: a run that ended
/// there would show its readers, without noise, that there was such a row. Elsewhere `fail`.
[[nodiscard]] OnBadRow on_bad_row_of(const RunSettings& settings);

/// A setting that changes nothing, or less than it says.
struct SettingNote {
  enum class Kind {
    needs_participations,  ///< used with two or more of them only
    beyond_horizon,        ///< only `count` of them fit into the horizon
    other_method           ///< used by another method only
  };
  std::string field;
  Kind kind;
  std::size_t count = 0;
};
/// Notes on the settings that were given on purpose; `settings` may have more, from a file.
[[nodiscard]] std::vector<SettingNote> notes_on(const RunSettings& given, const RunSettings& settings,
                                                const StreamConfig& config);

}  // namespace jme
