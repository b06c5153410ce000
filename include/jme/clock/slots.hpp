#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include <jme/clock/time.hpp>

namespace jme {

/// Slots of time one after another, all of the same length, from a public start on. Slot i holds the times
/// from begin_of(i) up to but not including end_of(i).
struct SlotSchedule {
  Seconds start = 0;
  Seconds length = 1;
  std::size_t count = 1;

  /// From `from` up to but not including `until`, in slots of `length`. Throws InvalidParameter("until", ...)
  /// unless that is a whole number of slots, one or more, and not too many.
  [[nodiscard]] static SlotSchedule between(Seconds from, Seconds until, Seconds length);

  /// The slot of a time; none outside of the schedule. It depends on this time alone.
  [[nodiscard]] std::optional<std::size_t> slot_of(Seconds time) const;
  /// The window of so many slots that a time is in, also outside of the schedule: windows begin at whole
  /// multiples of their length since 1970 (midnights), where slots do; windows of one slot are the slots.
  [[nodiscard]] std::int64_t window_of(Seconds time, std::size_t slots) const;
  [[nodiscard]] Seconds begin_of(std::size_t slot) const {
    return start + static_cast<Seconds>(slot) * length;
  }
  [[nodiscard]] Seconds end_of(std::size_t slot) const { return begin_of(slot + 1); }
};

/// The latest time at or before `time` at which a slot of this length begins, where slots are counted from
/// 1970-01-01T00:00:00Z: full hours, midnights.
[[nodiscard]] Seconds slot_boundary(Seconds time, Seconds length);

/// Tells the time; tests give their own.
using Now = std::function<double()>;  // seconds since 1970
/// The machine's clock.
[[nodiscard]] Now system_now();

/// A clock that is never moved by data and never runs backwards: where the machine's clock is set back, it
/// stands still until the machine's clock has come to the same time again. Where that is set forward, time
/// has passed.
class SlotClock {
 public:
  explicit SlotClock(Now now) : now_(std::move(now)) {}

  /// The time, as seconds since 1970.
  [[nodiscard]] double time();
  /// It is at least this late: what other clocks, such as those of an earlier process, have shown.
  void is_past(Seconds time);
  /// Slots that have ended; as many as there are in the schedule at most.
  [[nodiscard]] std::size_t ended(const SlotSchedule& schedule);

 private:
  Now now_;
  std::optional<double> latest_{};
};

}  // namespace jme
