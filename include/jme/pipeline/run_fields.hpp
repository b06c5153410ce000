#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/base/field.hpp>
#include <jme/output/metadata.hpp>

namespace jme {

struct RunConfig;

/// A setting of a run.
struct RunField : Field {
  /// Its value in a run, where readers of the releases must know it; empty where it says only how the run is
  /// done.
  std::function<FieldValue(const RunDescription& run)> in_force{};
  /// Takes over what was given, where it needs no other setting; else run_config() does.
  void (*read)(RunConfig& config, const std::string& text) = nullptr;
  /// Rows depend on it: a durable stream cannot go on under another value.
  bool decides_rows = false;
  bool is_of_stream = false;  ///< one of stream_fields()
};

/// Those of streams (stream_fields()) and all others, in the order of help.
[[nodiscard]] const std::vector<RunField>& run_fields();
/// The field of this name; null where there is none.
[[nodiscard]] const RunField* find_run_field(std::string_view name);
/// The known name that needs the fewest changes of letters to become `name`: for messages.
[[nodiscard]] std::string nearest_run_field(std::string_view name);

}  // namespace jme
