#include <filesystem>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "command.hpp"

// jme plan in units: the flags of a run, without its input.
namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string flags = " --bounds temp=34:43,pulse=30:220 --delta 1e-6 --rows 10000 --every 1000 ";

class BudgetCommand : public InDirectory {};

TEST_F(BudgetCommand, NeverOpensItsInput) {
  // Whoever opens a FIFO that nobody writes to waits for ever.
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const CommandResult of_fifo = jme("plan " + path("fifo") + flags + "--epsilon 1");
  EXPECT_EQ(of_fifo.code, 0) << of_fifo.err;
  EXPECT_EQ(jme("plan " + path("fifo") + flags + "--target temp=0.1").code, 0);
  const CommandResult of_nothing = jme("plan " + path("nothing.csv") + flags + "--epsilon 1");
  EXPECT_EQ(of_nothing.code, 0) << of_nothing.err;
  // All that may name another input, and what a run writes.
  const CommandResult all =
      jme("plan kafka://127.0.0.1:1/topic" + flags + "--epsilon 1 --state " + path("state") + " --output " +
          path("out.csv") + " --report " + path("page.html"));
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_FALSE(std::filesystem::exists(path("state")));
  EXPECT_FALSE(std::filesystem::exists(path("out.csv")));
  EXPECT_FALSE(std::filesystem::exists(path("page.html")));
}

TEST_F(BudgetCommand, PrintsATableOfWhatItWasAsked) {
  const CommandResult result = jme("plan rows.csv" + flags + "--epsilon 0.5,1 --rows-per-person 1,3");
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"epsilon", "rows per person", "every", "mean ±", "std ±", "correlation ±", "temp",
                           "pulse", "half of a 95% interval", "--expect-mean"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  const auto lines =
      jme("plan rows.csv" + flags + "--epsilon 0.5,1 --rows-per-person 1,3 --json").json()["lines"];
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(
      lines[0]["command"],
      "jme run rows.csv --bounds temp=34:43,pulse=30:220 --epsilon 0.5 --delta 1e-6 --rows-per-person 1 "
      "--rows 10000 --every 1000");
}

TEST_F(BudgetCommand, FindsAnEpsilonForARunThatWorks) {
  const CommandResult result = jme("plan -" + flags + "--target temp=0.2");
  ASSERT_EQ(result.code, 0) << result.err;
  const std::size_t at = result.out.find("Run: jme ");
  ASSERT_NE(at, std::string::npos) << result.out;
  const std::string command = result.out.substr(at + 9, result.out.find('\n', at) - at - 9);
  const CommandResult run = jme(words(command), {.input = "temp,pulse\n37,80\n"});
  EXPECT_EQ(run.code, 0) << run.err;
  const double epsilon = run.lines()[0]["privacy"]["epsilon"];
  EXPECT_EQ(jme("plan -" + flags + "--target temp=0.2 --json").json()["lines"][0]["epsilon"], epsilon);
  EXPECT_GT(jme("plan -" + flags + "--target temp=0.1 --json").json()["lines"][0]["epsilon"], epsilon);
}

TEST_F(BudgetCommand, TakesItsSettingsFromAFile) {
  const std::string config = file("run.json", jme("run" + flags + "--epsilon 1 --print-config").out);
  const auto by_file = jme("plan --config " + config + " --json").json()["lines"][0];
  EXPECT_EQ(by_file["half_interval"],
            jme("plan" + flags + "--epsilon 1 --json").json()["lines"][0]["half_interval"]);
}

TEST_F(BudgetCommand, SaysWhatItCannotAnswer) {
  expect_refused(jme("plan" + flags + "--epsilon 1 --target temp=0.1"), 2, "target");
  expect_refused(jme("plan" + flags + "--target heart=0.1"), 2, "one of the columns: temp, pulse");
  expect_refused(jme("plan --bounds x=0:1 --epsilon 1 --delta 1e-6 --every 1h --steps 24"), 2, "expect-rows");
  expect_refused(jme("plan" + flags), 2, "epsilon: must be given");
  const CommandResult few = jme("plan --bounds x=0:1 --epsilon 0.01 --delta 1e-6 --rows 100 --private-count");
  EXPECT_EQ(few.code, 0);
  EXPECT_THAT(few.out, HasSubstr("too few rows"));
  EXPECT_THAT(few.out, Not(HasSubstr("nan")));
}

TEST_F(BudgetCommand, ResearchersStillCompareMethods) {
  const CommandResult compared = jme("plan --sigma 1 --rows 64 --dimension 3 --norm-bound 1");
  EXPECT_THAT(compared.out, HasSubstr("rmse_second"));
  EXPECT_THAT(jme("plan --methods" + flags + "--epsilon 1").out, HasSubstr("rmse_second"));
}

}  // namespace
}  // namespace jme::test
