#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jme/clock/time.hpp>
#include <jme/pipeline/note.hpp>
#include <jme/pipeline/row_rules.hpp>
#include <jme/pipeline/slot_sums.hpp>
#include <jme/rows/row_batch.hpp>

namespace jme {

/// Takes rows that have times of their own: each goes to the slot of its time, and counts among the rows of
/// its person in the window of its time, whatever else is in it. Nothing is released before all rows came.
class TimedRows {
 public:
  /// PreparedRun::timed_rows makes one. `unit`: what times that were numbers counted.
  TimedRows(const RowMap& map, const SlotSchedule& schedule, TimeUnit unit = TimeUnit::second)
      : sums_(map, schedule), of_slot_(schedule.count), unit_(unit) {}

  /// Rows of a batch, each with its time. One without a time is a bad one, and one that its front found bad
  /// counts nowhere, but among the rows of its person. All rows pass the same rules, which take their windows
  /// from these times (RowRules::take_windows_of_times). Throws as RowRules::take does, and DataError for a
  /// row without a time where bad rows fail; then none of the rows is taken.
  void take(RowRules& rules, const RowBatch& batch);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// Rows whose time is outside of the schedule; only their owner may see it.
  [[nodiscard]] std::size_t outside() const { return outside_; }
  /// The same among the notes of the rules that the rows passed.
  [[nodiscard]] std::vector<Note> notes(const RowRules& rules) const;
  /// What is doubtful about the times, in words for the owner of the rows alone: more than half of the rows
  /// are outside of the schedule or, of ten or more rows and three or more slots, in a single slot. That is
  /// what becomes of numbers that were taken for seconds and count something else. `unit_setting`: how the
  /// front spells the setting that says what they count.
  [[nodiscard]] std::optional<std::string> doubts(std::string_view unit_setting) const;
  [[nodiscard]] SlotSums& sums() { return sums_; }
  /// Releases all slots of the schedule, also those without rows.
  void release_to(RunningStream& stream) { sums_.release_to(stream); }

 private:
  void check_times(const RowRules& rules, const RowBatch& batch) const;
  SlotSums sums_;
  std::size_t rows_ = 0, outside_ = 0;
  std::vector<std::size_t> of_slot_;  // rows
  TimeUnit unit_;
};

}  // namespace jme
