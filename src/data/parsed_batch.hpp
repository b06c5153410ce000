#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/rows/row_batch.hpp>

#include "data/columns_with_numbers.hpp"
#include "data/record_parser.hpp"

namespace jme::data {

/// Rows, and where their records are.
struct ParsedBatch {
  RowBatch rows = RowBatch();
  std::size_t first_line = 0;        ///< of the first record, in its text
  std::vector<std::size_t> lines{};  ///< of all; empty: each record is one line

  [[nodiscard]] std::size_t line_of(std::size_t row) const {
    return lines.empty() ? first_line + row : lines[row];
  }
};

/// A bad row that ends the reading.
struct RefusedRow {
  std::size_t line = 0;  ///< of its record, in its text
  RowProblem problem{};
  std::string explanation{};
};

/// Takes the rows of a text one batch after another.
class BatchFiller {
 public:
  BatchFiller(OnBadRow on_bad_row, std::size_t columns) : on_bad_row_(on_bad_row), with_numbers_(columns) {}

  struct How {
    bool waits = false;    ///< the text is live: the batch ends before a record that is not at hand
    bool is_held = false;  ///< the record that was read last is the first row
  };
  /// Fills the batch with at most so many rows. False where no further row can follow: at the end, and at a
  /// row that is refused.
  bool fill(RecordSource& records, RecordParser& parser, ParsedBatch& batch, std::size_t most_rows, How how);
  [[nodiscard]] const std::optional<RefusedRow>& refused() const { return refused_; }
  /// In the batches so far.
  [[nodiscard]] const ColumnsWithNumbers& with_numbers() const { return with_numbers_; }

 private:
  static std::size_t take_plain(RecordSource& records, RecordParser& parser, ParsedBatch& batch,
                                std::size_t first, std::size_t last);
  bool take_record(const RecordSource& records, RecordParser& parser, RowBatch& rows, std::size_t row);

  OnBadRow on_bad_row_;
  ColumnsWithNumbers with_numbers_;
  std::optional<RefusedRow> refused_{};
};

/// At most so many rows of so many columns are in one batch, so that its memory is bounded.
[[nodiscard]] std::size_t most_rows_of(std::size_t columns);
/// Of ids of persons and records, after which a batch ends; those that are at hand may be more.
constexpr std::size_t most_text_bytes = std::size_t{1} << 20;

}  // namespace jme::data
