#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/columns/missing.hpp>
#include <jme/data/input_options.hpp>
#include <jme/rows/row_batch.hpp>

namespace jme {

/// Rows of records that come one by one from elsewhere than a file, such as the messages of a log. Each of
/// them is one row, whatever bytes it holds; none ends the reading.
///
///   RecordRows rows({.format = InputFormat::ndjson, .columns = {"x", "y"}, .on_bad_row = OnBadRow::zero});
///   rows.add(batch, message.value());
class RecordRows {
 public:
  /// CSV without a header, or NDJSON. Throws InvalidParameter as open_input does, and where bad rows fail.
  explicit RecordRows(const InputOptions& options);
  RecordRows(RecordRows&&) noexcept;
  RecordRows& operator=(RecordRows&&) noexcept;
  ~RecordRows();

  [[nodiscard]] const std::vector<std::string>& columns() const;
  /// As InputReader::Part::missing, but that none fails.
  void on_missing(std::vector<OnMissing> rules);
  /// As InputReader::Part::tells_records.
  void tell_records(bool tells);
  /// Whether the batch should have no further row, so that its memory is bounded.
  [[nodiscard]] bool is_full(const RowBatch& batch) const;
  /// Adds the row of a record, which may have a line end. One without a value is a bad row.
  void add(RowBatch& batch, std::optional<std::string_view> record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme
