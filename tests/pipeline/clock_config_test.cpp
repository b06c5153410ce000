#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>

namespace jme {
namespace {

using ::testing::HasSubstr;
using Given = std::vector<std::pair<std::string, std::string>>;

RunSettings clocked(const Given& more) {
  RunSettings settings;
  for (const auto& [name, text] :
       Given{{"bounds", "a=0:1,b=0:1"}, {"every", "1h"}, {"epsilon", "1"}, {"delta", "1e-6"}})
    settings.set(name, text);
  for (const auto& [name, text] : more) settings.set(name, text);
  return settings;
}

const Given one_day{{"time", "ts"}, {"from", "2026-01-01"}, {"until", "2026-01-02"}};

Given with(Given base, const Given& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

void expect_fault(const Given& more, const std::string& field, const std::string& words) {
  try {
    const PreparedRun run(run_config(clocked(more)));
    FAIL() << field;
  } catch (const InvalidParameter& error) {
    EXPECT_EQ(error.field(), field);
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(ClockConfig, MakesStepsOfSlotsWithPrivateCountsUnderAddRemove) {
  const PreparedRun run(run_config(clocked(one_day)));
  const StreamConfig& stream = run.mechanism().config();
  EXPECT_EQ(run.mechanism().horizon().steps(), 24U);
  EXPECT_TRUE(run.mechanism().horizon().has_slots());
  EXPECT_TRUE(stream.private_count);
  EXPECT_EQ(stream.adjacency, Adjacency::add_remove);
  EXPECT_FALSE(stream.lambda);
  EXPECT_EQ(run.mechanism().geometry(), Geometry::box);
  EXPECT_EQ(PreparedRun(run_config(clocked(with(one_day, {{"adjacency", "replace-one"}}))))
                .mechanism()
                .config()
                .adjacency,
            Adjacency::replace_one);
}

TEST(ClockConfig, ReadsWindowsAndHalfLivesInTime) {
  const auto workload = [](const std::string& text) {
    return run_config(clocked(with(one_day, {{"workload", text}}))).stream.workload;
  };
  EXPECT_EQ(workload("window:6h").name(), "window:6");
  EXPECT_EQ(workload("window:1d").name(), "window:24");
  EXPECT_DOUBLE_EQ(workload("decay:half=1d").beta(), std::exp2(-1.0 / 24));
  EXPECT_EQ(workload("prefix").name(), "prefix");
  expect_fault(with(one_day, {{"workload", "window:90m"}}), "workload", "a whole number of slots of 1h");
  expect_fault(with(one_day, {{"workload", "window:6"}}), "workload", "a length of time");
  expect_fault(with(one_day, {{"workload", "decay:0.99"}}), "workload", "decay:half=1d");
  expect_fault(with(one_day, {{"workload", "decay:half=2"}}), "workload", "a length of time");
}

TEST(ClockConfig, RefusesWhatCountsRows) {
  expect_fault(with(one_day, {{"rows", "100"}}), "rows", "slots of time have no number of rows");
  expect_fault(with(one_day, {{"separation", "5"}, {"participations", "2"}}), "separation", "counts rows");
  expect_fault(with(one_day, {{"steps", "24"}}), "steps", "either until or steps");
  expect_fault({}, "until", "must be given");
  expect_fault({{"time", "ts"}, {"until", "2026-01-02"}}, "from", "must be given");
  expect_fault({{"from", "2026-01-01"}, {"until", "2026-01-02"}}, "time", "must be given");
  expect_fault(with(one_day, {{"until", "2026-01-01T12:30"}}), "until", "a whole number of slots");
  expect_fault(with(one_day, {{"from", "1 January"}}), "from", "ISO 8601");
  expect_fault(with(one_day, {{"every", "100"}}), "every", "must be a length of time");
  expect_fault(with(one_day, {{"late", "maybe"}}), "late", "current or drop");
  expect_fault(with(one_day, {{"method", "pp"}}), "private_count", "needs the method");
}

TEST(ClockConfig, TakesAUnitOfTimesThatChangesNoTimeOfTheSchedule) {
  const auto configuration = [](const Given& more) {
    const PreparedRun run(run_config(clocked(with(one_day, more))));
    return metadata(run.description(), run.columns())["configuration"];
  };
  const auto plain = configuration({});
  EXPECT_FALSE(plain.contains("time_unit"));
  EXPECT_EQ(configuration({{"time_unit", "s"}}), plain);  // as it was before there was such a setting
  auto other = configuration({{"time_unit", "ms"}});
  EXPECT_EQ(other["time_unit"], "ms");
  other.erase("time_unit");
  EXPECT_EQ(other, plain);
  EXPECT_EQ(run_config(clocked(with(one_day, {{"time_unit", "hour"}}))).clock->time_unit, TimeUnit::hour);
}

TEST(ClockConfig, RefusesAUnitOfNoTimesAndNumbersThatCouldBeInEither) {
  expect_fault(with(one_day, {{"time_unit", "fortnight"}}), "time_unit", "s, ms, us, minute, hour or day");
  expect_fault({{"from", "2026-01-01"}, {"steps", "24"}, {"time_unit", "ms"}}, "time_unit",
               "together with time");
  expect_fault(with(one_day, {{"time_unit", "hour"}, {"from", "490872"}}), "from",
               "could be seconds or hours");
  expect_fault(with(one_day, {{"time_unit", "day"}, {"until", "20455"}}), "until",
               "could be seconds or days");
  EXPECT_NO_THROW(run_config(clocked(with(one_day, {{"from", "1767225600"}}))));
}

TEST(ClockConfig, SurvivesBeingPrintedAndReadAgain) {
  const RunSettings settings = clocked(one_day);
  const RunSettings again = RunSettings::from_json(settings.to_json(), "printed");
  const PreparedRun one(run_config(settings)), other(run_config(again));
  EXPECT_EQ(one.mechanism().config().adjacency, other.mechanism().config().adjacency);
  EXPECT_EQ(one.mechanism().calibration().std_first, other.mechanism().calibration().std_first);
  EXPECT_EQ(one.schedule().count, other.schedule().count);
}

TEST(ClockConfig, SaysWhatAMovedRowCosts) {
  const PreparedRun run(run_config(clocked(one_day)));
  const RunDescription description = run.description();
  const auto privacy = metadata(description, run.columns())["privacy"];
  EXPECT_NEAR(privacy["mu_of_moved_row"].get<double>(), std::sqrt(2) * privacy["mu"].get<double>(), 1e-9);
  const std::string statement = privacy["statement"].get<std::string>();
  EXPECT_THAT(statement, HasSubstr("one row more or less"));
  EXPECT_THAT(statement, HasSubstr("A row that also changes its time"));
  EXPECT_THAT(statement, HasSubstr("How many rows there are, in all and in a slot, is private."));
  EXPECT_THAT(statement, testing::Not(HasSubstr("at most 24 rows")));
}

}  // namespace
}  // namespace jme
