#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/data/input_reader.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/run_settings.hpp>
#include <jme/rows/row_batch.hpp>
#include <jme/service/write_request.hpp>

namespace jme::service {

/// The rows of a body, and what its sender is told about them.
struct ReadRows {
  RowBatch rows;
  std::size_t unread = 0, memory = 0;   ///< memory: that they take, about, in bytes
  std::vector<ClampedCells> clamped{};  ///< columns that have some
};

/// How bodies of rows are read; the same for all bodies of a stream.
class RowBody {
 public:
  /// Throws InvalidParameter.
  RowBody(const RunSettings& settings, const PreparedRun& run, const RowLimits& limits);

  /// Every record is one row. Throws DataError where a body has no rows or no usable header, and where a bad
  /// row fails: then no row was taken. Throws TooManyRows where they would take more memory than is allowed.
  [[nodiscard]] ReadRows read(WriteRequest::Content content, std::string_view body) const;

 private:
  [[nodiscard]] ReadRows rows_of(const InputOptions& options) const;
  InputOptions options_;
  std::vector<std::string> columns_;
  std::vector<OnMissing> rules_;
  std::optional<std::size_t> width_{};  // of JSON arrays
  ColumnBounds bounds_;
  std::size_t most_bytes_;
};

}  // namespace jme::service
