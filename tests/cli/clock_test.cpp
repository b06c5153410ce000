// Slots of time as a user of jme run sees them.
#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test::clock_tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class ClockRun : public InDirectory {
 protected:
  /// Rows of two days, unordered, `per_hour` in each of the first day's hours.
  static std::string rows(std::size_t per_hour) {
    std::mt19937_64 generator(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::string text = "ts,a,b\n";
    for (std::size_t i = 0; i < 24 * per_hour; ++i) {
      const auto time = 1767225600 + static_cast<long long>(86400 * uniform(generator));
      text += std::to_string(time) + ',' + std::to_string(6 + uniform(generator)) + ',' +
              std::to_string(uniform(generator)) + '\n';
    }
    return text;
  }
};

const std::string day =
    "run --time ts --every 1h --from 2026-01-01 --until 2026-01-02 --bounds a=0:10,b=0:1 --epsilon 1 "
    "--delta 1e-6 --insecure-test-seed 7 ";

// Beyond six standard deviations with probability 2e-9; the seed is fixed.
TEST_F(ClockRun, ReleasesEverySlotOfTheScheduleWithItsTimeAndPrivateCounts) {
  const CommandResult result = jme(day + "--emit mean " + file("rows.csv", rows(300)));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto releases = result.releases();
  ASSERT_EQ(releases.size(), 24U);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(releases[i]["t"], i + 1);
  EXPECT_EQ(releases[0]["time"], "2026-01-01T01:00:00Z");
  EXPECT_EQ(releases[23]["time"], "2026-01-02T00:00:00Z");
  const auto& last = releases[23];
  EXPECT_NEAR(last["rows"].get<double>(), 7200, 6 * last["noise_std"]["rows"].get<double>());
  EXPECT_NEAR(last["mean"][0].get<double>(), 6.5, 6 * last["noise_std"]["mean"][0].get<double>() + 0.03);
  const auto interval = last["interval"]["mean"][0];
  EXPECT_LT(interval[0].get<double>(), last["mean"][0].get<double>());
  EXPECT_GT(interval[1].get<double>(), last["mean"][0].get<double>());
  const auto metadata = result.lines().front();
  EXPECT_EQ(metadata["configuration"]["every"], "1h");
  EXPECT_FALSE(metadata["configuration"].contains("rows"));
  EXPECT_EQ(metadata["privacy"]["adjacency"], "add-remove");
  // Not even in words.
  EXPECT_THAT(result.out, Not(HasSubstr("7200")));
  EXPECT_THAT(result.err, Not(HasSubstr("7200")));
}

TEST_F(ClockRun, OfAFileWithoutRowsLooksLikeAnyOther) {
  const CommandResult result = jme(day + file("rows.csv", "ts,a,b\n"));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.releases().size(), 24U);
  EXPECT_TRUE(result.releases().back()["mean"][0].is_null());
}

TEST_F(ClockRun, TellsTheOwnerAloneOfRowsOutsideOfTheSchedule) {
  const std::string text = rows(2);
  const CommandResult one = jme(day + file("one.csv", text));
  const CommandResult other =
      jme(day + file("other.csv", text + "2099-01-01,1,1\n2025-12-31T23:59:59Z,1,1\n"));
  EXPECT_EQ(one.out, other.out);
  EXPECT_THAT(other.err, HasSubstr("2 of 50 row(s) happened before --from or after --until"));
}

TEST_F(ClockRun, WarnsTheOwnerAloneOfTimesThatAreNotInSeconds) {
  std::string hours = "ts,a,b\n";  // of the day, as numbers since 1970
  for (int i = 0; i < 240; ++i) hours += std::to_string(490896 + 0.1 * i) + ",6,0.5\n";
  const std::string name = file("hours.csv", hours);
  const CommandResult none = jme(day + file("none.csv", "ts,a,b\n"));
  const CommandResult wrong = jme(day + name);
  EXPECT_EQ(wrong.out, none.out) << "the warning is not for readers of releases";
  EXPECT_THAT(wrong.err,
              HasSubstr("jme: warning: more than half of the rows (240 of 240) have a time outside"));
  EXPECT_THAT(wrong.err, HasSubstr("--time-unit says what they count"));
  const CommandResult right = jme(day + "--time-unit hour " + name);
  ASSERT_EQ(right.code, 0) << right.err;
  EXPECT_THAT(right.err, Not(HasSubstr("more than half")));
  EXPECT_EQ(right.lines().front()["configuration"]["time_unit"], "hour");
  EXPECT_EQ(right.lines().front()["configuration"]["from"], none.lines().front()["configuration"]["from"]);
}

