#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/row_intake.hpp>

#include "moments/row_kernels.hpp"
#include "store/sha256.hpp"

namespace jme {

RowIntake::RowIntake(ColumnBounds bounds, MissingCells missing, OnBadRow on_bad_row, double norm_bound,
                     bool may_be_absent)
    : bounds_(std::move(bounds)),
      on_bad_row_(on_bad_row),
      may_be_absent_(may_be_absent),
      filler_(std::move(missing), norm_bound, !bounds_.is_none()),
      filled_(bounds_.centre().size(), 0),
      clamped_(filled_.size()) {}

void RowIntake::limit(PersonLimit limit, bool tells_persons) {
  if (!may_be_absent_) {
    throw InvalidParameter("person", "needs a private count: rows beyond the limit are rows without cells");
  }
  limit_ = std::move(limit);
  tells_persons_ = tells_persons;
}

void RowIntake::keep_people(RunningStream& stream, bool resumes) {
  if (!limit_ || !tells_persons_) return;
  const std::vector<std::byte> before = stream.people_before();
  if (before.empty()) {
    limit_->keep_records();
  } else if (resumes) {
    limit_ = PersonLimit::restored(limit_->rows(), before, limit_->lengths());
  } else {
    limit_->keep_records_after(before);
  }
}

void RowIntake::check_persons_are_told(bool are_told) const {
  if (are_told == limit_.has_value()) return;
  throw InvalidParameter("person", are_told
                                       ? "is told with rows, and this run has no limit of rows per person"
                                       : "must be told with every row: this run limits rows per person");
}

void RowIntake::make_absent(std::span<double> row) {
  std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
  as_read_ = row;
  ++rows_;
}

void RowIntake::count_clamped(std::span<double> row, std::span<const std::size_t> missing_cells) {
  for (const std::size_t i : missing_cells) row[i] = std::numeric_limits<double>::quiet_NaN();
  bounds_.count_clamped(row, clamped_);
}

void RowIntake::count_clamped_unless_bad(std::span<const double> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!std::isfinite(row[i]) && verdict(row[i], i) != Verdict::fill) return;
  }
  bounds_.count_clamped(row, clamped_);
}

template <class Take, class Leave>
void RowIntake::take_of(std::span<double> row, const PersonId& person, const Take& take_it,
                        const Leave& leave_it) {
  check_persons_are_told(true);
  check_width(row);
  // The id alone decides, before anything is known about the row.
  const bool counts = limit_->admit(person);
  if (counts) {
    take_it();
  } else {
    ++(person ? over_limit_ : nobodys_);
    leave_it();
    make_absent(row);
  }
  if (!tells_persons_) return;
  std::array<double, numbers_of_person> told{};
  told[2] = counts ? 1 : 0;
  if (person) {
    store::Sha256 hash;  // the store puts it under a key
    hash.add(std::as_bytes(std::span(*person)));
    const auto digest = hash.digest();
    std::memcpy(told.data(), digest.data(), 2 * sizeof(double));
  }
  with_person_.assign(as_read_.begin(), as_read_.end());
  with_person_.insert(with_person_.end(), told.begin(), told.end());
  as_read_ = with_person_;
}

void RowIntake::take(std::span<double> row, const PersonId& person) {
  check_rows(MatrixView::of_rows(row, row.size()));  // a row that is refused uses nothing up
  take_of(
      row, person, [&] { take_cells(row); }, [&] { count_clamped_unless_bad(row); });
}

void RowIntake::take(std::span<double> row, std::span<const std::size_t> missing_cells,
                     const PersonId& person) {
  take_of(
      row, person, [&] { take_read(row, missing_cells); }, [&] { count_clamped(row, missing_cells); });
}

void RowIntake::take_bad(std::span<double> row, const PersonId& person) {
  take_of(
      row, person, [&] { take_unread(row); }, [] {});
}

void RowIntake::take(std::span<double> row) {
  check_persons_are_told(false);
  take_cells(row);
}

void RowIntake::take(std::span<double> row, std::span<const std::size_t> missing_cells) {
  check_persons_are_told(false);
  take_read(row, missing_cells);
}

void RowIntake::take_bad(std::span<double> row) {
  check_persons_are_told(false);
  take_unread(row);
}

void RowIntake::check_width(std::span<const double> row) const {
  if (row.size() == filled_.size()) return;
  throw DataError(
      fmt::format("row {}: has {} values, the dimension is {}", rows_ + 1, row.size(), filled_.size()),
      rows_ + 1);
}

RowIntake::Verdict RowIntake::verdict(double cell, std::size_t column) const {
  const bool is_missing = std::isnan(cell);
  const OnMissing rule = filler_.cells().rules()[column];
  if (is_missing && rule == OnMissing::fill) return Verdict::fill;
  if (on_bad_row_ == OnBadRow::zero && !(is_missing && rule == OnMissing::fail)) return Verdict::zero_row;
  return Verdict::refuse;
}

