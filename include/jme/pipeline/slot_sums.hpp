#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <jme/clock/slots.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/pipeline/running_stream.hpp>

namespace jme {

/// The name under which a durable stream knows a slot.
[[nodiscard]] std::string slot_id(const SlotSchedule& schedule, std::size_t slot);

/// Sums of the rows of every slot of a schedule, for inputs that are read as a whole before the first
/// release. Every row goes to the slot of its own time, whatever other rows say and in whatever order they
/// come; a row outside the schedule goes nowhere.
///
/// RAW DATA: the sums have no noise.
class SlotSums {
 public:
  /// Sums of all slots take this many bytes at most.
  static constexpr std::size_t most_bytes = std::size_t{1} << 31;

  /// Throws InvalidParameter where all slots together would take more than most_bytes.
  SlotSums(const RowMap& map, const SlotSchedule& schedule);
  /// Throws as the constructor does, without taking memory.
  static void check_size(const RowMap& map, const SlotSchedule& schedule);

  [[nodiscard]] const SlotSchedule& schedule() const { return schedule_; }
  /// A row as the stream takes it. False where its time is outside of the schedule.
  bool add(Seconds time, std::span<const double> row);
  /// Adds the sums of rows that were made elsewhere. Throws InvalidParameter for a slot that is not in the
  /// schedule, and as BlockSum::merge.
  void merge(std::size_t slot, const BlockSum& part);
  /// The slots that rows or sums have come to.
  [[nodiscard]] std::vector<std::size_t> with_rows();
  /// The sums of one slot; none where no row has come.
  [[nodiscard]] BlockSum of(std::size_t slot);
  /// Pushes all slots one after another, also those without rows.
  void release_to(RunningStream& stream);

 private:
  void flush();
  void sort_waiting();
  RowMap map_;
  SlotSchedule schedule_;
  std::vector<std::optional<BlockSum>> sums_;
  // Rows that wait until there are enough of them to be added together.
  struct Waiting {
    std::size_t slot, place;
  };
  std::vector<Waiting> waiting_;
  std::vector<double> rows_, sorted_;
};

}  // namespace jme
