#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <jme/clock/time.hpp>
#include <jme/pipeline/note.hpp>
#include <jme/pipeline/row_intake.hpp>
#include <jme/pipeline/slot_sums.hpp>

namespace jme {

/// Takes rows that have times of their own: each goes to the slot of its time, and counts among the rows of
/// its person in the window of its time, whatever else is in it. Nothing is released before all rows came.
class TimedRows {
 public:
  /// PreparedRun::timed_rows makes one. `slots_of_window`: where the rows of a person are limited in windows.
  TimedRows(const RowMap& map, const SlotSchedule& schedule, std::size_t slots_of_window)
      : sums_(map, schedule), slots_of_window_(slots_of_window) {}

  /// A row that a reader has checked (RowIntake::take); `person` where rows per person are limited. All rows
  /// pass the same intake.
  void take(RowIntake& intake, std::span<double> row, std::span<const std::size_t> missing_cells,
            Seconds time, const PersonId& person);
  /// A row in natural units as arrays have it. Throws as RowIntake::take does.
  void take(RowIntake& intake, std::span<double> row, Seconds time, const PersonId& person);
  /// A row that cannot be read and counts nowhere, but among the rows of its person; its time, where that can
  /// be told.
  void take_bad(RowIntake& intake, std::span<double> row, std::optional<Seconds> time,
                const PersonId& person);

  /// Rows that were checked (RowIntake::check_rows), each with its time (none: it is a bad row) and, where
  /// rows per person are limited, its person. Throws DataError for a row without a time where bad rows fail,
  /// and takes none then.
  void take_rows(RowIntake& intake, const MatrixView& rows, std::span<const std::optional<Seconds>> times,
                 std::span<const PersonId> persons);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// Rows whose time is outside of the schedule; only their owner may see it.
  [[nodiscard]] std::size_t outside() const { return outside_; }
  /// The same among the notes of the intake that the rows passed.
  [[nodiscard]] std::vector<Note> notes(const RowIntake& intake) const;
  [[nodiscard]] SlotSums& sums() { return sums_; }
  /// Releases all slots of the schedule, also those without rows.
  void release_to(RunningStream& stream) { sums_.release_to(stream); }

 private:
  /// Whether rows per person are limited.
  bool enter_window(RowIntake& intake, std::optional<Seconds> time) const;
  void add(Seconds time, std::span<const double> row);
  SlotSums sums_;
  std::size_t slots_of_window_, rows_ = 0, outside_ = 0;
};

}  // namespace jme
