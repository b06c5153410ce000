#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/timed_rows.hpp>

namespace jme {

// Before anything is known about the rest of the row.
bool TimedRows::enter_window(RowIntake& intake, std::optional<Seconds> time) const {
  PersonLimit* const limit = intake.person_limit();
  if (limit == nullptr || !limit->has_windows()) return limit != nullptr;
  limit->enter_window(time ? std::optional(sums_.schedule().window_of(*time, slots_of_window_))
                           : std::nullopt);
  return true;
}

void TimedRows::add(Seconds time, std::span<const double> row) {
  ++rows_;
  sums_.add(time, row) ? ++of_slot_[*sums_.schedule().slot_of(time)] : ++outside_;
}

std::optional<std::string> TimedRows::doubts(std::string_view unit_setting) const {
  // Of two slots one has half of the rows, and of few rows more than half come together by chance.
  constexpr std::size_t fewest_slots = 3, fewest_rows = 10;
  const auto fullest = std::max_element(of_slot_.begin(), of_slot_.end());
  const std::size_t with_time = std::accumulate(of_slot_.begin(), of_slot_.end(), outside_);
  std::string what;
  if (2 * outside_ > with_time) {
    what =
        fmt::format("({} of {}) have a time outside of the schedule and count nowhere", outside_, with_time);
  } else if (of_slot_.size() >= fewest_slots && with_time >= fewest_rows && 2 * *fullest > with_time) {
    const auto slot = static_cast<std::size_t>(fullest - of_slot_.begin());
    what = fmt::format("({} of {}) are in the same slot of time, which begins at {}", *fullest, with_time,
                       iso_text(sums_.schedule().begin_of(slot)));
  }
  if (what.empty()) return std::nullopt;
  return fmt::format(
      "more than half of the rows {}: if numbers in the column of times are not {} since 1970, {} says what "
      "they count; "
      "keep "
      "these numbers to yourself",
      what, plural(unit_), unit_setting);
}

void TimedRows::take(RowIntake& intake, std::span<double> row, std::span<const std::size_t> missing_cells,
                     Seconds time, const PersonId& person) {
  enter_window(intake, time) ? intake.take(row, missing_cells, person) : intake.take(row, missing_cells);
  add(time, row);
}

void TimedRows::take(RowIntake& intake, std::span<double> row, Seconds time, const PersonId& person) {
  enter_window(intake, time) ? intake.take(row, person) : intake.take(row);
  add(time, row);
}

void TimedRows::take_bad(RowIntake& intake, std::span<double> row, std::optional<Seconds> time,
                         const PersonId& person) {
  enter_window(intake, time) ? intake.take_bad(row, person) : intake.take_bad(row);
  ++rows_;
}

void TimedRows::take_rows(RowIntake& intake, const MatrixView& rows,
                          std::span<const std::optional<Seconds>> times, std::span<const PersonId> persons) {
  if (intake.on_bad_row() != OnBadRow::zero) {  // all of the rows, or none
    const auto missing = std::find(times.begin(), times.end(), std::nullopt);
    const std::size_t row = rows_ + static_cast<std::size_t>(missing - times.begin()) + 1;
    if (missing != times.end())
      throw DataError(fmt::format("row {}: has no time that can be read", row), row);
  }
  std::vector<double> row(rows.columns);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    for (std::size_t j = 0; j < rows.columns; ++j) row[j] = rows.at(r, j);
    const PersonId person = persons.empty() ? std::nullopt : persons[r];
    if (times[r]) {
      take(intake, row, *times[r], person);
    } else {
      take_bad(intake, row, std::nullopt, person);
    }
  }
}

std::vector<Note> TimedRows::notes(const RowIntake& intake) const {
  std::vector<Note> notes = intake.notes();
  if (outside_ > 0) notes.push_back({.kind = Note::Kind::rows_outside, .count = outside_, .rows = rows_});
  return notes;
}

}  // namespace jme
