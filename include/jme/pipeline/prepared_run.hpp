#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jme/columns/bounds.hpp>
#include <jme/columns/missing.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/output/emit.hpp>
#include <jme/output/metadata.hpp>

#include "input_flags.hpp"
#include "stream_flags.hpp"

namespace jme::cli {

/// A run as its flags describe it, checked before anything is opened. The input then says how many columns
/// there are and what they are called, where the flags left that open.
class PreparedRun {
 public:
  /// `emit` without values: the default ones. Throws InvalidParameter for whatever can be told without the
  /// data.
  PreparedRun(InputFlags::Input input, const StreamFlags& stream, EmitOptions emit,
              std::optional<std::uint64_t> seed);
  PreparedRun(const PreparedRun&) = delete;  // descriptions refer to it
  PreparedRun& operator=(const PreparedRun&) = delete;

  /// Throws InvalidParameter where the flags say otherwise of them.
  void adopt_columns(std::vector<std::string> names);

  [[nodiscard]] const InputFlags::Input& input() const { return input_; }
  [[nodiscard]] bool dimension_is_known() const { return dimension_is_known_; }
  [[nodiscard]] const Mechanism& mechanism() const { return mechanism_; }
  [[nodiscard]] MomentStream& stream() { return stream_; }
  [[nodiscard]] const EmitOptions& emit() const { return emit_; }
  // From adopt_columns() on.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] const ColumnBounds& bounds() const { return bounds_; }
  [[nodiscard]] const MissingCells& missing() const { return missing_; }
  [[nodiscard]] RunDescription description() const;

 private:
  [[nodiscard]] StreamConfig checked_config(const StreamFlags& flags);
  [[nodiscard]] MomentStream new_stream() const;
  void adopt_dimension(std::size_t dimension);

  InputFlags::Input input_;
  EmitOptions emit_;
  std::optional<std::uint64_t> seed_;
  bool dimension_is_known_;
  StreamConfig config_;
  Mechanism mechanism_;
  MomentStream stream_;
  std::vector<std::string> columns_;
  ColumnBounds bounds_;
  MissingCells missing_;
};

}  // namespace jme::cli
