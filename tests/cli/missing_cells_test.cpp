// --missing: single cells instead of whole rows.
#include <cmath>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class MissingCells : public InDirectory {};

const std::string filled_run =
    "run --sigma 1e-6 --rows 100 --every 2 --bounds a=0:10,b=-20:20 --insecure-test-seed 1 --emit "
    "mean,covariance ";
const std::string gaps = "a,b\n9,\n8,4\nNA,2\n7,NaN\n";

TEST_F(MissingCells, AreFilledAsIfTheValueHadStoodThere) {
  const CommandResult filled = jme(filled_run + "--missing a=3,b=-5", {.input = gaps});
  EXPECT_EQ(filled.code, 0) << filled.err;
  EXPECT_EQ(filled.printed_releases(),
            jme(filled_run, {.input = "a,b\n9,-5\n8,4\n3,2\n7,-5\n"}).printed_releases());
  const CommandResult centre = jme(filled_run + "--missing centre", {.input = gaps});
  EXPECT_EQ(centre.printed_releases(),
            jme(filled_run, {.input = "a,b\n9,0\n8,4\n5,2\n7,0\n"}).printed_releases());
}

TEST_F(MissingCells, AreToldToTheWriterAndNotToReaders) {
  const CommandResult filled = jme(filled_run + "--missing centre", {.input = gaps});
  EXPECT_THAT(filled.err, HasSubstr("note: 3 row(s) had missing cells that were filled (a 1, b 2); keep"));
  EXPECT_EQ(filled.lines()[0]["configuration"]["missing"], "centre");
  // The configuration says what would happen to a missing cell; nothing shows whether there was one.
  const CommandResult whole = jme(filled_run + "--missing centre", {.input = "a,b\n9,0\n8,4\n5,2\n7,0\n"});
  EXPECT_EQ(whole.out, filled.out);
  EXPECT_THAT(whole.err, Not(HasSubstr("note")));
}

TEST_F(MissingCells, BecomeTheMeanLastReleased) {
  const CommandResult result = jme(filled_run + "--missing mean", {.input = gaps});
  ASSERT_EQ(result.code, 0) << result.err;
  // Before the first release cells are filled with the centre: b = 0, 4. After it the means 8.5 and 2.
  const auto releases = result.releases();
  ASSERT_EQ(releases.size(), 2U);
  EXPECT_NEAR(releases[0]["mean"][0], 8.5, 0.01);
  EXPECT_NEAR(releases[0]["mean"][1], 2, 0.01);
  EXPECT_NEAR(releases[1]["mean"][0], (9 + 8 + 8.5 + 7) / 4, 0.01);
  EXPECT_NEAR(releases[1]["mean"][1], (0 + 4 + 2 + 2) / 4.0, 0.01);
}

TEST_F(MissingCells, FilledWithTheMeanLeaveTheMeanOfTheOthersInTheLongRun) {
  // One cell in four is missing where the column's mean is 9 of 0..10: the centre would pull it to 8.
  std::string input = "a\n";
  for (int i = 0; i < 4000; ++i) input += i % 4 == 3 ? "NA\n" : "9\n";
  const std::string run =
      "run --sigma 0.01 --rows 4000 --every 100 --bounds a=0:10 --emit mean --on-bad-row zero "
      "--insecure-test-seed 1 ";
  const double zero = jme(run, {.input = input}).releases().back()["mean"][0];
  const double mean = jme(run + "--missing mean", {.input = input}).releases().back()["mean"][0];
  EXPECT_NEAR(zero, 8, 0.01);
  // The first hundred rows fill with the centre and are off by 1. With a share p missing that error falls as
  // t^-(1-p): (100/4000)^0.75 = 0.063 here; a quarter more for the steps of a hundred rows.
  EXPECT_NEAR(mean, 9, 0.08);
}

// b = 2a - 3 in the first forty rows; then b is missing, and the model knows it from a.
TEST_F(MissingCells, BecomeWhatTheRestOfTheirRowLetsExpect) {
  std::string input = "a,b\n";
  const auto row = [&](double a, const std::string& b) {
    input += nlohmann::json(a).dump() + "," + b + "\n";
  };
  for (int i = 0; i < 40; ++i) {
    const double a = 5 + 4 * std::sin(i);
    row(a, nlohmann::json(2 * a - 3).dump());
  }
  for (int i = 0; i < 40; ++i) row(2 + 0.02 * i, "");
  const std::string run =
      "run --sigma 1e-4 --rows 100 --every 40 --bounds a=0:10,b=-20:20 --insecure-test-seed 1 --emit "
      "regression:b,mean ";
  const auto model = jme(run + "--missing model", {.input = input}).releases().at(1);
  // The slope is shrunk by the noise level of 1e-4 half-widths, relative to variances of 0.1 to 0.001.
  EXPECT_NEAR(model["regression"]["coefficients"][0], 2, 0.1);
  EXPECT_NEAR(model["regression"]["intercept"], -3, 0.5);
  const auto mean = jme(run + "--missing mean", {.input = input}).releases().at(1);
  EXPECT_LT(mean["regression"]["coefficients"][0], 1.7) << "the mean says nothing of the line";
}

