#include "data/parsed_batch.hpp"

#include <algorithm>
#include <utility>

namespace jme::data {
namespace {

constexpr std::size_t most_cells = std::size_t{1} << 20;

}  // namespace

std::size_t most_rows_of(std::size_t columns) {
  return std::clamp<std::size_t>(most_cells / std::max<std::size_t>(columns, 1), 1, RowBatch::most_rows);
}

bool BatchFiller::fill(RecordSource& records, RecordParser& parser, ParsedBatch& batch, std::size_t most_rows,
                       How how) {
  RowBatch& rows = batch.rows;
  most_rows = std::min(most_rows, most_rows_of(parser.columns().size()));
  rows.clear(parser.columns().size());
  rows.add_unset_rows(most_rows);
  batch.first_line = how.is_held ? records.line() : records.lines_taken() + 1;
  batch.lines.clear();
  std::size_t row = 0;
  bool goes_on = true;
  while (row < most_rows && rows.text_bytes() < most_text_bytes) {
    if (!how.is_held) row += take_plain(records, parser, batch, row, most_rows);
    if (row == most_rows || (how.waits && row > 0 && !records.is_at_hand())) break;
    try {
      goes_on =
          (std::exchange(how.is_held, false) || records.next()) && take_record(records, parser, rows, row);
    } catch (...) {  // nothing is lost: who waits has no row yet, and pieces are at hand
      rows.clear(rows.columns());
      throw;
    }
    if (!goes_on) break;
    if (!records.has_lines()) batch.lines.push_back(records.line());
    ++row;
  }
  rows.keep_first(row);
  for (std::size_t i = 0; i < row && !with_numbers_.are_all(); ++i) {
    if (!rows.is_bad(i)) with_numbers_.add(rows.row(i));
  }
  return goes_on;
}

std::size_t BatchFiller::take_plain(RecordSource& records, RecordParser& parser, ParsedBatch& batch,
                                    std::size_t first, std::size_t last) {
  const std::size_t line = records.lines_taken();
  const std::size_t plain = parser.take_plain(records, batch.rows, first, last);
  for (std::size_t i = 1; !records.has_lines() && i <= plain; ++i) batch.lines.push_back(line + i);
  return plain;
}

// False where the row is refused.
bool BatchFiller::take_record(const RecordSource& records, RecordParser& parser, RowBatch& rows,
                              std::size_t row) {
  if (parser.add(records, rows, row) == RowStatus::good || !parser.must_fail(on_bad_row_)) return true;
  refused_ = RefusedRow{
      .line = records.line(), .problem = parser.problem(), .explanation = parser.explain_problem()};
  return false;
}

}  // namespace jme::data
