#include <jme/pipeline/timed_rows.hpp>

namespace jme {

TimedRows::TimedRows(const PreparedRun& run, RowIntake& intake)
    : intake_(&intake),
      limit_(intake.person_limit()),
      sums_(run.row_map(), run.schedule()),
      slots_of_window_(run.slots_of_window()) {}

// Before anything is known about the rest of the row.
void TimedRows::enter_window(std::optional<Seconds> time) {
  if (limit_ == nullptr || !limit_->has_windows()) return;
  limit_->enter_window(time ? std::optional(sums_.schedule().window_of(*time, slots_of_window_))
                            : std::nullopt);
}

void TimedRows::take(std::span<double> row, std::span<const std::size_t> missing_cells, Seconds time,
                     const PersonId& person) {
  enter_window(time);
  limit_ != nullptr ? intake_->take(row, missing_cells, person) : intake_->take(row, missing_cells);
  ++rows_;
  if (!sums_.add(time, row)) ++outside_;
}

void TimedRows::take(std::span<double> row, Seconds time, const PersonId& person) {
  enter_window(time);
  limit_ != nullptr ? intake_->take(row, person) : intake_->take(row);
  ++rows_;
  if (!sums_.add(time, row)) ++outside_;
}

void TimedRows::take_bad(std::span<double> row, std::optional<Seconds> time, const PersonId& person) {
  enter_window(time);
  limit_ != nullptr ? intake_->take_bad(row, person) : intake_->take_bad(row);
  ++rows_;
}

}  // namespace jme
