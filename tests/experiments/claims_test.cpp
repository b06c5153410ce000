// Verdicts come from the numbers. These are the ones that the design notes know beforehand.
#include <cmath>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/joint.hpp>

#include "experiments/moment_claims.hpp"
#include "experiments/quick_figures.hpp"
#include "experiments/release_schedule.hpp"
#include "experiments/training_results.hpp"

namespace jme::experiments {
namespace {

TEST(Claims, TheSquareRootImprovesJmeAndRuinsPp) {
  for (const char* item : {"prefix", "decay-window", "adam"}) {
    EXPECT_EQ(claim_about(quick_figure(item), "improves both methods").verdict, Verdict::refuted) << item;
  }
  const Figure &prefix = quick_figure("prefix"), &short_memory = quick_figure("decay-window");
  for (const auto& [identity, root] :
       {std::pair{&chart_called(prefix, "prefix-d1-identity"), &chart_called(prefix, "prefix-d1-sqrt")},
        {&chart_called(prefix, "prefix-d1000-identity"), &chart_called(prefix, "prefix-d1000-sqrt")},
        {&chart_called(short_memory, "decay-0.9-identity"), &chart_called(short_memory, "decay-0.9-sqrt")},
        {&chart_called(short_memory, "window-10-identity"), &chart_called(short_memory, "window-10-sqrt")}}) {
    for (std::size_t i = 0; i < figure_sigmas().size(); ++i) {
      for (const char* pp : {"PP", "PP debiased"})
        EXPECT_GT(series_called(*root, pp).y[i], series_called(*identity, pp).y[i]) << root->name;
      EXPECT_LT(series_called(*root, "JME").y[i], series_called(*identity, "JME").y[i]) << root->name;
    }
  }
}

// MATH 4: n = d = 1000, sigma = 1, as the curves of the figure have them.
TEST(Claims, TheFigureHasTheValuesOfMath4) {
  const auto at_one = [](const std::string& chart, const std::string& series) {
    const Series& line = series_called(chart_called(quick_figure("prefix"), chart), series);
    std::size_t right = 1;
    while (line.x[right] < 1) ++right;
    const double part = std::log(1 / line.x[right - 1]) / std::log(line.x[right] / line.x[right - 1]);
    return line.y[right - 1] * std::pow(line.y[right] / line.y[right - 1], part);
  };
  // Three digits; the lines' points are 12% apart and PP's bends between them by less than 1e-3.
  EXPECT_NEAR(at_one("prefix-d1000-identity", "PP debiased") / 2.83e6, 1, 3e-3);
  EXPECT_NEAR(at_one("prefix-d1000-sqrt", "PP debiased") / 1.31e7, 1, 5e-3);
  EXPECT_NEAR(at_one("prefix-d1000-identity", "JME") / 2.00e6, 1, 3e-3);
  EXPECT_NEAR(at_one("prefix-d1000-sqrt", "JME") / 2.77e5, 1, 3e-3);
  EXPECT_NEAR(at_one("prefix-d1000-identity", "JME symmetric") / 1.42e6, 1, 5e-3);
  EXPECT_NEAR(at_one("prefix-d1000-sqrt", "JME symmetric") / 1.96e5, 1, 3e-3);
}

TEST(Claims, InOneDimensionJmeBeatsPpButNotInTheCovariance) {
  EXPECT_EQ(claim_about(quick_figure("prefix"), "For d = 1 JME").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(quick_figure("covariance"), "For d = 1 JME").verdict, Verdict::refuted);
}

TEST(Claims, AreNeverWrittenDownBeforehand) {
  // A panel whose square root helps PP, and one where JME loses: the verdicts turn around.
  const auto panel = [](double jme, double pp) {
    return MomentPanel{.chart = {},
                       .jme_paper = {jme, 0},
                       .jme = {jme, 0},
                       .jme_ours = {jme, 0},
                       .our_shape = "identity",
                       .pp = {pp, 1},
                       .pp_debiased = {pp, 1},
                       .certified_gap = 0,
                       .agreement = {}};
  };
  const MomentPanel plain{panel(4, 9)};
  MomentPanel rooted{panel(2, 3)};
  rooted.pp.fourth = rooted.pp_debiased.fourth = 0.5;
  Figure figure;
  add_shape_claims(figure, {{.subject = "test", .identity = plain, .square_root = rooted}});
  EXPECT_EQ(claim_about(figure, "improves both").verdict, Verdict::confirmed);
  const MomentPanel losing = panel(1e6, 9);
  EXPECT_EQ(always_better("always", {&losing}).verdict, Verdict::refuted);
  EXPECT_EQ(always_better("always", {&plain}).verdict, Verdict::confirmed);
  EXPECT_EQ(better_above("above", losing, 0.5).verdict, Verdict::refuted);
  EXPECT_EQ(better_above("above", plain, 0.5).verdict, Verdict::confirmed);
}

// MATH 9: n = 100, d = 10, sigma = 1/2, prefix sums: ||A||^2 = n(n+1)/2 = 5050, std1 = 1 and std2^2 = 2 at
// the free point. d^2 = 100 draws, or 55.
TEST(Pareto, BeginsAtTheFreePointOfTheFormula) {
  const Figure& figure = quick_figure("pareto");
  const Series& paper = series_called(chart_called(figure, "pareto-paper"), "λ-JME");
  const Series& ours = series_called(chart_called(figure, "pareto-symmetric"), "λ-JME");
  constexpr double slack = 1e-5;  // the lattice's, 3.4e-7 d and as much again
  EXPECT_NEAR(paper.x[0], std::sqrt(10 * 5050.0), slack * paper.x[0]);
  EXPECT_NEAR(paper.y[0], std::sqrt(100 * 2 * 5050.0), slack * paper.y[0]);
  EXPECT_NEAR(ours.y[0], std::sqrt(55 * 2 * 5050.0), slack * ours.y[0]);
}

// MATH 9: at equal first-moment error JME has (1 - 1/(2 nu))^2 of IME's second-moment variance.
TEST(Pareto, LambdaJmeBeatsImeByTheFactorOfMath9) {
  const Figure& figure = quick_figure("pareto");
  const Series& jme = series_called(chart_called(figure, "pareto-paper"), "λ-JME");
  for (std::size_t i = 1; i < jme.x.size(); ++i) {
    // std1^2 = sigma^2 r(nu) = sigma^2 4 / alpha, so IME's alpha is 4 / r(nu); its std2^2 = sigma^2 2 / (1 -
    // alpha).
    const double gain = jme.x[i] * jme.x[i] / (10 * 5050) * 4;
    const double nu = inverse_joint_gain(Adjacency::replace_one, 10, gain), alpha = 4 / gain;
    const double ime = 100 * 5050 * 0.25 * 2 / (1 - alpha);
    EXPECT_NEAR(jme.y[i] * jme.y[i] / ime, std::pow(1 - 1 / (2 * nu), 2), 2e-3) << nu;
  }
  EXPECT_EQ(claim_about(figure, "than IME").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(figure, "than CS").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(figure, "as printed").verdict, Verdict::refuted);
}

// The frontier by theory itself: PP is better just below it and worse just above, and there is none in a
// dimension below d0.
TEST(ReleaseSchedule, PpIsBetterExactlyBelowTheFrontier) {
  for (const Workload& workload : {decay(0.9), mean(), prefix()}) {
    for (const ScheduleErrors& one : schedule_errors(workload, 256, 500)) {
      const double least = least_dimension(one, 500);
      const auto sigma = crossover(one.jme, one.pp_debiased);
      EXPECT_EQ(sigma.has_value(), least < 500) << workload.name() << one.every;
      if (!sigma) continue;
      for (const double factor : {0.97, 1.03}) {
        StreamConfig config{.budget = {.sigma = factor * *sigma},
                            .rows = 256,
                            .every = one.every,
                            .dimension = 500,
                            .norm_bound = 1,
                            .workload = workload};
        const double jme = expected_error(Mechanism(config)).second.high;
        config.method = Method::pp_debiased;
        const double pp = expected_error(Mechanism(config)).second.high;
        EXPECT_EQ(pp < jme, factor < 1) << workload.name() << one.every;
      }
    }
  }
}

TEST(ReleaseSchedule, BelowTheLeastDimensionJmeIsBetterAtEverySigma) {
  const ScheduleErrors many = schedule_errors(prefix(), 256, 500)[2];
  const double least = least_dimension(many, 500);
  ASSERT_GT(least, 10);
  const auto below = static_cast<std::size_t>(0.98 * least),
             above = static_cast<std::size_t>(1.02 * least) + 1;
  const ScheduleErrors few = schedule_errors(prefix(), 256, below)[2],
                       more = schedule_errors(prefix(), 256, above)[2];
  EXPECT_FALSE(crossover(few.jme, few.pp_debiased));
  EXPECT_TRUE(crossover(more.jme, more.pp_debiased));
}

TEST(ReleaseSchedule, BlocksLowerTheErrorOfJmeAndAnswerTheOpenQuestion) {
  const Figure& figure = quick_figure("schedule");
  EXPECT_EQ(claim_about(figure, "every 64 rows").verdict, Verdict::confirmed);
  EXPECT_EQ(claim_about(figure, "privacy is low").verdict, Verdict::partly);
  EXPECT_EQ(figure.charts.size(), 8U);
}

TEST(Shapes, AreNeverBelowTheCertifiedOptimum) {
  const Table& table = table_called(quick_figure("shapes"), "shapes-quality");
  for (const auto& row : table.rows) {
    for (std::size_t i = 2; i < row.size(); ++i) {
      if (row[i] != "–") {
        EXPECT_GE(std::atof(row[i].c_str()), 1) << row[0] << table.columns[i];
      }
    }
  }
  // SHAPING's table has 1.0003 and 1.0005 at n = 100 and 1000.
  EXPECT_LT(std::atof(cell(table, {"prefix"}, "scaled-blt:4").c_str()), 1.0006);
}

TEST(Training, BatchesOf256AreNotPrivateAsPrinted) {
  const Claim& claim = claim_about(quick_figure("training"), "batches of 256");
  EXPECT_EQ(claim.verdict, Verdict::refuted);
  EXPECT_NE(claim.found.find("by 1020,"), std::string::npos) << claim.found;
  EXPECT_NE(claim.found.find("4.46/256 instead of 2.12/256"), std::string::npos) << claim.found;
  EXPECT_NE(claim.found.find("ε = 14 instead of 1.43"), std::string::npos) << claim.found;
  EXPECT_EQ(claim_about(quick_figure("training"), "ε of about").verdict, Verdict::refuted);
}

TEST(Training, SaysHowToMakeResultsWhereThereAreNone) {
  const Figure& figure = quick_figure("training");
  ASSERT_EQ(figure.tables.size(), 2U);
  EXPECT_NE(figure.notes.back().find("jme-train reproduce"), std::string::npos);
}

TEST(Training, AveragesTheRunsOfAMethod) {
  const auto runs = training_runs(R"({"runs": [
      {"dataset": "cifar10", "method": "jme", "sigma": 1, "batch": 256, "epsilon": 1.43, "accuracy": [30, 35, 40, 45]},
      {"dataset": "cifar10", "method": "jme", "sigma": 1, "batch": 256, "epsilon": 1.43, "accuracy": [32, 36, 44]},
      {"dataset": "cifar10", "method": "pp", "sigma": 1, "batch": 256, "epsilon": null, "accuracy": [20]}]})");
  const auto rows = training_rows(runs);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"cifar10, batch 256, σ = 1", "jme", "1.43", "2",
                                               "31.00 ± 1.41", "42.00 ± 2.83", "42.00 ± 2.83 (epoch 3)"}));
  EXPECT_EQ(rows[1][2], "none");
  EXPECT_EQ(rows[1][5], "–");
  for (const char* broken : {"", "{}", R"({"runs": 3})", R"({"runs": [{"method": "jme"}]})"})
    EXPECT_THROW(static_cast<void>(training_runs(broken)), DataError) << broken;
}

}  // namespace
}  // namespace jme::experiments
