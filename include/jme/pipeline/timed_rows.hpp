#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  /// `unit`: what times that were numbers counted.
  TimedRows(const RowMap& map, const SlotSchedule& schedule, std::size_t slots_of_window,
            TimeUnit unit = TimeUnit::second)
      : sums_(map, schedule), slots_of_window_(slots_of_window), of_slot_(schedule.count), unit_(unit) {}

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
  /// What is doubtful about the times, in words for the owner of the rows alone: more than half of the rows
  /// are outside of the schedule or, of ten or more rows and three or more slots, in a single slot. That is
  /// what becomes of numbers that were taken for seconds and count something else. `unit_setting`: how the
  /// front spells the setting that says what they count.
  [[nodiscard]] std::optional<std::string> doubts(std::string_view unit_setting) const;
  [[nodiscard]] SlotSums& sums() { return sums_; }
  /// Releases all slots of the schedule, also those without rows.
  void release_to(RunningStream& stream) { sums_.release_to(stream); }

 private:
  /// Whether rows per person are limited.
  bool enter_window(RowIntake& intake, std::optional<Seconds> time) const;
  void add(Seconds time, std::span<const double> row);
  SlotSums sums_;
  std::size_t slots_of_window_, rows_ = 0, outside_ = 0;
  std::vector<std::size_t> of_slot_;  // rows
  TimeUnit unit_;
};

}  // namespace jme
