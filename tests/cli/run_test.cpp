#include <cmath>
#include <regex>

#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class RunCommand : public InDirectory {
 protected:
  /// `rows` rows of two columns inside the unit disc.
  static std::string csv(int rows) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i)
      text += nlohmann::json(0.5 * std::sin(i)).dump() + "," + nlohmann::json(0.5 * std::cos(3 * i)).dump() +
              "\n";
    return text;
  }
};

const std::string secure = "run --epsilon 1 --delta 1e-6 --norm-bound 1 ";
const std::string seeded = secure + "--insecure-test-seed 7 ";

TEST_F(RunCommand, WritesMetadataAndThenAnObjectARelease) {
  const CommandResult result = jme(secure + "--rows 6 --every 2", {.input = csv(6)});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  const auto lines = result.lines();
  ASSERT_EQ(lines.size(), 4U);
  const auto& about = lines[0];
  EXPECT_EQ(about["jme"], JME_VERSION);
  EXPECT_EQ(about["columns"], nlohmann::json({"x", "y"}));
  EXPECT_EQ(about["privacy"]["epsilon"], 1.0);
  EXPECT_EQ(about["privacy"]["delta"], 1e-6);
  EXPECT_EQ(about["privacy"]["adjacency"], "replace-one");
  EXPECT_NEAR(about["privacy"]["mu"].get<double>() * about["privacy"]["sigma"].get<double>(), 1, 1e-12);
  EXPECT_THAT(about["privacy"]["statement"].get<std::string>(), HasSubstr("at most 6 rows"));
  EXPECT_EQ(about["configuration"]["rows"], 6);
  EXPECT_EQ(about["configuration"]["steps"], 3);
  EXPECT_EQ(about["configuration"]["workload"], "mean");
  EXPECT_NE(about["configuration"]["shape"], "auto");
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(lines[i]["t"], 2 * i);
    EXPECT_EQ(lines[i]["mean"].size(), 2U);
    EXPECT_EQ(lines[i]["covariance"].size(), 2U);
    EXPECT_EQ(lines[i]["covariance"][1].size(), 2U);
    EXPECT_EQ(lines[i]["noise_std"]["mean"].size(), 2U);
    EXPECT_EQ(lines[i]["noise_std"]["covariance"][1].size(), 2U);
    EXPECT_EQ(lines[i].size(), 4U);
  }
}

TEST_F(RunCommand, TwoRunsDrawDifferentNoise) {
  const CommandResult first = jme(secure + "--rows 3", {.input = csv(3)});
  const CommandResult second = jme(secure + "--rows 3", {.input = csv(3)});
  ASSERT_EQ(first.releases().size(), 3U);
  EXPECT_NE(first.releases()[0]["mean"], second.releases()[0]["mean"]);
  EXPECT_NE(first.releases()[2]["covariance"], second.releases()[2]["covariance"]);
}

TEST_F(RunCommand, ATestSeedRepeatsItselfAndIsCalledInsecure) {
  const CommandResult first = jme(seeded + "--rows 3", {.input = csv(3)});
  EXPECT_EQ(first.out, jme(seeded + "--rows 3", {.input = csv(3)}).out);
  EXPECT_NE(first.out, jme(secure + "--insecure-test-seed 8 --rows 3", {.input = csv(3)}).out);
  EXPECT_THAT(first.err, HasSubstr("jme: warning: --insecure-test-seed"));
  EXPECT_THAT(first.lines()[0]["privacy"]["statement"].get<std::string>(), HasSubstr("NOT PRIVATE"));
}

