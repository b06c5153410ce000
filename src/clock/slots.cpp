#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/base/horizon.hpp>
#include <jme/clock/slots.hpp>

namespace jme {

namespace {

// Rounded towards the past, also before the start.
Seconds slots_between(Seconds from, Seconds to, Seconds length) {
  const Seconds gap = to - from;
  return gap / length - (gap % length < 0 ? 1 : 0);
}

}  // namespace

SlotSchedule SlotSchedule::between(Seconds from, Seconds until, Seconds length) {
  if (until <= from) throw InvalidParameter("until", iso_text(until), "later than from");
  if ((until - from) % length != 0) {
    throw InvalidParameter("until", iso_text(until),
                           fmt::format("a whole number of slots of {} after from", duration_text(length)));
  }
  const Seconds count = (until - from) / length;
  if (static_cast<std::size_t>(count) > Horizon::most_steps) {
    throw InvalidParameter("until", iso_text(until), "at most 67108864 (2^26) slots after from");
  }
  return {.start = from, .length = length, .count = static_cast<std::size_t>(count)};
}

std::optional<std::size_t> SlotSchedule::slot_of(Seconds time) const {
  const Seconds slot = slots_between(start, time, length);
  if (slot < 0 || static_cast<std::size_t>(slot) >= count) return std::nullopt;
  return static_cast<std::size_t>(slot);
}

std::int64_t SlotSchedule::window_of(Seconds time, std::size_t slots) const {
  const Seconds slot = slots_between(start, time, length);
  if (slots == 1) return slot;
  return slots_between(0, start + slot * length, static_cast<Seconds>(slots) * length);
}

Seconds slot_boundary(Seconds time, Seconds length) {
  return slots_between(0, time, length) * length;
}

Now system_now() {
  return [] {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  };
}

double SlotClock::time() {
  const double now = now_();
  latest_ = std::max(latest_.value_or(now), now);
  return *latest_;
}

void SlotClock::is_past(Seconds time) {
  latest_ = std::max(latest_.value_or(static_cast<double>(time)), static_cast<double>(time));
}

std::size_t SlotClock::ended(const SlotSchedule& schedule) {
  const Seconds ended =
      slots_between(schedule.start, static_cast<Seconds>(std::floor(time())), schedule.length);
  return std::min(static_cast<std::size_t>(std::max<Seconds>(ended, 0)), schedule.count);
}

}  // namespace jme
