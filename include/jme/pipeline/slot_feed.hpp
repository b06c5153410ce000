#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <jme/clock/slots.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/pipeline/clock_config.hpp>
#include <jme/pipeline/person_limit.hpp>
#include <jme/pipeline/row_rules.hpp>
#include <jme/pipeline/running_stream.hpp>
#include <jme/rows/row_batch.hpp>

namespace jme {

/// The slot of a live stream that is open: what must outlive a process.
///
/// RAW DATA: the sums have no noise. A durable stream keeps them sealed.
struct OpenSlot {
  Seconds start;     ///< of the schedule
  std::size_t slot;  ///< slots before it were released
  BlockSum sums;

  [[nodiscard]] std::vector<std::byte> bytes() const;
  /// Throws StateError.
  [[nodiscard]] static OpenSlot from_bytes(std::span<const std::byte> bytes, const RowMap& map);
};

/// The open slot of the last commit of an earlier process; none where there is none.
[[nodiscard]] std::optional<OpenSlot> stored_slot(RunningStream& stream, const RowMap& map);

/// Takes rows of a live input into slots of time. A row belongs to the slot that is open when it arrives, and
/// slots end by the clock: with rows or without, nothing in a row moves them.
class SlotFeed {
 public:
  struct Options {
    LateRows late = LateRows::current;
    /// Where the stream is durable, the open slot is kept again and again after this time, whether rows came
    /// or not.
    std::chrono::milliseconds keep_interval{1000};
    /// The limit that rows pass before they are added, where there is one; it outlives the feed. What must be
    /// kept of it is kept with the open slot, and its windows, each of this many slots, begin with theirs.
    PersonLimit* people = nullptr;
    std::size_t slots_of_window = 1;
    /// Where the source can go on after the rows that were taken, if it can.
    std::function<SourcePlace()> place{};
  };
  /// Goes on with what was kept. Slots that ended while no process ran are released by the first tick().
  SlotFeed(const RowMap& map, const SlotSchedule& schedule, RunningStream& stream, SlotClock clock,
           const Options& options);

  /// Looks at the clock and releases every slot that has ended. Called before rows are read and while none
  /// come: all rows of one read belong to the same slot.
  void tick();
  /// Rows that have just arrived. What becomes of one depends on the clock and on this row alone. A row that
  /// its front found bad counts nowhere, but among the rows of its person.
  void take(RowRules& rules, const RowBatch& batch);
  /// A row as the stream takes it; `time` is its own, where it has one. False where it counts nowhere: it
  /// came before the first slot, or it is late and late rows are dropped.
  bool add(std::span<const double> row, std::optional<Seconds> time);
  /// Rows that were taken but for bad ones, and of them those that counted nowhere.
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  /// Keeps the open slot now, where the stream is durable.
  void keep();

  [[nodiscard]] bool is_over() const { return slot_ == schedule_.count; }
  /// When the open slot ends and is released.
  [[nodiscard]] Seconds due() const { return schedule_.end_of(slot_); }
  [[nodiscard]] std::size_t slot() const { return slot_; }
  /// How long tick() has nothing to do if no row comes.
  [[nodiscard]] std::chrono::milliseconds idle();

 private:
  using Steady = std::chrono::steady_clock;
  void close();
  /// What the next commit has: the open slot, the people whose rows it has and the place after them.
  void seal();
  /// The window of the open slot is that of the rows that come next.
  void enter_window();
  [[nodiscard]] OpenSlot open_slot() const;
  RowMap map_;
  SlotSchedule schedule_;
  RunningStream* stream_;
  SlotClock clock_;
  Options options_;
  std::size_t slot_, rows_ = 0, left_out_ = 0;
  BlockSum sums_;
  bool has_begun_ = false, has_new_rows_ = false;
  Steady::time_point keep_due_{};
};

}  // namespace jme
