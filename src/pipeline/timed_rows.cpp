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
  if (!sums_.add(time, row)) ++outside_;
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

}  // namespace jme
