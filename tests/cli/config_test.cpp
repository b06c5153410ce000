// --config and --print-config: the settings of a run as a JSON object.
#include <fstream>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

class SettingsFile : public InDirectory {
 protected:
  [[nodiscard]] std::string written(const std::string& json) const {
    std::ofstream(path("run.json")) << json;
    return path("run.json");
  }
};

const std::string settings =
    R"({"epsilon": 1, "delta": 1e-6, "bounds": {"a": [0, 10], "b": [-20, 20]}, "rows": 100, "every": 2,
        "emit": ["mean", "covariance"], "missing": "mean", "insecure_test_seed": 1})";
const std::string same_as_flags =
    "run --epsilon 1 --delta 1e-6 --bounds a=0:10,b=-20:20 --rows 100 --every 2 --emit mean,covariance "
    "--missing mean --insecure-test-seed 1 ";
const std::string four_rows = "a,b\n9,\n8,4\nNA,2\n7,NaN\n";

TEST_F(SettingsFile, GivesTheRunOfTheSameFlags) {
  const CommandResult by_file = jme("run --config " + written(settings), {.input = four_rows});
  const CommandResult by_flags = jme(same_as_flags, {.input = four_rows});
  EXPECT_EQ(by_file.code, 0) << by_file.err;
  EXPECT_EQ(by_file.out, by_flags.out);
  EXPECT_EQ(by_file.err, by_flags.err);
}

TEST_F(SettingsFile, LosesToFlagsOnTopOfIt) {
  const CommandResult by_file =
      jme("run --config " + written(settings) + " --every 4 --emit mean", {.input = four_rows});
  EXPECT_EQ(by_file.code, 0) << by_file.err;
  EXPECT_EQ(by_file.lines()[0]["configuration"]["every"], 4);
  EXPECT_EQ(by_file.releases().size(), 1U);
  EXPECT_FALSE(by_file.releases()[0].contains("covariance"));
}

TEST_F(SettingsFile, WithAnUnknownKeyIsRefusedWithTheNearestKnownOne) {
  expect_refused(jme("run --config " + written(R"({"epsilon": 1, "evry": 2})"), {.input = four_rows}), 2,
                 "unknown key evry; the nearest known one is every");
  expect_refused(jme("run --config " + written("{"), {.input = four_rows}), 2, "is not JSON");
  expect_refused(jme("run --config " + path("none.json"), {.input = four_rows}), 2,
                 "a file that can be read");
  expect_refused(jme("run --config " + path("."), {.input = four_rows}), 2, "a file that can be read");
}

TEST_F(SettingsFile, IsPrintedCompleteAndReadBackGivesTheSameRun) {
  const CommandResult printed = jme(same_as_flags + "--print-config");
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(printed.err, "");
  const auto object = nlohmann::json::parse(printed.out);
  EXPECT_EQ(object["epsilon"], 1);
  EXPECT_EQ(object["workload"], "mean");
  EXPECT_EQ(object["participations"], 1);
  EXPECT_EQ(object["bounds"]["b"], nlohmann::json({-20.0, 20.0}));
  const std::string file = written(printed.out);
  const CommandResult again = jme("run --config " + file, {.input = four_rows}),
                      direct = jme(same_as_flags, {.input = four_rows});
  EXPECT_EQ(again.out, direct.out);
  EXPECT_EQ(again.err, direct.err);
  EXPECT_EQ(jme("run --config " + file + " --print-config").out, printed.out);
}

TEST_F(SettingsFile, IsPrintedWithoutOpeningTheInputAndOnlyWhereItIsValid) {
  EXPECT_EQ(
      jme("run " + path("no-such.csv") + " --epsilon 1 --delta 1e-6 --rows 9 --norm-bound 1 --print-config")
          .code,
      0);
  expect_refused(jme("run --epsilon 1 --delta 2 --rows 9 --norm-bound 1 --print-config"), 2, "delta = 2");
  expect_refused(jme("run --epsilon 1 --rows 9 --norm-bound 1 --print-config"), 2, "delta");
}

TEST_F(SettingsFile, ServesADryRun) {
  const CommandResult dry = jme("run --dry-run --json --config " + written(settings));
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_EQ(dry.out, jme(same_as_flags + "--dry-run --json").out);
}

}  // namespace
}  // namespace jme::test
