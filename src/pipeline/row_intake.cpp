#include "row_intake.hpp"

#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "exit_codes.hpp"

namespace jme::cli {

RowIntake::RowIntake(RowReader& reader, const ColumnBounds& bounds, MissingCells missing, OnBadRow on_bad_row,
                     double norm_bound)
    : reader_(reader),
      bounds_(bounds),
      on_bad_row_(on_bad_row),
      filler_(std::move(missing), norm_bound, !bounds.is_none()),
      filled_(reader.dimension(), 0) {
  reader_.on_missing(filler_.cells().rules());
}

bool RowIntake::next(std::span<double> row) {
  if (!reader_.next(row)) return false;
  ++rows_;
  as_read_ = row;
  if (reader_.is_bad()) {
    ++zero_rows_;  // zero in the unit box: the middle of the bounds
    return true;
  }
  bounds_.to_unit(row);
  const auto cells = reader_.missing_cells();
  if (cells.empty()) return true;
  with_holes_.assign(row.begin(), row.end());
  for (const std::size_t i : cells) with_holes_[i] = std::numeric_limits<double>::quiet_NaN();
  as_read_ = with_holes_;
  filler_.fill(row, cells);
  ++filled_rows_;
  for (const std::size_t i : cells) ++filled_[i];
  return true;
}

std::string RowIntake::advice(bool something_was_released) const {
  std::vector<std::string_view> parts;
  if (reader_.is_bad_for_missing_cell()) parts.push_back("--missing fills single cells");
  if (on_bad_row_ == OnBadRow::fail) parts.push_back("--on-bad-row zero counts such a row as zero");
  if (something_was_released) {
    parts.push_back("what was released before it stays released and its privacy is spent");
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

void RowIntake::tell() const {
  if (zero_rows_ > 0) {
    print_note(fmt::format(
        "{} bad row(s), {:.2g}% of all, counted as zero{}: means are pulled that share of the way "
        "there; keep these numbers to yourself",
        zero_rows_, 100.0 * static_cast<double>(zero_rows_) / static_cast<double>(rows_),
        bounds_.is_none() ? "" : ", the middle of the bounds"));
  }
  if (filled_rows_ > 0) {
    std::string columns;
    for (std::size_t i = 0; i < filled_.size(); ++i) {
      if (filled_[i] > 0) {
        columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", reader_.columns()[i], filled_[i]);
      }
    }
    print_note(
        fmt::format("{} row(s) had missing cells that were filled ({}); keep these numbers to yourself",
                    filled_rows_, columns));
  }
}

}  // namespace jme::cli