TEST_F(RunCommand, ShowsNoiseOfTheCalibratedSize) {
  const std::string flags =
      "run --sigma 1 --norm-bound 1 --rows 4 --workload prefix --shape identity --emit first,second ";
  const CommandResult result = jme(flags + "--geometry ball", {.input = csv(4)});
  const auto about = result.lines()[0];
  EXPECT_NEAR(about["configuration"]["std_first"], 2, 1e-5);
  EXPECT_EQ(about["configuration"]["geometry"], "ball");
  EXPECT_TRUE(about["configuration"].contains("std_trace"));
  EXPECT_TRUE(about["configuration"]["std_trace"].is_null());
  EXPECT_TRUE(about["privacy"]["epsilon"].is_null());
  EXPECT_EQ(about["privacy"]["sigma"], 1.0);
  for (const auto& release : result.releases()) {
    // Prefix sums with C = I: t draws; off the diagonal of the square half the variance.
    const double root = std::sqrt(release["t"].get<double>());
    EXPECT_NEAR(release["noise_std"]["first"][0], 2 * root, 1e-4);
    EXPECT_NEAR(release["noise_std"]["second"][1][1], 2 * std::sqrt(2.0) * root, 1e-4);
    EXPECT_NEAR(release["noise_std"]["second"][0][1], 2 * root, 1e-4);
  }
  // By default the trace corrects the two diagonal entries (docs/theory/geometry.md).
  const CommandResult traced = jme(flags, {.input = csv(4)});
  const auto configuration = traced.lines()[0]["configuration"];
  const double weight = (11 + 5 * std::sqrt(5.0)) / 4 - 1, left = 1 - weight / (1 + 2 * weight);
  EXPECT_EQ(configuration["geometry"], "ball-trace");
  EXPECT_NEAR(configuration["std_second"], 2 * std::sqrt(2.0), 1e-4);
  EXPECT_NEAR(configuration["std_trace"], 2 * std::sqrt(2 / weight), 1e-4);
  EXPECT_NEAR(configuration["std_diagonal"], 2 * std::sqrt(2 * left), 1e-4);
  for (const auto& release : traced.releases()) {
    const double root = std::sqrt(release["t"].get<double>());
    EXPECT_NEAR(release["noise_std"]["second"][1][1], 2 * std::sqrt(2 * left) * root, 1e-4);
    EXPECT_NEAR(release["noise_std"]["second"][0][1], 2 * root, 1e-4);
  }
}

TEST_F(RunCommand, ReleasesAPartialLastBlockAtTheEndOfInput) {
  const CommandResult result = jme(secure + "--rows 100 --every 4", {.input = csv(10)});
  EXPECT_EQ(result.code, 0);
  std::vector<int> times;
  for (const auto& release : result.releases()) times.push_back(release["t"]);
  EXPECT_EQ(times, (std::vector<int>{4, 8, 10}));
}

TEST_F(RunCommand, TheRowPastTheHorizonEndsTheRunWithFourAndKeepsTheReleases) {
  const CommandResult whole = jme(seeded + "--rows 9 --every 4", {.input = csv(9)});
  const CommandResult past = jme(seeded + "--rows 9 --every 4", {.input = csv(10)});
  EXPECT_EQ(whole.code, 0);
  EXPECT_EQ(past.code, 4);
  EXPECT_EQ(past.out, whole.out);
  EXPECT_EQ(past.releases().back()["t"], 9);
  EXPECT_THAT(past.err, HasSubstr("jme: error: row 10"));
  // Also where it is not a proper row.
  EXPECT_EQ(jme(seeded + "--rows 9 --every 4", {.input = csv(9) + "bad,row\n"}).code, 4);
}

TEST_F(RunCommand, StepsGiveTheHorizonInReleases) {
  EXPECT_EQ(jme(seeded + "--steps 2 --every 3", {.input = csv(6)}).out,
            jme(seeded + "--rows 6 --every 3", {.input = csv(6)}).out);
}

TEST_F(RunCommand, WritesToAFileAndKeepsStandardOutputEmpty) {
  const std::string expected = jme(seeded + "--rows 3", {.input = csv(3)}).out;
  const std::string target =
      file("out.ndjson", "an older and longer text that must not survive " + std::string(5000, '.'));
  const CommandResult result = jme(seeded + "--rows 3 --output " + target, {.input = csv(3)});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(read_text(target), expected);
}

TEST_F(RunCommand, NeverWritesOverItsInput) {
  const std::string data = file("data.csv", csv(3));
  expect_refused(jme(secure + "--rows 3 " + data + " --output " + data), 2, "output");
  EXPECT_EQ(read_text(data), csv(3));
}

TEST_F(RunCommand, AFullDiskIsAnError) {
  const CommandResult standard = jme(secure + "--rows 3", {.input = csv(3), .output_file = "/dev/full"});
  EXPECT_EQ(standard.code, 1);
  EXPECT_THAT(standard.err,
              HasSubstr("jme: error: cannot write to standard output: No space left on device"));
  EXPECT_EQ(jme(secure + "--rows 3 --output /dev/full", {.input = csv(3)}).code, 1);
  EXPECT_EQ(jme("calibrate --sigma 1 --delta 1e-6", {.output_file = "/dev/full"}).code, 1);
  expect_refused(jme(secure + "--rows 3 --output " + path("no/such/directory"), {.input = csv(3)}), 1,
                 "output");
}