TEST_F(MissingCells, OfAWholeRowBecomeTheMeans) {
  const std::string model =
      jme(filled_run + "--missing model", {.input = "a,b\n9,3\n8,4\n,\n7,5\n"}).printed_releases();
  const std::string mean =
      jme(filled_run + "--missing mean", {.input = "a,b\n9,3\n8,4\n,\n7,5\n"}).printed_releases();
  EXPECT_EQ(model, mean);
}

TEST_F(MissingCells, TheModelNeedsAWholeCovariance) {
  for (const std::string wrong : {"--second diagonal", "--workload2 prefix"}) {
    expect_refused(jme("run --sigma 1 --rows 9 --bounds a=0:10,b=-20:20 --missing model --emit mean " + wrong,
                       {.input = gaps}),
                   2, "missing = model: must be used where second is full");
  }
  expect_refused(jme("run --sigma 1 --rows 9 --norm-bound 1 --missing model --second none", {.input = gaps}),
                 2, "missing = model");
}

// Fills from releases that are all noise stay in the box and count for little: a run whose fills could go
// anywhere would show it in the covariance of the column.
TEST_F(MissingCells, NeverLeaveTheBoundsHoweverNoisyTheReleases) {
  std::string input = "a,b\n";
  for (int i = 0; i < 200; ++i) input += i % 2 == 0 ? "5,0\n" : "5,\n";
  for (const std::string rule : {"mean", "model"}) {
    const std::string noisy =
        "run --sigma 30 --rows 200 --workload prefix --bounds a=0:10,b=-20:20 --shape identity --emit first "
        "--insecure-test-seed 3 ";
    const auto filled = jme(noisy + "--missing " + rule, {.input = input}).releases();
    const auto centre = jme(noisy + "--missing centre", {.input = input}).releases();
    ASSERT_EQ(filled.size(), 200U);
    double before = 0;
    for (std::size_t t = 0; t < 200; ++t) {
      // The same noise: the difference of the sums is the sum of the fills.
      const double now = filled[t]["first"][1].get<double>() - centre[t]["first"][1].get<double>();
      EXPECT_LE(std::abs(now - before), 20 * (1 + 1e-6)) << rule << " " << t;
      if (t % 2 == 0) {
        EXPECT_NEAR(now, before, 1e-6 * 20 * 200) << rule << " " << t;
      }
      before = now;
    }
  }
}

// Finite numbers of any size, in every place, before and after the first release.
std::string huge_rows() {
  std::string input = "a,b,c\n0.1,0.2,-0.1\n";
  for (const char* row : {"1e308,,-1e308", ",1e308,-1e308", "-1.7e308,1.7e308,", "1e308,,", ",,-1e308",
                          "5e-324,,1e308", "0,,-0", ",,"}) {
    input += std::string(row) + "\n0.2,-0.1,0.3\n" + row + "\n";
  }
  return input;
}

const std::string unbounded_run =
    "run --sigma 1e-3 --rows 100 --norm-bound 1 --insecure-test-seed 1 --on-bad-row zero --emit mean ";

TEST_F(MissingCells, BesideHugeNumbersEndNoRun) {
  for (const std::string rule : {"model", "mean", "centre"}) {
    for (const std::string every : {"1", "3"}) {
      for (const std::string sigma : {"1e-6", "1", "1000"}) {
        const CommandResult result = jme(
            "run --rows 100 --norm-bound 1 --insecure-test-seed 1 --on-bad-row zero --emit mean --missing " +
                rule + " --every " + every + " --sigma " + sigma,
            {.input = huge_rows()});
        EXPECT_EQ(result.code, 0) << rule << " " << sigma << ": " << result.err;
        const auto releases = result.releases();
        ASSERT_FALSE(releases.empty());
        EXPECT_EQ(releases.back()["t"], 25) << rule;
      }
    }
  }
}

TEST_F(MissingCells, BesideHugeNumbersLeaveADurableRunWhole) {
  const std::string run = unbounded_run + "--missing model --state " + path("state");
  const CommandResult first = jme(run, {.input = huge_rows()});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.releases().size(), 25U);
  EXPECT_EQ(jme(run, {.input = huge_rows()}).out, first.out);
}

