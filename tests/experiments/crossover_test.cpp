// The crossovers of docs/theory/errors.md#known-figures, as the page shows them: to the three digits that are
// printed.
#include <gtest/gtest.h>

#include "experiments/quick_figures.hpp"
#include "experiments/sigma_curve.hpp"

namespace jme::experiments {
namespace {

TEST(SlowCrossovers, OfPrefixSumsAreThoseOfTheory) {
  const Table& table = table_called(quick_figure("prefix"), "prefix-crossovers");
  EXPECT_EQ(cell(table, {"d = 1000", "identity"}, "JME, d² draws"), "0.706");
  EXPECT_EQ(cell(table, {"d = 1000", "identity"}, "JME symmetric"), "0.499");
  EXPECT_EQ(cell(table, {"d = 1", "identity"}, "JME, d² draws"), "nowhere");
  EXPECT_EQ(cell(table, {"d = 1", "sqrt"}, "JME, d² draws"), "nowhere");
}

TEST(SlowCrossovers, OfDecayAndWindowAreThoseOfTheory) {
  const Table& table = table_called(quick_figure("decay-window"), "decay-window-crossovers");
  for (const char* subject : {"decay 0.9", "window 10"}) {
    EXPECT_EQ(cell(table, {subject, "identity"}, "JME, d² draws"), "0.700");
    EXPECT_EQ(cell(table, {subject, "identity"}, "JME symmetric"), "0.495");
  }
  EXPECT_EQ(cell(table, {"decay 0.9", "sqrt"}, "JME, d² draws"), "0.223");
}

TEST(SlowCrossovers, OfAdamIsOneHalf) {
  const Table& table = table_called(quick_figure("adam"), "adam-crossovers");
  EXPECT_EQ(cell(table, {"Adam", "identity"}, "JME, d² draws"), "0.500");
}

TEST(SlowCrossovers, OfTheCovarianceAreThoseOfTheory) {
  const Table& table = table_called(quick_figure("covariance"), "covariance-crossovers");
  EXPECT_EQ(cell(table, {"100"}, "JME biased, d² draws"), "0.942");
  EXPECT_EQ(cell(table, {"100"}, "JME symmetric"), "0.669");
  // 0.452 is for streams of vectors: Crossover.OfTheCovarianceOfScalarsAndOfVectors.
  EXPECT_EQ(cell(table, {"1"}, "JME, d² draws"), "0.454");
  EXPECT_NE(quick_figure("covariance").notes.back().find("would be 0.452"), std::string::npos);
}

// A curve is c2 s^2 + c4 s^4 exactly: theory evaluated at other sigmas must lie on it, up to the
// lattice's slack of 3.4e-7 d in the noise of JME, which the curve leaves out.
TEST(SigmaCurve, IsWhatTheorySaysAtEverySigma) {
  for (const Method method : {Method::jme, Method::pp, Method::pp_debiased}) {
    for (const Shape& shape : {Shape::identity(), Shape::square_root(), Shape::scaled_blt(2)}) {
      StreamConfig config{.budget = {},
                          .rows = 50,
                          .dimension = 10,
                          .norm_bound = 1.5,
                          .workload = mean(),
                          .method = method,
                          .shape = shape};
      const SecondErrorCurves curves = second_error_curves(config);
      const double slack = method == Method::jme ? 2 * 3.5e-7 * 10 : 1e-10;
      for (const double sigma : {0.02, 0.3, 1.0, 7.0, 50.0}) {
        config.budget.sigma = sigma;
        const Interval direct = expected_error(Mechanism(config)).second;
        EXPECT_NEAR(curves.attained.squared_error(sigma) / direct.low, 1, slack) << sigma;
        EXPECT_NEAR(curves.proven.squared_error(sigma) / direct.high, 1, slack) << sigma;
      }
    }
  }
}

TEST(SigmaCurve, CrossesWhereBothAreEqualOrNowhere) {
  const SigmaCurve jme{.square = 8, .fourth = 0}, pp{.square = 2, .fourth = 24};
  const auto sigma = crossover(jme, pp);
  ASSERT_TRUE(sigma);
  EXPECT_DOUBLE_EQ(*sigma, 0.5);
  EXPECT_DOUBLE_EQ(jme.error(*sigma), pp.error(*sigma));
  EXPECT_FALSE(crossover(jme, {.square = 9, .fourth = 1}));
  EXPECT_FALSE(crossover(jme, {.square = 7, .fourth = 0}));
}

}  // namespace
}  // namespace jme::experiments
