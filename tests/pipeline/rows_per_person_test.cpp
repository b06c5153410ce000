#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/rows_per_person.hpp>

namespace jme {
namespace {

using ::testing::HasSubstr;

RunSettings limited_settings(const std::string& limit,
                             const std::vector<std::pair<std::string, std::string>>& others = {}) {
  RunSettings settings;
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"bounds", "a=-1:1"}, {"epsilon", "1"}, {"delta", "1e-6"}, {"every", "1h"}, {"person", "who"}}) {
    settings.set(name, text);
  }
  settings.set("rows_per_person", limit);
  for (const auto& [name, text] : others) settings.set(name, text);
  return settings;
}

RunSettings month(const std::string& limit) {
  return limited_settings(limit, {{"time", "when"}, {"from", "2026-01-01"}, {"until", "2026-02-01"}});
}

Participation limits_of(const RunSettings& settings) {
  return PreparedRun(run_config(settings)).mechanism().config().participation;
}

std::string refusal(const RunSettings& settings) {
  try {
    static_cast<void>(limits_of(settings));
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "";
}

TEST(RowsPerPerson, AreReadAsTheyAreWritten) {
  const auto is = [](const std::string& text, const RowWindows& windows, std::size_t rows) {
    const Participation found = limits_of(month(text));
    EXPECT_EQ(found.windows, windows) << text;
    EXPECT_EQ(found.rows, rows) << text;
  };
  EXPECT_EQ(limits_of(month("3")).windows, std::nullopt);
  EXPECT_EQ(limits_of(month("3")).rows, 3U);
  is("3/day", {.rows = 3, .steps = 24, .count = 31, .are_units = true}, 3);
  is("3/1d", {.rows = 3, .steps = 24, .count = 31, .are_units = true}, 3);
  is("2/hour", {.rows = 2, .steps = 1, .count = 744, .are_units = true}, 2);
  is("2/slot", {.rows = 2, .steps = 1, .count = 744, .are_units = true}, 2);
  is("2/6h", {.rows = 2, .steps = 6, .count = 124, .are_units = true}, 2);
  is("3/day:30", {.rows = 3, .steps = 24, .count = 31}, 30);
  is("3/day:all", {.rows = 3, .steps = 24, .count = 31}, 93);
  // Weeks begin on Thursdays, as 1970 did and this month does.
  is("3/7d", {.rows = 3, .steps = 168, .count = 5, .are_units = true}, 3);
}

TEST(RowsPerPerson, OfAScheduleThatBeginsAnywhereMayBeInOneWindowMore) {
  const Participation found = limits_of(limited_settings("3/day", {{"steps", "48"}}));
  EXPECT_EQ(found.windows->count, 3U);
  EXPECT_EQ(limits_of(limited_settings("3/day", {{"steps", "48"}, {"from", "2026-01-01"}})).windows->count,
            2U);
  EXPECT_EQ(
      limits_of(limited_settings("3/day", {{"steps", "48"}, {"from", "2026-01-01T05:00"}})).windows->count,
      3U);
}

TEST(RowsPerPerson, AreRefusedWhereASlotCouldHoldRowsOfTwoWindows) {
  RunSettings settings = month("3/day");
  settings.set("every", "7h");
  settings.set("until", "2026-01-08");
  EXPECT_THAT(refusal(settings), HasSubstr("slots of 7h do not divide a window of 1d"));
  settings = month("3/day");
  settings.set("from", "2026-01-01T00:30");
  settings.set("until", "2026-01-02T00:30");
  EXPECT_THAT(refusal(settings), HasSubstr("after midnight UTC"));
  settings.set("rows_per_person", "3/slot:all");  // slots are their own windows, wherever they begin
  EXPECT_EQ(refusal(settings), "");
  settings.set("rows_per_person", "3/slot");  // windows about which a ledger adds up promises
  EXPECT_THAT(refusal(settings), HasSubstr("after midnight UTC"));
  settings = month("3/30m");
  EXPECT_THAT(refusal(settings), HasSubstr("do not divide"));
  settings = limited_settings("3/day", {{"every", "100"}, {"rows", "1000"}});
  EXPECT_THAT(refusal(settings), HasSubstr("divide the window"));
}

TEST(RowsPerPerson, SayWhatIsWrong) {
  EXPECT_THAT(refusal(month("3/fortnight")), HasSubstr("day, hour, slot"));
  EXPECT_THAT(refusal(month("0/day")), HasSubstr("rows-per-person"));
  EXPECT_THAT(refusal(month("3/day:3")), HasSubstr("more rows in all than in one window"));
  EXPECT_THAT(refusal(month("3:9")), HasSubstr("P/day:N"));
  EXPECT_THAT(refusal(month("3/day:many")), HasSubstr("rows-per-person"));
  EXPECT_THAT(refusal(limited_settings("3/day:all", {{"steps", "unbounded"}})), HasSubstr("without end"));
}

TEST(RowsPerPerson, ArePartOfTheIdentityOfADurableRun) {
  std::vector<std::string> values;
  for (const char* limit : {"3", "3/day", "3/6h", "3/day:30"}) {
    const PreparedRun run(run_config(month(limit)));
    values.emplace_back(value_of(settings_of(run.mechanism()), "rows-per-person"));
  }
  EXPECT_EQ(values, (std::vector<std::string>{"3", "3/day", "3/6h", "3/day:30"}));
}

}  // namespace
}  // namespace jme
