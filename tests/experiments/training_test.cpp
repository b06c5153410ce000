// The training item: what is wrong with the batches, the paper's tables, and our runs beside them.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

#include "experiments/paper_training.hpp"
#include "experiments/quick_figures.hpp"
#include "experiments/training_results.hpp"

namespace jme::experiments {
namespace {

TEST(Training, BatchesOf256AreNotPrivateAsPrinted) {
  const Claim& claim = claim_about(quick_figure("training"), "batches of 256");
  EXPECT_EQ(claim.verdict, Verdict::refuted);
  EXPECT_NE(claim.found.find("by 1020,"), std::string::npos) << claim.found;
  EXPECT_NE(claim.found.find("4.46/256 instead of 2.12/256"), std::string::npos) << claim.found;
  EXPECT_NE(claim.found.find("ε = 14 instead of 1.43"), std::string::npos) << claim.found;
  EXPECT_EQ(claim_about(quick_figure("training"), "ε of about").verdict, Verdict::refuted);
}

// What jme-train reproduce writes: one file, keys as its summary has them.
constexpr const char* results = R"({"runs": [
  {"dataset": "cifar10", "examples": 50000, "method": "jme-paper", "sigma": 1.0, "batch": 256.0, "seed": 1,
   "epsilon": null, "accuracy": [32, 39, 42], "paper": [32.64, 39.19, 42.28]},
  {"dataset": "cifar10", "examples": 50000, "method": "pp", "sigma": 1.0, "batch": 256.0, "seed": 1,
   "epsilon": 0.9, "accuracy": [30, 35, 40, 45], "paper": []},
  {"dataset": "cifar10", "examples": 50000, "method": "pp", "sigma": 1.0, "batch": 256.0, "seed": 2,
   "epsilon": 1.0, "accuracy": [32, 36, 44], "paper": []},
  {"dataset": "cifar10", "examples": 50000, "method": "jme", "sigma": 2.0, "batch": 1.0, "seed": 1,
   "epsilon": 0.02, "accuracy": [], "paper": []}]})";

TEST(Training, SaysHowToMakeResultsWhereThereAreNone) {
  const Figure& figure = quick_figure("training");
  ASSERT_EQ(figure.tables.size(), 2U);
  EXPECT_NE(figure.notes.back().find("jme-train reproduce"), std::string::npos);
  EXPECT_EQ(claim_about(figure, "Our runs").verdict, Verdict::open);
  EXPECT_EQ(figure.charts.size(), 2U);
}

TEST(Training, ShowsTheRunsOfAFolderBesideThePapers) {
  std::string folder = (std::filesystem::temp_directory_path() / "jme-training-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(std::filesystem::path(folder) / "results.json") << results;
  const Figure figure = training_table({.training_results = folder});
  std::filesystem::remove_all(folder);
  const Table& ours = table_called(figure, "training-ours");
  ASSERT_EQ(ours.rows.size(), 2U) << "a run without a whole epoch has nothing to show";
  EXPECT_EQ(ours.rows[0][0], "cifar10 (50,000 examples), batch 256, σ = 1");
  EXPECT_EQ(cell(ours, {ours.rows[0][0], "JME as printed"}, "ε"), "none");
  EXPECT_EQ(cell(ours, {ours.rows[0][0], "JME as printed"}, "epoch 3"), "42.00");
  EXPECT_EQ(cell(ours, {ours.rows[0][0], "PP"}, "epoch 3"), "42.00 ± 2.83");
  EXPECT_EQ(cell(ours, {ours.rows[0][0], "PP"}, "epoch 5"), "–");
  EXPECT_EQ(cell(ours, {ours.rows[0][0], "PP"}, "ε"), "1");
  // JME as printed is where the paper's is; PP is at 42 where the paper has 35.02, and runs deviate by 0.76.
  const Claim& claim = claim_about(figure, "Our runs");
  EXPECT_EQ(claim.verdict, Verdict::partly) << claim.found;
  EXPECT_NE(claim.found.find("1 of 2"), std::string::npos) << claim.found;
  const Chart& chart = chart_called(figure, "training-medium");
  EXPECT_EQ(series_called(chart, "PP").y, (std::vector<double>{31, 35.5, 42}));
  EXPECT_EQ(series_called(chart, "PP, paper").y.back(), 43.07);
}

TEST(Training, RunsOfTheSameMethodAreAveragedOverTheirCommonEpochs) {
  const auto groups = training_groups(training_runs(results));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_FALSE(groups[0].epsilon) << "a run that states none leaves the group without one";
  EXPECT_EQ(groups[1].accuracy.size(), 3U);
  EXPECT_DOUBLE_EQ(*groups[1].epsilon, 1.0);
  EXPECT_FALSE(groups[0].accuracy[0].deviation);
}

TEST(Training, RefusesOtherFiles) {
  for (const char* broken : {"", "{}", R"({"runs": 3})", R"({"runs": [{"method": "jme"}]})"})
    EXPECT_THROW(static_cast<void>(training_runs(broken)), DataError) << broken;
}

// Welch's test. Means 1 apart, deviations 1, 3 runs each: t = 1 / sqrt(2/3) = 1.22474 with 4 degrees of
// freedom, two-sided 0.28786 (closed form of Student's law for 4: 1 - u (3 - u^2) / 2, u = t / sqrt(4 +
// t^2)).
TEST(Training, ChanceOfADifferenceIsWelchs) {
  const Accuracy a{.mean = 1, .deviation = 1, .runs = 3}, b{.mean = 2, .deviation = 1, .runs = 3};
  EXPECT_NEAR(chance_of_difference(a, b), 0.287864, 1e-6);
  EXPECT_DOUBLE_EQ(chance_of_difference(a, b), chance_of_difference(b, a));
}

TEST(Training, ThePapersOwnRunsCannotTellJmeFromDebiasedPp) {
  const Figure& figure = quick_figure("training");
  EXPECT_EQ(claim_about(figure, "Medium privacy").verdict, Verdict::partly);
  EXPECT_EQ(claim_about(figure, "High privacy").verdict, Verdict::partly);
}

}  // namespace
}  // namespace jme::experiments