DataError RowIntake::refusal(double cell, std::size_t row, std::size_t column) {
  return {fmt::format("row {}, column {}: {}", row, column + 1,
                      std::isnan(cell) ? "missing" : "not a finite number"),
          row, column + 1};
}

void RowIntake::take_cells(std::span<double> row) {
  check_width(row);
  missing_.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isfinite(row[i])) continue;
    // The first fault decides, as in a file.
    switch (verdict(row[i], i)) {
      case Verdict::fill:
        missing_.push_back(i);
        break;
      case Verdict::zero_row:
        return take_unread(row);
      case Verdict::refuse:
        throw refusal(row[i], rows_ + 1, i);
    }
  }
  for (const std::size_t i : missing_) row[i] = 0;
  take_read(row, missing_);
}

void RowIntake::check_rows(const MatrixView& rows, std::size_t before) const {
  if (rows.columns != filled_.size()) {
    throw DataError(
        fmt::format("rows of {} values were given, the dimension is {}", rows.columns, filled_.size()),
        rows_ + before + 1);
  }
  // Some rows at a time, so that the time stays in proportion where many rows have holes.
  constexpr std::size_t most_at_a_time = 256;
  for (std::size_t begin = 0; begin < rows.rows; begin += most_at_a_time) {
    const MatrixView part = rows.part(begin, std::min(most_at_a_time, rows.rows - begin));
    for (std::size_t r = first_not_finite(part).row; r < part.rows; ++r) {
      for (std::size_t j = 0; j < part.columns; ++j) {
        if (std::isfinite(part.at(r, j))) continue;
        const Verdict found = verdict(part.at(r, j), j);
        if (found == Verdict::refuse) throw refusal(part.at(r, j), rows_ + before + begin + r + 1, j);
        if (found == Verdict::zero_row) break;
      }
    }
  }
}

RowIntake::RowsTaken RowIntake::take_rows(const MatrixView& rows) {
  check_persons_are_told(false);
  const std::size_t d = rows.columns;
  const bool are_whole = d == filled_.size() && first_not_finite(rows).row == rows.rows;
  if (!are_whole) check_rows(rows);
  if (are_whole && bounds_.is_none()) {
    rows_ += rows.rows;
    return {.rows = rows, .as_read = rows};
  }
  copied_.resize(rows.rows * d);
  if (!are_whole) read_.resize(rows.rows * d);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::span row = std::span(copied_).subspan(r * d, d);
    for (std::size_t j = 0; j < d; ++j) row[j] = rows.at(r, j);
    if (are_whole) continue;
    take(row);
    std::copy(as_read_.begin(), as_read_.end(), read_.begin() + static_cast<std::ptrdiff_t>(r * d));
  }
  if (are_whole) {
    bounds_.rows_to_unit(copied_, clamped_);
    rows_ += rows.rows;
  }
  return {.rows = MatrixView::of_rows(copied_, d),
          .as_read = MatrixView::of_rows(are_whole ? copied_ : read_, d)};
}

void RowIntake::take_read(std::span<double> row, std::span<const std::size_t> missing_cells) {
  check_width(row);
  ++rows_;
  as_read_ = row;
  count_clamped(row, missing_cells);
  bounds_.to_unit(row);
  if (missing_cells.empty()) return;
  with_holes_.assign(row.begin(), row.end());
  for (const std::size_t i : missing_cells) with_holes_[i] = std::numeric_limits<double>::quiet_NaN();
  as_read_ = with_holes_;
  filler_.fill(row, missing_cells);
  ++filled_rows_;
  for (const std::size_t i : missing_cells) ++filled_[i];
}

void RowIntake::take_unread(std::span<double> row) {
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
  if (nobodys_ > 0) notes.push_back({.kind = nobodys_rows, .count = nobodys_, .rows = rows_});
  if (over_limit_ > 0) notes.push_back({.kind = rows_over_limit, .count = over_limit_, .rows = rows_});
  add_notes_of_cells(notes);
  for (const auto kind : {clamped_low, clamped_high}) {
    const std::vector<std::size_t>& cells = kind == clamped_low ? clamped_.below : clamped_.above;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] == 0) continue;
      notes.push_back({.kind = kind, .count = cells[i], .rows = clamped_.cells[i], .column = i});
    }
  }
  return notes;
}

void RowIntake::add_notes_of_cells(std::vector<Note>& notes) const {
  using enum Note::Kind;
  if (filled_rows_ == 0) return;
  const bool stay = filler_.cells().uses(MissingCells::From::nowhere);
  notes.push_back({.kind = stay ? absent_rows : filled_rows, .count = filled_rows_, .rows = rows_});
  for (std::size_t i = 0; i < filled_.size(); ++i) {
    if (filled_[i] == 0) continue;
    const bool stays = filler_.cells().from(i) == MissingCells::From::nowhere;
    notes.push_back(
        {.kind = stays ? absent_cells : filled_cells, .count = filled_[i], .rows = rows_, .column = i});
  }
}

}  // namespace jme