TEST_F(RunCommand, AClosedStandardStreamIsNotTakenForTheOutputFile) {
  // The row past the horizon causes messages while the output file is open; the input has descriptor 0, so
  // the output file would have the number of standard error.
  const std::string command = binary() + " " + secure + "--rows 1 --output " + path("out.ndjson") + " " +
                              file("data.csv", "x,y\n0.1,bad\n0.1,0.2\n") + " --on-bad-row zero";
  EXPECT_EQ(execute("/bin/sh", {"-c", command + " <&- 2>&-"}).code, 4);
  EXPECT_THAT(read_text(path("out.ndjson")), testing::StartsWith("{\"jme\""));
  EXPECT_THAT(read_text(path("out.ndjson")), Not(HasSubstr("jme: ")));
  EXPECT_EQ(execute("/bin/sh", {"-c", binary() + " calibrate --sigma 1 --delta 1e-6 >&-"}).code, 1);
}

TEST_F(RunCommand, EndsQuietlyWhenItsReaderGoesAway) {
  const CommandResult result =
      jme(secure + "--rows 20000", {.input = csv(20000), .close_output_early = true});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
}

TEST_F(RunCommand, EachReleaseIsVisibleBeforeTheNextRowComes) {
  // The reader closes after the first bytes. If the output were buffered until the end, all rows would be
  // taken first, and taking them lasts longer than any start of the program.
  const CommandResult result = jme(
      secure + "--rows 100", {.input = csv(100), .close_output_early = true, .pause_between_lines_ms = 30});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, Not(HasSubstr("\"t\":100")));
}

TEST_F(RunCommand, ShowsHelpInsteadOfWaitingForATerminal) {
  const CommandResult result = jme(secure + "--rows 3", {.terminal_input = true});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("Usage: jme run"));
}

TEST_F(RunCommand, DrawsAProgressBarOnATerminalOnlyAndWithoutColourWhereAsked) {
  const CommandOptions options{.input = csv(4),
                               .environment = {{"NO_COLOR", "1"}, {"TERM", "xterm"}},
                               .terminal_error = true,
                               .pause_between_lines_ms = 120};
  const CommandResult plain = jme(secure + "--rows 4", options);
  EXPECT_THAT(plain.err, HasSubstr("%"));
  EXPECT_THAT(plain.err, Not(HasSubstr("\x1b")));
  CommandOptions coloured = options;
  coloured.environment = {{"NO_COLOR", ""}, {"TERM", "xterm"}};
  EXPECT_THAT(jme(secure + "--rows 4", coloured).err, HasSubstr("\x1b["));
  CommandOptions piped = options;
  piped.terminal_error = false;
  EXPECT_EQ(jme(secure + "--rows 4", piped).err, "");
}

TEST_F(RunCommand, FlagsThatDoNothingAreNamed) {
  const std::string flags = "--rows 10 --dimension 2 --dry-run ";
  EXPECT_THAT(jme(secure + flags + "--separation 3").err, HasSubstr("--separation is used with"));
  EXPECT_THAT(jme(secure + flags + "--participations 20").err, HasSubstr("only 10 fit into the horizon"));
  EXPECT_EQ(jme(secure + flags + "--participations 2 --separation 3").err, "");
}

TEST_F(RunCommand, ParametersAreCheckedBeforeTheDataIsLookedAt) {
  const std::string missing = path("missing.csv");
  expect_refused(jme("run " + missing + " --epsilon 1 --delta 1 --rows 3 --norm-bound 1"), 2,
                 "delta = 1: must be in (0, 1)");
  expect_refused(jme(secure + "--rows 3 --shape round " + missing), 2, "shape = round");
  expect_refused(jme(secure + "--rows 3 --workload window:4 " + missing), 2, "window");
  expect_refused(jme(secure + "--rows 3 --emit mode " + missing), 2, "emit = mode");
  expect_refused(jme(secure + "--rows 3 --method jme --adjacency add-remove " + missing), 2, "lambda");
  expect_refused(jme(secure + "--rows 3 " + missing), 3, "missing.csv");
}

TEST_F(RunCommand, AForgottenHorizonOrBoundIsExplained) {
  expect_refused(jme(secure, {.input = csv(3)}), 2, "horizon");
  expect_refused(jme("run --epsilon 1 --delta 1e-6 --rows 3", {.input = csv(3)}), 2,
                 "never estimated from the data");
}

