#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/row_intake.hpp>

namespace jme {

RowIntake::RowIntake(ColumnBounds bounds, MissingCells missing, OnBadRow on_bad_row, double norm_bound,
                     bool may_be_absent)
    : bounds_(std::move(bounds)),
      on_bad_row_(on_bad_row),
      may_be_absent_(may_be_absent),
      filler_(std::move(missing), norm_bound, !bounds_.is_none()),
      filled_(bounds_.centre().size(), 0) {}

void RowIntake::check_width(std::span<const double> row) const {
  if (row.size() == filled_.size()) return;
  throw DataError(
      fmt::format("row {}: has {} values, the dimension is {}", rows_ + 1, row.size(), filled_.size()),
      rows_ + 1);
}

void RowIntake::take(std::span<double> row) {
  check_width(row);
  missing_.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isfinite(row[i])) continue;
    const bool is_missing = std::isnan(row[i]);
    const OnMissing rule = filler_.cells().rules()[i];
    if (is_missing && rule == OnMissing::fill) {
      missing_.push_back(i);
      continue;
    }
    // The first fault decides, as in a file.
    if (on_bad_row_ == OnBadRow::zero && !(is_missing && rule == OnMissing::fail)) return take_bad(row);
    throw DataError(fmt::format("row {}, column {}: {}", rows_ + 1, i + 1,
                                is_missing ? "missing" : "not a finite number"),
                    rows_ + 1, i + 1);
  }
  for (const std::size_t i : missing_) row[i] = 0;
  take(row, missing_);
}

void RowIntake::take(std::span<double> row, std::span<const std::size_t> missing_cells) {
  check_width(row);
  ++rows_;
  as_read_ = row;
  bounds_.to_unit(row);
  if (missing_cells.empty()) return;
  with_holes_.assign(row.begin(), row.end());
  for (const std::size_t i : missing_cells) with_holes_[i] = std::numeric_limits<double>::quiet_NaN();
  as_read_ = with_holes_;
  filler_.fill(row, missing_cells);
  ++filled_rows_;
  for (const std::size_t i : missing_cells) ++filled_[i];
}

void RowIntake::take_bad(std::span<double> row) {
  check_width(row);
  std::fill(row.begin(), row.end(), may_be_absent_ ? std::numeric_limits<double>::quiet_NaN() : 0.0);
  as_read_ = row;
  ++rows_;
  ++bad_rows_;
}

std::vector<Note> RowIntake::notes() const {
  using enum Note::Kind;
  std::vector<Note> notes;
  if (bad_rows_ > 0) {
    notes.push_back({.kind = may_be_absent_ ? unread_rows : bad_rows, .count = bad_rows_, .rows = rows_});
  }
  if (filled_rows_ == 0) return notes;
  const bool stay = filler_.cells().uses(MissingCells::From::nowhere);
  notes.push_back({.kind = stay ? absent_rows : filled_rows, .count = filled_rows_, .rows = rows_});
  for (std::size_t i = 0; i < filled_.size(); ++i) {
    if (filled_[i] == 0) continue;
    const bool stays = filler_.cells().from(i) == MissingCells::From::nowhere;
    notes.push_back(
        {.kind = stays ? absent_cells : filled_cells, .count = filled_[i], .rows = rows_, .column = i});
  }
  return notes;
}

}  // namespace jme
