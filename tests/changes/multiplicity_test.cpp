#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/changes/multiplicity.hpp>

namespace jme {
namespace {

// Values of the normal law to 20 digits (mpmath).
TEST(Multiplicity, QuantilesAreThoseOfTheNormalLaw) {
  EXPECT_NEAR(upper_quantile(0.025), 1.9599639845400542355, 1e-14);
  EXPECT_NEAR(upper_quantile(1e-9), 5.9978070150076868715, 1e-13);
  EXPECT_NEAR(two_sided_p(1.9599639845400542355), 0.05, 1e-16);
  EXPECT_NEAR(two_sided_p(-6), 1.9731752900753380955e-9, 1e-22);
  EXPECT_THROW(static_cast<void>(upper_quantile(0)), InvalidParameter);
  EXPECT_THROW(static_cast<void>(upper_quantile(1)), InvalidParameter);
}

TEST(Multiplicity, BonferroniDividesTheLevel) {
  EXPECT_DOUBLE_EQ(bonferroni_factor(1), upper_quantile(0.025));
  EXPECT_DOUBLE_EQ(bonferroni_factor(780), upper_quantile(0.025 / 780));
  EXPECT_DOUBLE_EQ(bonferroni_factor(0), bonferroni_factor(1));
}

// Holm's rule by hand: 4 x .01, max(that, 3 x .013), max(that, 2 x .02), max(that, .5).
TEST(Multiplicity, HolmStepsDownFromTheSmallest) {
  const std::vector<double> p{0.02, 0.5, 0.01, 0.013};
  const std::vector<double> adjusted = holm_adjusted(p);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.5);
}

TEST(Multiplicity, HolmCountsNoTestsThatAreUnknownAndStaysBelowOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> adjusted = holm_adjusted(std::vector<double>{nan, 0.03, 0.9});
  EXPECT_TRUE(std::isnan(adjusted[0]));
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.9);
  EXPECT_THAT(holm_adjusted(std::vector<double>{0.9, 0.8}), testing::Each(testing::Le(1.0)));
}

}  // namespace
}  // namespace jme