// A row counts as it is clipped, so how far beyond the norm bound its cells lie must not matter to the fill.
TEST_F(MissingCells, AreExpectedFromTheRowAsItCounts) {
  const std::string known = "a,b,c\n0.1,0.2,-0.1\n0.3,0.1,-0.2\n-0.2,0.1,0.1\n";
  const std::string model = unbounded_run + "--missing model";
  const std::string far = jme(model, {.input = known + "1e308,,-1e308\n0.1,0.1,0.1\n"}).printed_releases();
  EXPECT_EQ(far, jme(model, {.input = known + "8,,-8\n0.1,0.1,0.1\n"}).printed_releases());
  EXPECT_NE(far, jme(model, {.input = known + "0.5,,-0.5\n0.1,0.1,0.1\n"}).printed_releases());
}

TEST_F(MissingCells, OfColumnsNotNamedFollowTheBadRows) {
  const CommandResult refused = jme(filled_run + "--missing a=3", {.input = gaps});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("stdin:2: column b: missing value"));
  const CommandResult zero = jme(filled_run + "--missing a=3 --on-bad-row zero", {.input = gaps});
  EXPECT_EQ(zero.code, 0);
  EXPECT_THAT(zero.err, HasSubstr("2 bad row(s), 50% of all, counted as zero, the middle of"));
  EXPECT_EQ(zero.printed_releases(),
            jme(filled_run, {.input = "a,b\n5,0\n8,4\n3,2\n5,0\n"}).printed_releases());
  const CommandResult fail = jme(filled_run + "--missing fail,b=0 --on-bad-row zero", {.input = gaps});
  EXPECT_EQ(fail.code, 3);
  EXPECT_THAT(fail.err, HasSubstr("stdin:4: column a"));
}

TEST_F(MissingCells, StoppingARunSayWhatHelpsAndWhatIsSpent) {
  const CommandResult early = jme(filled_run, {.input = "a,b\n9,\n"});
  EXPECT_EQ(early.code, 3);
  EXPECT_THAT(early.err, HasSubstr("stdin:2: column b: missing value (--missing fills single cells, "
                                   "--on-bad-row zero counts such a row as zero)"));
  // Where counts are private, no row is made of it.
  for (const char* private_counts : {"--private-count ", "--missing observed --private-count "}) {
    const CommandResult counted =
        jme(filled_run + private_counts + "--on-bad-row fail", {.input = "a,b\n9,1\n9,x\n"});
    EXPECT_EQ(counted.code, 3);
    EXPECT_THAT(counted.err, HasSubstr("--on-bad-row zero counts such a row nowhere)"));
    EXPECT_THAT(counted.err, Not(HasSubstr("as zero")));
  }
  const CommandResult late = jme(filled_run, {.input = "a,b\n9,1\n8,4\n7,3\n6,NA\n"});
  EXPECT_THAT(late.err, HasSubstr("--missing"));
  EXPECT_THAT(late.err, HasSubstr("what was released before it stays released and its privacy is spent"));
  const CommandResult text = jme(filled_run, {.input = "a,b\n9,1\n8,4\n7,secret\n"});
  EXPECT_THAT(text.err, HasSubstr("--on-bad-row zero"));
  EXPECT_THAT(text.err, Not(HasSubstr("--missing")));
  EXPECT_THAT(text.err, Not(HasSubstr("secret")));
  // Where zero rows are allowed already, only the other advice is left.
  const CommandResult fail = jme(filled_run + "--missing fail --on-bad-row zero", {.input = "a,b\n9,\n"});
  EXPECT_THAT(fail.err, HasSubstr("--missing"));
  EXPECT_THAT(fail.err, Not(HasSubstr("--on-bad-row")));
}

TEST_F(MissingCells, RulesAreCheckedBeforeTheDataIsLookedAt) {
  const std::string missing = path("missing.csv");
  expect_refused(jme(filled_run + "--missing median " + missing), 2, "missing = median: must be");
  expect_refused(jme(filled_run + "--missing a=11 " + missing), 2, "a must lie inside its bounds");
  expect_refused(jme(filled_run + "--missing z=1 " + missing), 2, "no column z");
  expect_refused(jme("run --sigma 1 --rows 3 --norm-bound 1 --missing z=1", {.input = "a\n1\n"}), 2,
                 "no column z");
  expect_refused(jme(filled_run + "--missing z=1 --dry-run"), 2, "no column z");
}

}  // namespace
}  // namespace jme::test