TEST_F(RunCommand, NamesWhatItCanEmit) {
  for (const std::string wrong : {"mode", "pca", "regression", "regression:", "mean:2", "", "pca:2:1"}) {
    expect_refused(
        jme({"run", "--sigma", "1", "--norm-bound", "1", "--rows", "3", "--emit", wrong}, {.input = csv(3)}),
        2, "emit");
  }
  expect_refused(jme(secure + "--rows 3 --emit mode", {.input = csv(3)}), 2,
                 "must be a list of first, second, mean, covariance, correlation, precision, pca:K, "
                 "regression:COLUMN, density");
  for (const std::string wrong : {"pca:0", "pca:x", "pca:-1", "pca:1.5"}) {
    expect_refused(jme(secure + "--rows 3 --emit " + wrong, {.input = csv(3)}), 2, "pca:K with K");
  }
  expect_refused(jme(secure + "--rows 3 --emit mean,mean", {.input = csv(3)}), 2, "twice");
  expect_refused(jme(secure + "--rows 3 --emit pca:1,pca:2", {.input = csv(3)}), 2, "the only pca");
  for (const std::string model : {"correlation", "precision", "pca:1", "regression:x", "density"}) {
    expect_refused(jme(secure + "--rows 3 --second diagonal --emit " + model, {.input = csv(3)}), 2,
                   "emit = " + model + ": must be used where second is full");
    expect_refused(jme(secure + "--rows 3 --workload2 prefix --emit " + model, {.input = csv(3)}), 2,
                   "one workload");
  }
  expect_refused(jme(secure + "--rows 3 --emit covariance --second none", {.input = csv(3)}), 2,
                 "left out where second is none");
  expect_refused(jme(secure + "--rows 3 --emit second --second none", {.input = csv(3)}), 2,
                 "left out where second is none");
  expect_refused(jme(secure + "--rows 3 --workload prefix --workload2 mean", {.input = csv(3)}), 2,
                 "one workload");
  expect_refused(
      jme("run --epsilon 1 --delta 1e-6 --rows 3 --bounds x=0:1,y=0:1 --emit second --workload2 prefix",
          {.input = csv(3)}),
      2, "one workload");
}

TEST_F(RunCommand, TheDimensionMustAgreeWithTheColumns) {
  expect_refused(jme(secure + "--rows 3 --dimension 3", {.input = csv(3)}), 2, "dimension = 3: must be 2");
  expect_refused(jme(secure + "--rows 3 --dimension 3 --columns x", {.input = csv(3)}), 2,
                 "dimension = 3: must be 1");
  EXPECT_EQ(jme(secure + "--rows 3 --dimension 2", {.input = csv(3)}).code, 0);
}

TEST_F(RunCommand, EveryMethodRuns) {
  for (const std::string method : {"jme", "lambda-jme", "ime", "cs", "pp", "pp-debiased"}) {
    const CommandResult result = jme(secure + "--rows 4 --method " + method, {.input = csv(4)});
    EXPECT_EQ(result.code, 0) << method << ": " << result.err;
    EXPECT_EQ(result.releases().size(), 4U);
    EXPECT_EQ(result.lines()[0]["configuration"]["method"], method);
  }
}

TEST_F(RunCommand, NeedsNoHorizonForPrefixMeanAndDecay) {
  for (const std::string workload : {"prefix", "mean", "decay:0.9"}) {
    for (const std::string method : {"jme", "lambda-jme", "ime", "cs", "pp", "pp-debiased"}) {
      const CommandResult result =
          jme(secure + "--rows unbounded --every 2 --workload " + workload + " --method " + method,
              {.input = csv(5)});
      EXPECT_EQ(result.code, 0) << workload << " " << method << ": " << result.err;
      EXPECT_EQ(result.releases().size(), 3U);
      const auto metadata = result.lines()[0];
      EXPECT_EQ(metadata["configuration"]["rows"], "unbounded");
      EXPECT_EQ(metadata["configuration"]["steps"], "unbounded");
      EXPECT_THAT(metadata["privacy"]["statement"], testing::HasSubstr("however long it becomes"));
    }
  }
  expect_refused(jme(secure + "--rows unbounded --workload window:2", {.input = csv(5)}), 2, "workload");
  expect_refused(jme(secure + "--rows unbounded --shape sqrt", {.input = csv(5)}), 2, "shape = sqrt");
  const CommandResult dry = jme(secure + "--steps unbounded --dimension 2 --dry-run");
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.out, testing::HasSubstr("without a horizon"));
}

TEST_F(RunCommand, BalancedIsLambdaJmeAtNuOne) {
  const auto configuration = jme(secure + "--rows 4 --shape identity --balance balanced", {.input = csv(4)})
                                 .lines()[0]["configuration"];
  EXPECT_EQ(configuration["method"], "lambda-jme");
  EXPECT_NEAR(configuration["lambda"], 1.0, 1e-9);
  EXPECT_NEAR(jme(secure + "--rows 4 --shape identity --lambda 0.25", {.input = csv(4)})
                  .lines()[0]["configuration"]["lambda"],
              0.25, 1e-12);
}

}  // namespace
}  // namespace jme::test
