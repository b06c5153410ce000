#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/clock/slots.hpp>

namespace jme {
namespace {

const SlotSchedule hours = SlotSchedule::between(1000 * 3600, 1024 * 3600, 3600);

TEST(Slots, HoldTheirBeginningAndNotTheirEnd) {
  ASSERT_EQ(hours.count, 24U);
  for (std::size_t slot = 0; slot < hours.count; ++slot) {
    EXPECT_EQ(hours.slot_of(hours.begin_of(slot)), slot);
    EXPECT_EQ(hours.slot_of(hours.end_of(slot) - 1), slot);
    EXPECT_EQ(hours.end_of(slot), hours.begin_of(slot + 1));
  }
  EXPECT_FALSE(hours.slot_of(hours.start - 1));
  EXPECT_FALSE(hours.slot_of(hours.start - 3600));
  EXPECT_FALSE(hours.slot_of(1024 * 3600));
  EXPECT_FALSE(hours.slot_of(*parse_time("2099-01-01")));
  EXPECT_FALSE(hours.slot_of(*parse_time("0001-01-01")));
}

TEST(Slots, FillTheTimeFromFromToUntil) {
  EXPECT_THROW((void)SlotSchedule::between(0, 5000, 3600), InvalidParameter);
  EXPECT_THROW((void)SlotSchedule::between(0, 0, 3600), InvalidParameter);
  EXPECT_THROW((void)SlotSchedule::between(7200, 3600, 3600), InvalidParameter);
  EXPECT_THROW((void)SlotSchedule::between(0, (Seconds{1} << 26) + 1, 1), InvalidParameter);
  EXPECT_EQ(SlotSchedule::between(0, Seconds{1} << 26, 1).count, std::size_t{1} << 26);
}

TEST(Slots, BeginAtFullHoursAndMidnights) {
  EXPECT_EQ(slot_boundary(*parse_time("2026-03-29T01:59:59"), 3600), *parse_time("2026-03-29T01:00"));
  EXPECT_EQ(slot_boundary(*parse_time("2026-03-29T01:00:00"), 3600), *parse_time("2026-03-29T01:00"));
  EXPECT_EQ(slot_boundary(*parse_time("2026-03-29T23:59"), 86400), *parse_time("2026-03-29"));
  EXPECT_EQ(slot_boundary(-1, 3600), -3600);
}

TEST(Slots, LieInWindowsThatBeginAtMidnightsAndNoSlotLiesInTwo) {
  const SlotSchedule quarters{.start = *parse_time("2026-03-28T22:30"), .length = 900, .count = 400};
  std::int64_t before = quarters.window_of(quarters.start, 96);
  for (std::size_t slot = 0; slot < quarters.count; ++slot) {
    const std::int64_t window = quarters.window_of(quarters.begin_of(slot), 96);
    EXPECT_EQ(window, quarters.window_of(quarters.end_of(slot) - 1, 96));
    const bool is_midnight = quarters.begin_of(slot) % 86400 == 0;
    EXPECT_EQ(window, before + (is_midnight ? 1 : 0));
    before = window;
  }
  // Outside of the schedule, and before 1970, too.
  EXPECT_EQ(quarters.window_of(*parse_time("2099-01-01T12:00"), 96), 47117);
  EXPECT_EQ(quarters.window_of(-1, 96), -1);
  EXPECT_EQ(quarters.window_of(0, 96), 0);
  // A window of one slot is the slot, wherever the first one begins.
  const SlotSchedule odd{.start = 1234, .length = 3600, .count = 9};
  for (std::size_t slot = 0; slot < odd.count; ++slot) {
    EXPECT_EQ(odd.window_of(odd.begin_of(slot), 1), static_cast<std::int64_t>(slot));
    EXPECT_EQ(odd.window_of(odd.end_of(slot) - 1, 1), static_cast<std::int64_t>(slot));
  }
}

/// A machine's clock that somebody sets.
struct FakeClock {
  double time = 0;
  [[nodiscard]] Now now() {
    return [this] { return time; };
  }
};

TEST(SlotClock, StandsStillWhereTheMachinesClockIsSetBackUntilItHasComeToTheSameTimeAgain) {
  FakeClock machine;
  SlotClock clock(machine.now());
  const SlotSchedule slots{.start = 0, .length = 10, .count = 100};
  std::vector<std::size_t> ended;
  for (const double time : {5.0, 9.99, 10.0, 25.0, 3.0, -1e9, 24.0, 29.0, 30.0}) {
    machine.time = time;
    ended.push_back(clock.ended(slots));
  }
  EXPECT_EQ(ended, (std::vector<std::size_t>{0, 0, 1, 2, 2, 2, 2, 2, 3}));
}

TEST(SlotClock, EndsEverySlotThatAJumpForwardPassesAndNoMoreThanThereAre) {
  FakeClock machine;
  SlotClock clock(machine.now());
  const SlotSchedule slots{.start = 100, .length = 10, .count = 5};
  machine.time = 50;
  EXPECT_EQ(clock.ended(slots), 0U);
  machine.time = 131;
  EXPECT_EQ(clock.ended(slots), 3U);
  machine.time = 1e9;
  EXPECT_EQ(clock.ended(slots), 5U);
}

TEST(SlotClock, IsNeverBeforeWhatAnEarlierProcessHasSeen) {
  FakeClock machine;
  SlotClock clock(machine.now());
  clock.is_past(70);
  machine.time = 20;
  EXPECT_EQ(clock.ended({.start = 0, .length = 10, .count = 100}), 7U);
}

}  // namespace
}  // namespace jme
