#include <fstream>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Rows that rise from 10 to 20 after the first 2000.
std::string rising_rows(int count, int rises_after = 2000) {
  std::string text = "temp,co\n";
  for (int t = 0; t < count; ++t)
    text += (t < rises_after ? "10," : "20,") + std::to_string(40 + t % 20) + "\n";
  return text;
}

const std::string run_flags =
    "run --bounds temp=-20:45,co=0:100 --epsilon 1 --delta 1e-6 --rows 4000 --every 500 --insecure-test-seed "
    "4";

class CompareCommand : public testing::Test {
 protected:
  std::string released(const std::string& more = "") {
    const CommandResult run = jme(run_flags + more, {.input = rising_rows(4000)});
    EXPECT_EQ(run.code, 0) << run.err;
    const std::string path = folder_.path() / "releases.ndjson";
    std::ofstream(path) << run.out;
    return path;
  }
  TemporaryFolder folder_;
};

TEST_F(CompareCommand, FindsTheColumnThatChangedAndNoOther) {
  const CommandResult result = jme("compare " + released() + " --from 2000 --to 4000 --json");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto answer = result.json();
  EXPECT_EQ(answer["changed"], nlohmann::json({true, false}));
  EXPECT_LT(answer["interval"]["change"]["low"][0], 10.0);
  EXPECT_GT(answer["interval"]["change"]["high"][0], 10.0);
}

TEST_F(CompareCommand, PrintsATableThatSaysWhatItMeans) {
  const CommandResult result = jme("compare " + released() + " --from 2000");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Means of rows after t=2000 up to t=4000"));
  EXPECT_THAT(result.out, HasSubstr("compared with rows up to t=2000"));
  EXPECT_THAT(result.out, HasSubstr("± is half of a 95% interval"));
  EXPECT_THAT(result.out, HasSubstr("Holm's method for the 2 columns"));
  EXPECT_THAT(result.out, testing::ContainsRegex("temp .* yes"));
  EXPECT_THAT(result.out, testing::ContainsRegex("co .* no"));
}

TEST_F(CompareCommand, ReadsAStateFolderAndStandardInput) {
  const std::string state = folder_.path() / "state";
  const std::string path = released(" --state " + state + " --source s --stream two");
  const std::string windows = " --from 0..1000 --to 2000..3000 --json";
  const auto by_file = jme("compare " + path + windows).json();
  const auto by_state = jme("compare --state " + state + " --source s --stream two" + windows).json();
  EXPECT_EQ(by_file["from"], by_state["from"]);
  for (int i = 0; i < 2; ++i) {
    // The way through printed numbers in natural units rounds in the last digits.
    EXPECT_NEAR(by_file["mean"]["change"][i].get<double>(), by_state["mean"]["change"][i].get<double>(),
                1e-9);
  }
  EXPECT_EQ(jme("compare -" + windows, {.input = read_text(path)}).json(), by_file);
}

TEST_F(CompareCommand, TakesTimesWhereReleasesComeByTheClock) {
  std::string text = "when,temp\n";
  for (int hour = 0; hour < 24; ++hour) {
    for (int i = 0; i < 400; ++i) {
      text += "2026-01-01T" + std::string(hour < 10 ? "0" : "") + std::to_string(hour) + ":30:00Z," +
              (hour < 12 ? "5\n" : "30\n");
    }
  }
  const CommandResult run =
      jme("run --bounds temp=-20:45 --time when --every 1h --from 2026-01-01 --until 2026-01-02 --epsilon 1 "
          "--delta 1e-6 --insecure-test-seed 2",
          {.input = text});
  ASSERT_EQ(run.code, 0) << run.err;
  const CommandResult result =
      jme("compare - --from 2026-01-01T12:00 --to 2026-01-02 --json", {.input = run.out});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto answer = result.json();
  EXPECT_EQ(answer["from"]["ends"], "2026-01-01T12:00:00Z");
  EXPECT_EQ(answer["to"]["begins"], "2026-01-01T12:00:00Z");
  EXPECT_EQ(answer["changed"][0], true);
  EXPECT_LT(answer["interval"]["change"]["low"][0], 25.0);
  EXPECT_GT(answer["interval"]["change"]["high"][0], 25.0);
  expect_refused(jme("compare - --from 2026-01-01T12:30", {.input = run.out}), 2, "the end of a slot");
}

TEST_F(CompareCommand, RefusesWhatItCannotCompare) {
  const std::string path = released();
  expect_refused(jme("compare --from 2000"), 2, "releases");
  expect_refused(jme("compare " + path + " --state x --from 2000"), 2, "not as both");
  expect_refused(jme("compare " + path + " --source x --from 2000"), 2, "state");
  expect_refused(jme("compare " + path + " --from 2001"), 2, "t of a release, from 500 to 4000");
  expect_refused(jme("compare " + path + " --from 2000 --to 1000"), 2, "after 2000");
  expect_refused(jme("compare /nowhere --from 2000"), 2, "can be read");
  expect_refused(jme("compare - --from 2000", {.input = rising_rows(10)}), 2, "line 1 is not a JSON object");
}

}  // namespace
}  // namespace jme::test
