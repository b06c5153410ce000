#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/row_rules.hpp>

#include "moments/row_kernels.hpp"
#include "store/sha256.hpp"

namespace jme {

namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

DataError refusal(double cell, std::size_t row, std::size_t column) {
  return {fmt::format("row {}, column {}: {}", row, column + 1,
                      std::isnan(cell) ? "missing" : "not a finite number"),
          row, column + 1};
}

}  // namespace

RowRules::RowRules(ColumnBounds bounds, MissingCells missing, OnBadRow on_bad_row, double norm_bound,
                   bool may_be_absent)
    : bounds_(std::move(bounds)),
      on_bad_row_(on_bad_row),
      may_be_absent_(may_be_absent),
      filler_(std::move(missing), norm_bound, !bounds_.is_none()),
      fills_from_releases_(filler_.cells().uses(MissingCells::From::mean) ||
                           filler_.cells().uses(MissingCells::From::model)),
      filled_(bounds_.centre().size(), 0),
      clamped_(filled_.size()) {}

void RowRules::limit(PersonLimit limit, bool tells_persons) {
  if (!may_be_absent_) {
    throw InvalidParameter("person", "needs a private count: rows beyond the limit are rows without cells");
  }
  limit_ = std::move(limit);
  tells_persons_ = tells_persons;
}

void RowRules::take_windows_of_times(const SlotSchedule& slots, std::size_t slots_of_window) {
  slots_ = slots;
  slots_of_window_ = slots_of_window;
}

void RowRules::keep_people(const DurableStream& stream, bool resumes) {
  if (!limit_ || !tells_persons_) return;
  std::vector<std::byte> before;
  stream.read_journal(JournalOf::people, [&](std::span<const std::byte> record) {
    before.insert(before.end(), record.begin(), record.end());
  });
  if (before.empty()) {
    limit_->keep_records();
  } else if (resumes) {
    limit_ = PersonLimit::restored(limit_->rows(), before, limit_->lengths());
  } else {
    limit_->keep_records_after(before);
  }
}

RowRules::Verdict RowRules::verdict(double cell, std::size_t column) const {
  const bool is_missing = std::isnan(cell);
  const OnMissing rule = filler_.cells().rules()[column];
  if (is_missing && rule == OnMissing::fill) return Verdict::fill;
  if (on_bad_row_ == OnBadRow::zero && !(is_missing && rule == OnMissing::fail)) return Verdict::bad_row;
  return Verdict::refuse;
}

void RowRules::check(const MatrixView& rows, std::size_t before) const {
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
        // The first fault decides, as in a file.
        const Verdict found = verdict(part.at(r, j), j);
        if (found == Verdict::refuse) throw refusal(part.at(r, j), rows_ + before + begin + r + 1, j);
        if (found == Verdict::bad_row) break;
      }
    }
  }
}

RowRules::Taken RowRules::take(const RowBatch& batch, std::size_t begin, std::size_t end) {
  if (batch.has_persons() && !limit_) {
    throw InvalidParameter("person", "is told with rows, and this run has no limit of rows per person");
  }
  const MatrixView all = MatrixView::of_rows(batch.cells(), batch.columns());
  return take(all.part(begin, end - begin), batch.has_bad() || limit_ ? &batch : nullptr, begin);
}

RowRules::Taken RowRules::take(const MatrixView& rows) {
  if (limit_) {
    throw InvalidParameter("person", "must be told with every row: this run limits rows per person");
  }
  return take(rows, nullptr, 0);
}

RowRules::Taken RowRules::take(const MatrixView& rows, const RowBatch* batch, std::size_t first) {
  const std::size_t d = rows.columns;
  const bool are_whole = batch == nullptr && d == filled_.size() && first_not_finite(rows).row == rows.rows;
  if (!are_whole) check(rows);  // a row that is refused uses nothing up
  if (are_whole && bounds_.is_none()) {
    rows_ += rows.rows;
    return {.rows = rows, .as_read = rows};
  }
  taken_.resize(rows.rows * d);
  const std::size_t width = d + (tells_persons_ ? numbers_of_person : 0);
  if (!are_whole) read_.resize(rows.rows * width);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::span row = std::span(taken_).subspan(r * d, d);
    for (std::size_t j = 0; j < d; ++j) row[j] = rows.at(r, j);
    if (!are_whole) take_row(row, std::span(read_).subspan(r * width, width), batch, first + r);
  }
  if (are_whole) {
    to_unit(taken_);
    rows_ += rows.rows;
    return {.rows = MatrixView::of_rows(taken_, d), .as_read = MatrixView::of_rows(taken_, d)};
  }
  return {.rows = MatrixView::of_rows(taken_, d), .as_read = MatrixView::of_rows(read_, width)};
}

void RowRules::to_unit(std::span<double> rows) {
  if (rows.size() != filled_.size()) return bounds_.rows_to_unit(rows, clamped_);
  bounds_.count_clamped(rows, clamped_);  // a single row, sooner
  bounds_.to_unit(rows);
}

void RowRules::take_row(std::span<double> row, std::span<double> as_read, const RowBatch* batch,
                        std::size_t index) {
  // Whose it is decides, and when it was, before anything else is known about the row.
  const bool counts = !limit_ || admit(*batch, index);
  const bool is_good = !(batch != nullptr && batch->is_bad(index)) && find_missing(row);
  ++rows_;
  if (is_good) bounds_.count_clamped(row, clamped_);
  if (counts && is_good) {
    take_good(row, as_read);
  } else {
    if (counts) ++bad_rows_;
    std::fill(row.begin(), row.end(), may_be_absent_ ? absent : 0.0);
    std::copy(row.begin(), row.end(), as_read.begin());
  }
  if (tells_persons_) tell_person(as_read.subspan(row.size()), batch->person(index), counts);
}

bool RowRules::admit(const RowBatch& batch, std::size_t index) {
  if (slots_ && limit_->has_windows()) {
    const std::optional<Seconds> time = batch.time(index);
    limit_->enter_window(time ? std::optional(slots_->window_of(*time, slots_of_window_)) : std::nullopt);
  }
  const PersonId person = batch.person(index);
  const bool counts = limit_->admit(person);
  if (!counts) ++(person ? over_limit_ : nobodys_);
  return counts;
}

bool RowRules::find_missing(std::span<const double> row) {
  missing_.clear();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::isfinite(row[i])) continue;
    if (verdict(row[i], i) != Verdict::fill) return false;  // check() has found those that are refused
    missing_.push_back(i);
  }
  return true;
}

void RowRules::take_good(std::span<double> row, std::span<double> as_read) {
  bounds_.to_unit(row);
  for (const std::size_t i : missing_) row[i] = absent;
  std::copy(row.begin(), row.end(), as_read.begin());
  if (missing_.empty()) return;
  filler_.fill(row, missing_);
  ++filled_rows_;
  for (const std::size_t i : missing_) ++filled_[i];
}

void RowRules::tell_person(std::span<double> numbers, const PersonId& person, bool counts) const {
  std::array<double, numbers_of_person> told{};
  told[2] = counts ? 1 : 0;
  if (person) {
    store::Sha256 hash;  // the store puts it under a key
    hash.add(std::as_bytes(std::span(*person)));
    const auto digest = hash.digest();
    std::memcpy(told.data(), digest.data(), 2 * sizeof(double));
  }
  std::copy(told.begin(), told.end(), numbers.begin());
}

std::vector<Note> RowRules::notes() const {
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

void RowRules::add_notes_of_cells(std::vector<Note>& notes) const {
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
