// Simulated points lie on the theoretical curves, and the comparison would notice if they did not.
#include <cmath>

#include <gtest/gtest.h>

#include "experiments/agreement.hpp"
#include "experiments/figure_json.hpp"
#include "experiments/quick_figures.hpp"
#include "experiments/sigma_curve.hpp"
#include "experiments/simulated_errors.hpp"

namespace jme::experiments {
namespace {

// A point's limit is Student's t at 4e-12; all figures have fewer than 250 points, so that one of them raises
// a false alarm with probability below 1e-9. Confirmed also means that the mean over a figure's points would
// notice noise 10% too small (Agreement).
TEST(SlowSimulatedPoints, LieOnTheCurvesOfEveryFigure) {
  for (const char* item :
       {"pareto", "prefix", "adam", "covariance", "decay-window", "low-privacy", "geometry"}) {
    const Claim& claim = claim_about(quick_figure(item), "lie on the theoretical curves");
    EXPECT_EQ(claim.verdict, Verdict::confirmed) << item << ": " << claim.found;
  }
}

// The same points, read from the chart: within 7 standard errors of the line at their place. Points of few
// runs are left to the test above, whose limit knows their number.
TEST(SlowSimulatedPoints, AreDrawnWhereTheLinesAre) {
  const Chart& chart = chart_called(quick_figure("prefix"), "prefix-d1-identity");
  for (const char* name : {"JME", "PP", "PP debiased", "JME our shape"}) {
    const Series& line = series_called(chart, name);
    const Series& points = series_called(chart, std::string(name) + ", simulated");
    ASSERT_EQ(points.x.size(), 4U);
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      std::size_t right = 1;
      while (line.x[right] < points.x[i]) ++right;
      // Lines are nearly straight in the logarithms between two of their 55 points.
      const double part =
          std::log(points.x[i] / line.x[right - 1]) / std::log(line.x[right] / line.x[right - 1]);
      const double expected = line.y[right - 1] * std::pow(line.y[right] / line.y[right - 1], part);
      EXPECT_NEAR(points.y[i], expected, 7 * points.std_error[i] + 1e-3 * expected) << name << points.x[i];
    }
  }
}

TEST(Agreement, NoticesNoiseTenPercentTooSmall) {
  StreamConfig config{.budget = {.sigma = 0.5},
                      .rows = 100,
                      .dimension = 10,
                      .norm_bound = 1,
                      .workload = prefix(),
                      .shape = Shape::identity()};
  const ExpectedError expected = expected_error(Mechanism(config));
  *config.budget.sigma *= 0.9;
  const Mechanism weak(config);
  const MomentErrors errors = simulated_errors({}, {.mechanism = weak, .runs = 300, .what = "weak"});
  Agreement agreement;
  agreement.compare(errors.second, expected.second.high);
  EXPECT_EQ(agreement.disagreements(), 1U);
  EXPECT_EQ(agreement.claim().verdict, Verdict::refuted);
}

TEST(Agreement, OfNothingIsOpen) {
  EXPECT_EQ(Agreement().claim().verdict, Verdict::open);
}

// Independent normals of deviation s: A = C = I gives n * width * s^2, a chi-square with relative deviation
// sqrt(2 / (runs n width)) = 0.0045; 7 of them.
TEST(SimulatedNoise, HasTheErrorOfItsWidth) {
  const Filter identity = Filter::identity(50);
  const Sample sample = simulated_noise({}, identity, identity, 3, 20, 100, "noise");
  EXPECT_NEAR(sample.mean / (50 * 20 * 9), 1, 7 * 0.0045);
}

TEST(MonteCarlo, DoesNotDependOnTheThreads) {
  const auto simulate = [](std::size_t run, std::span<double> out) {
    out[0] = std::sin(static_cast<double>(run));
    out[1] = std::cos(static_cast<double>(run));
  };
  const auto one = monte_carlo({.threads = 1}, 101, 2, simulate);
  const auto four = monte_carlo({.threads = 4}, 101, 2, simulate);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(one[i].mean, four[i].mean);
    EXPECT_EQ(one[i].deviation, four[i].deviation);
    EXPECT_EQ(one[i].low, four[i].low);
  }
}

TEST(MonteCarlo, PassesOnWhatARunThrows) {
  const auto fails = [](std::size_t run, std::span<double>) {
    if (run == 7) throw std::runtime_error("seven");
  };
  EXPECT_THROW(static_cast<void>(monte_carlo({.threads = 2}, 20, 1, fails)), std::runtime_error);
}

TEST(MonteCarlo, SeedsDifferByRunNameAndSeed) {
  const auto value = [](std::uint64_t seed, std::string_view what, std::size_t run) {
    return run_seed({.seed = seed}, what, run).value;
  };
  EXPECT_EQ(value(1, "a", 0), value(1, "a", 0));
  EXPECT_NE(value(1, "a", 0), value(1, "a", 1));
  EXPECT_NE(value(1, "a", 0), value(1, "b", 0));
  EXPECT_NE(value(1, "a", 0), value(2, "a", 0));
}

TEST(Sample, ChanceAtItsLimitIsTheFalseAlarm) {
  for (const std::size_t runs : {2U, 3U, 30U, 1000U}) {
    const Sample sample{.mean = 3, .deviation = 2, .runs = runs};
    for (const double alarm : {5e-12, 1e-3, 0.5})
      EXPECT_NEAR(sample.chance(3 + sample.std_error() * sample.limit(alarm)), alarm, 1e-6 * alarm);
  }
  // One degree of freedom is Cauchy's law: half of it lies within one standard error.
  EXPECT_NEAR((Sample{.mean = 0, .deviation = std::sqrt(2.0), .runs = 2}.chance(1)), 0.5, 1e-12);
}

TEST(Sample, KnowsItsErrorAndTheMiddleOfItsRuns) {
  const auto samples = monte_carlo({.threads = 1}, 101, 1, [](std::size_t run, std::span<double> out) {
    out[0] = static_cast<double>(run);
  });
  EXPECT_DOUBLE_EQ(samples[0].mean, 50);
  EXPECT_NEAR(samples[0].deviation, std::sqrt(101.0 * 102 / 12), 1e-9);  // of 0 .. 100, unbiased
  EXPECT_DOUBLE_EQ(samples[0].low, 16);
  EXPECT_DOUBLE_EQ(samples[0].high, 84);
  // 100 degrees of freedom, two-sided 5%: 1.9840 (tables of Student's t).
  EXPECT_NEAR(samples[0].limit(0.05), 1.9840, 5e-5);
}

}  // namespace
}  // namespace jme::experiments
