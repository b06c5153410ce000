#include <ctime>
#include <random>

#include <gtest/gtest.h>

#include <jme/clock/time.hpp>

namespace jme {
namespace {

TEST(Time, IsReadFromIsoTextAndFromSeconds) {
  EXPECT_EQ(parse_time("1970-01-01"), 0);
  EXPECT_EQ(parse_time("2026-03-29T01:30"), 1774747800);
  EXPECT_EQ(parse_time("2026-03-29T01:30:00Z"), 1774747800);
  EXPECT_EQ(parse_time(" 2026-03-29 01:30:00.75 "), 1774747800);
  EXPECT_EQ(parse_time("2026-03-29T03:30:00+02:00"), 1774747800);
  EXPECT_EQ(parse_time("2026-03-29T03:30:00+0200"), 1774747800);
  EXPECT_EQ(parse_time("2026-03-28T20:30:00-05"), 1774747800);
  EXPECT_EQ(parse_time("1774747800"), 1774747800);
  EXPECT_EQ(parse_time("1774747800.999"), 1774747800);
  EXPECT_EQ(parse_time("-0.5"), -1);  // towards the past, on both sides of 1970
  EXPECT_EQ(parse_time("1969-12-31T23:59:59.5Z"), -1);
}

TEST(Time, InAnotherUnitIsReadFromItsNumbersAndFromIsoTextAsBefore) {
  using enum TimeUnit;
  EXPECT_EQ(parse_time("1774747800999", millisecond), 1774747800);
  EXPECT_EQ(parse_time("1774747800999999", microsecond), 1774747800);
  EXPECT_EQ(parse_time("-1", millisecond), -1);
  EXPECT_EQ(parse_time("29579130", minute), 1774747800);
  EXPECT_EQ(parse_time("1.5", hour), 5400);
  EXPECT_EQ(parse_time("20541.0625", day), 1774747800);
  EXPECT_EQ(parse_time("7", second), 7);
  for (const TimeUnit unit : {second, millisecond, microsecond, minute, hour, day}) {
    EXPECT_EQ(parse_time("2026-03-29T01:30", unit), 1774747800);
    EXPECT_EQ(parse_time_unit(name(unit)), unit);
    EXPECT_FALSE(parse_time("1e30", unit)) << plural(unit);
  }
  for (const char* text : {"", "S", "seconds", "min", "m", "h"}) EXPECT_FALSE(parse_time_unit(text)) << text;
}

// A quotient of whole numbers below 2^53 is rounded once, and its floor is exact: k + 1 - 1e-6 is nearer to
// itself than half of the distance of doubles there (2^-23 at 2^31) is to k + 1.
TEST(Time, OfWholeMicrosecondsNeverMovesToAnotherSecond) {
  std::mt19937_64 generator(5);
  std::uniform_int_distribution<std::int64_t> seconds(0, std::int64_t{1} << 31);
  for (int i = 0; i < 100'000; ++i) {
    const std::int64_t second = seconds(generator);
    EXPECT_EQ(parse_time(std::to_string(second * 1'000'000), TimeUnit::microsecond), second);
    EXPECT_EQ(parse_time(std::to_string(second * 1'000'000 + 999'999), TimeUnit::microsecond), second);
  }
}

TEST(Time, KnowsLeapDaysAndCountsALeapSecondWithTheOneBefore) {
  EXPECT_EQ(parse_time("2024-02-29"), 1709164800);
  EXPECT_EQ(*parse_time("2024-03-01") - *parse_time("2024-02-28"), 2 * 86400);
  EXPECT_EQ(*parse_time("2025-03-01") - *parse_time("2025-02-28"), 86400);
  EXPECT_EQ(parse_time("2000-02-29"), 951782400);
  EXPECT_FALSE(parse_time("1900-02-29"));
  EXPECT_FALSE(parse_time("2025-02-29"));
  EXPECT_EQ(parse_time("2016-12-31T23:59:60Z"), parse_time("2016-12-31T23:59:59Z"));
}

TEST(Time, IsNotGuessedFromOtherTexts) {
  for (const char* text : {"",
                           " ",
                           "yesterday",
                           "2026",
                           "2026-1-1",
                           "2026-01-01T",
                           "2026-01-01T24:00",
                           "2026-13-01",
                           "2026-01-01T00:60",
                           "2026-01-01T00:00:61",
                           "2026-01-01T00:00:00.",
                           "2026-01-01X00:00",
                           "2026-01-01T00:00:00Zz",
                           "2026-01-01T00:00:00+25:00",
                           "01/02/2026",
                           "nan",
                           "inf",
                           "1774747800000",
                           "1e300",
                           "2026-01-01T00:00:00Z 5"}) {
    if (std::string_view(text) == "2026") {
      EXPECT_EQ(parse_time(text), 2026);  // a number is a number of seconds
    } else {
      EXPECT_FALSE(parse_time(text)) << text;
    }
  }
}

TEST(Time, IsWrittenAsItIsRead) {
  std::mt19937_64 generator(1);
  std::uniform_int_distribution<Seconds> any(-62135596800, 253402300799);
  for (int i = 0; i < 2000; ++i) {
    const Seconds time = any(generator);
    EXPECT_EQ(parse_time(iso_text(time)), time);
  }
  EXPECT_EQ(iso_text(1774747800), "2026-03-29T01:30:00Z");
}

// Clocks on the wall are set forward and back there on these days.
TEST(Time, HasNoDaylightSavingWhateverTheMachineIsSetTo) {
  const std::string before = std::getenv("TZ") != nullptr ? std::getenv("TZ") : "";
  for (const char* zone : {"Europe/Berlin", "America/New_York", "UTC", "CET-1CEST,M3.5.0,M10.5.0/3"}) {
    ::setenv("TZ", zone, 1);
    ::tzset();
    for (const char* day : {"2026-03-29", "2026-10-25", "2026-03-08", "2026-11-01"}) {
      const Seconds midnight = *parse_time(day);
      for (Seconds hour = 0; hour < 24; ++hour) {
        const std::string text =
            std::string(day) + (hour < 10 ? "T0" : "T") + std::to_string(hour) + ":00:00";
        EXPECT_EQ(parse_time(text), midnight + 3600 * hour);
        EXPECT_EQ(iso_text(midnight + 3600 * hour), text + "Z");
      }
    }
  }
  ::setenv("TZ", before.c_str(), 1);
  ::tzset();
}

TEST(Duration, HasAWholeNumberOfOneUnit) {
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("15m"), 900);
  EXPECT_EQ(parse_duration("1h"), 3600);
  EXPECT_EQ(parse_duration("7d"), 604800);
  for (const char* text : {"", "h", "1", "100", "0h", "-1h", "1.5h", "1H", "1 h", "1h30m", "1w",
                           "99999999999999999999s", "9223372036854775807d"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  for (const char* text : {"90s", "15m", "1h", "36h", "2d"})
    EXPECT_EQ(duration_text(*parse_duration(text)), text);
  EXPECT_EQ(duration_text(*parse_duration("24h")), "1d");
}

}  // namespace
}  // namespace jme
