#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

class ReproduceCommand : public InDirectory {};

TEST_F(ReproduceCommand, ListsItsItems) {
  const CommandResult result = jme("reproduce --list");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  for (const char* name : {"pareto", "prefix", "density", "adam", "covariance", "decay-window", "workloads",
                           "training", "schedule", "low-privacy", "geometry", "shapes", "alarms"})
    EXPECT_THAT(result.out, HasSubstr(name));
}

TEST_F(ReproduceCommand, WritesAPageAndSaysWhere) {
  const CommandResult result = jme({"reproduce", "workloads", "--out", path("paper"), "--quick"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(path("paper") + "/index.html"));
  EXPECT_THAT(result.out, HasSubstr("confirmed"));
  EXPECT_THAT(result.err, HasSubstr("[1/1] workloads"));
  EXPECT_THAT(read_text(path("paper/index.html")), HasSubstr("Workloads"));
}

TEST_F(ReproduceCommand, SkipsWhatIsFinished) {
  const std::vector<std::string> words{"reproduce", "workloads", "--out", path("paper"), "--quick", "--json"};
  EXPECT_EQ(jme(words).json()["items"][0]["kept"], false);
  const CommandResult again = jme(words);
  EXPECT_EQ(again.json()["items"][0]["kept"], true);
  EXPECT_THAT(again.err, HasSubstr("kept from an earlier run"));
  EXPECT_THAT(again.err, HasSubstr("0 of 1 items computed"));
  EXPECT_EQ(jme(words + std::vector<std::string>{"--fresh"}).json()["items"][0]["kept"], false);
}

TEST_F(ReproduceCommand, GivesVerdictsAsJson) {
  const auto json = jme({"reproduce", "training", "--out", path("paper"), "--json"}).json();
  EXPECT_EQ(json["page"], path("paper") + "/index.html");
  const auto& claim = json["items"][0]["claims"][0];
  EXPECT_EQ(claim["verdict"], "refuted");
  EXPECT_EQ(claim["from_paper"], true);
  EXPECT_THAT(claim["found"].get<std::string>(), HasSubstr("1020"));
}

TEST_F(ReproduceCommand, RefusesUnknownNamesAndBadNumbers) {
  expect_refused(jme({"reproduce", "figure-9", "--out", path("x")}), 2,
                 "name = figure-9: must be one of all, pareto");
  expect_refused(jme({"reproduce", "workloads", "--out", path("x"), "--seed", "-1"}), 2, "seed");
  expect_refused(jme({"reproduce", "workloads", "--out", path("x"), "--threads", "0"}), 2, "threads");
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(ReproduceCommand, ShowsTheTrainingProgramsRunsOrSaysHowToMakeThem) {
  const CommandResult none = jme({"reproduce", "training", "--out", path("paper")});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(read_text(path("paper/index.html")), HasSubstr("jme-train reproduce --data"));
  std::filesystem::create_directory(path("runs"));
  (void)file("runs/results.json", R"({"runs": [{"dataset": "cifar10", "examples": 50000, "method": "jme",
    "sigma": 1, "batch": 256, "seed": 1, "epsilon": 1.43, "accuracy": [31.25], "paper": [32.64]}]})");
  const CommandResult some =
      jme({"reproduce", "training", "--out", path("paper"), "--training", path("runs")});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_THAT(read_text(path("paper/training/training-ours.csv")), HasSubstr("1.43,1,31.25"));
  expect_refused(jme({"reproduce", "training", "--out", path("x"), "--training", path("nowhere")}), 2,
                 "training");
  (void)file("runs/results.json", "[]");
  expect_refused(jme({"reproduce", "training", "--out", path("x"), "--training", path("runs")}), 3,
                 "training results");
}

TEST_F(ReproduceCommand, SaysWhereItCannotWrite) {
  const std::string blocked = file("file", "x") + "/below";
  const CommandResult result = jme({"reproduce", "workloads", "--out", blocked});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(blocked));
}

}  // namespace
}  // namespace jme::test