TEST_F(ClockRun, WarnsWhereMostTimesMeanTheSameSlot) {
  std::string text = "ts,a,b\n";
  for (int i = 0; i < 24; ++i) text += std::to_string(i) + ",6,0.5\n";  // hours, taken for seconds
  const std::string run =
      "run --time ts --every 1h --from 1970-01-01 --until 1970-01-02 --bounds a=0:10,b=0:1 --epsilon 1 "
      "--delta 1e-6 ";
  const std::string name = file("rows.csv", text);
  EXPECT_THAT(jme(run + name).err,
              HasSubstr("jme: warning: more than half of the rows (24 of 24) are in the same slot of time, "
                        "which begins at 1970-01-01T00:00:00Z"));
  EXPECT_EQ(jme(run + "--time-unit hour " + name).err, "");
}

TEST_F(ClockRun, TakesARowWithoutAReadableTimeForABadOne) {
  const std::string name = file("rows.csv", rows(1) + "noon,1,1\n");
  expect_refused(jme(day + "--on-bad-row fail " + name), 3,
                 "its time is neither ISO 8601 nor a number of seconds since 1970");
  EXPECT_EQ(jme(day + name).out, jme(day + file("good.csv", rows(1))).out);
}

TEST_F(ClockRun, RefusesWhatCountsRows) {
  const std::string name = file("rows.csv", rows(1));
  expect_refused(jme(day + "--workload decay:0.99 " + name), 2, "decay:half=1d");
  expect_refused(jme(day + "--workload window:90m " + name), 2, "a whole number of slots of 1h");
  expect_refused(jme(day + "--rows 10 " + name), 2, "slots of time have no number of rows");
  expect_refused(jme(day + "--participations 2 --separation 10 " + name), 2, "it counts rows");
  expect_refused(jme("run --every 1h --steps 4 --bounds a=0:1 --epsilon 1 --delta 1e-6 " + name), 2,
                 "follow");
  expect_refused(jme(day + "--follow " + name), 2, "give steps in place of until");
  for (const char* workload : {"window:6h", "decay:half=1d", "prefix", "mean"}) {
    EXPECT_EQ(jme(day + "--workload " + workload + " " + name).code, 0) << workload;
  }
}

TEST_F(ClockRun, OfAStateFolderReleasesNothingTwice) {
  const std::string name = file("rows.csv", rows(5)), state = "--state " + path("state") + " ";
  const CommandResult plain = jme(day + name);
  EXPECT_EQ(jme(day + state + name).out, plain.out);
  EXPECT_EQ(jme(day + state + name).out, plain.out);
  expect_refused(jme(day + state + file("other.csv", rows(6))), 5, "released with other sums");
  const CommandResult ledger = jme("ledger " + path("state") + " --json");
  EXPECT_EQ(ledger.json()["streams"].size(), 1U);
  EXPECT_THAT(ledger.out, Not(HasSubstr("120")));  // rows in the file
}

TEST_F(ClockRun, SaysInItsReportThatSlotsAreCounted) {
  ASSERT_EQ(jme(day + "--report " + path("page.html") + " " + file("rows.csv", rows(300))).code, 0);
  const std::string page = read_text(path("page.html"));
  EXPECT_THAT(page, HasSubstr("24 slots of 1h, a release after each"));
  EXPECT_THAT(page, HasSubstr("slots of time included"));
  EXPECT_THAT(page, Not(HasSubstr("7200")));
  EXPECT_THAT(page, Not(HasSubstr("7,200")));
}

const std::string live = "run --every 1s --steps 1 --bounds a=0:1 --epsilon 1 --delta 1e-6 --emit mean ";

TEST_F(ClockRun, ReleasesALiveSlotOnTimeWithoutAnyRow) {
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult result = jme(live + "-", {.input = "a\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.releases().size(), 1U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_THAT(result.err, HasSubstr("the last release is due at"));
  EXPECT_THAT(result.lines().front()["configuration"]["first_slot_begins"].get<std::string>(),
              HasSubstr("Z"));
}

TEST_F(ClockRun, TellsTheOwnerOfLateRowsThatWereDropped) {
  const CommandResult result =
      jme("run --every 1s --steps 1 --time t --late drop --bounds a=0:1 --epsilon 1 --delta 1e-6 -",
          {.input = "t,a\n5,0.5\n6,0.5\n2199-01-01,0.5\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("jme: warning: 2 of 3 row(s) came before the first slot, or late"));
  EXPECT_THAT(result.err, HasSubstr("--time-unit"));
}

TEST_F(ClockRun, FollowsAFileUntilTheLastSlotHasEnded) {
  const std::string log = file("log.csv", "a\n0.5\n");
  const CommandResult result = jme(live + "--follow " + log);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.releases().size(), 1U);
}

TEST_F(ClockRun, LivesNeedNamedColumnsBecauseReleasesDoNotWaitForAHeader) {
  expect_refused(
      jme("run --every 1s --steps 1 --norm-bound 1 --dimension 1 --lambda 1 --epsilon 1 --delta 1e-6 -"), 2,
      "columns");
}

}  // namespace
}  // namespace jme::test::clock_tests
