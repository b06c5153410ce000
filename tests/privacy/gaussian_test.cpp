#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/privacy/gaussian.hpp>

#include "privacy/gaussian_50_digits.hpp"

namespace jme {
namespace {

using testing::Digits50;
using testing::gaussian_delta_50;
using ::testing::HasSubstr;

/// sigma is enough noise, and `slack` less of it is not: both at 50 digits, without any solver.
void expect_least_noise(double epsilon, double delta, double slack) {
  SCOPED_TRACE(::testing::Message() << "epsilon " << epsilon << ", delta " << delta);
  const double sigma = noise_multiplier({.epsilon = epsilon, .delta = delta});
  EXPECT_LE(gaussian_delta_50(sigma, epsilon), Digits50(delta));
  EXPECT_GT(gaussian_delta_50(sigma * (1 - slack), epsilon), Digits50(delta));
}

TEST(NoiseMultiplier, IsEnoughAndLeastToTenDigitsOverTheWorkingRange) {
  for (double epsilon : {1e-3, 3e-3, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 8.0, 13.7, 25.0, 50.0}) {
    for (double delta : {1e-15, 1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.01, 0.1}) {
      expect_least_noise(epsilon, delta, 1e-10);
    }
  }
}

TEST(NoiseMultiplier, IsEnoughAndLeastFarOutsideIt) {
  // Ill-conditioned only towards delta = 1, where sigma moves 1/(mu phi) ~ 1e2 times as much as delta.
  for (double epsilon : {1e-6, 1e-4, 1.0, 100.0, 1e3}) {
    for (double delta : {1e-300, 1e-100, 1e-30, 0.3, 0.5, 0.9, 0.999})
      expect_least_noise(epsilon, delta, 1e-9);
  }
}

TEST(NoiseMultiplier, IsEnoughAtRandomBudgets) {
  // A grid of round numbers can miss a branch: 2,000 budgets spread evenly in the logarithms, fixed seed.
  std::mt19937_64 engine(20180816);
  std::uniform_real_distribution<double> log_epsilon(std::log(1e-3), std::log(50.0));
  std::uniform_real_distribution<double> log_delta(std::log(1e-15), std::log(0.1));
  for (int i = 0; i < 2000; ++i) {
    expect_least_noise(std::exp(log_epsilon(engine)), std::exp(log_delta(engine)), 1e-10);
  }
}

TEST(NoiseMultiplier, HasTheFiguresOfTheDesign) {
  // docs/theory/calibration.md#gaussian-mechanism prints this many digits.
  EXPECT_NEAR(noise_multiplier({.epsilon = 8, .delta = 1e-3}), 0.48001, 0.5e-5);
  EXPECT_NEAR(noise_multiplier({.epsilon = 0.1, .delta = 1e-9}), 50.2098, 0.5e-4);
}

TEST(NoiseMultiplier, FallsAsTheBudgetGrows) {
  const double base = noise_multiplier({.epsilon = 1, .delta = 1e-6});
  EXPECT_LT(noise_multiplier({.epsilon = 1.001, .delta = 1e-6}), base);
  EXPECT_LT(noise_multiplier({.epsilon = 1, .delta = 1.001e-6}), base);
}

TEST(NoiseMultiplier, IsBelowTheClassicalBound) {
  // sqrt(2 log(1.25/delta))/epsilon suffices for epsilon <= 1 (Dwork & Roth 2014, Theorem A.1).
  for (double epsilon : {0.1, 0.5, 1.0}) {
    EXPECT_LT(noise_multiplier({.epsilon = epsilon, .delta = 1e-6}),
              std::sqrt(2 * std::log(1.25e6)) / epsilon);
  }
}

TEST(GaussianDelta, BoundsTheTruthFromAboveClosely) {
  for (double sigma : {0.05, 0.3, 0.99, 1.0, 1.01, 4.2, 50.0, 1e4}) {
    for (double epsilon : {0.0, 1e-6, 0.01, 0.5, 3.0, 40.0, 400.0}) {
      const Digits50 truth = gaussian_delta_50(sigma, epsilon);
      const double bound = gaussian_delta(sigma, epsilon);
      EXPECT_GE(Digits50(bound), truth) << sigma << " " << epsilon;
      // The margin of log_delta_upper: 300 units plus 2 |x| (centre + mu) + ..., below 1e-11 while delta >
      // 1e-300.
      if (truth < 1e-300) continue;
      EXPECT_LE(Digits50(bound), truth * (1 + 1e-11)) << sigma << " " << epsilon;
    }
  }
}

TEST(GaussianDelta, AtEpsilonZeroIsTheTotalVariationDistance) {
  // erf(mu / (2 sqrt 2)), well-conditioned; a relative 1e-12 is 5,000 units, the margin takes 600.
  for (double sigma : {0.2, 1.0, 7.0, 1e5}) {
    const double distance = std::erf(1 / (2 * std::numbers::sqrt2 * sigma));
    EXPECT_NEAR(gaussian_delta(sigma, 0), distance, 1e-12 * distance);
  }
}

TEST(GaussianDelta, IsNeverZeroAndNeverAboveOne) {
  EXPECT_GT(gaussian_delta(1e9, 1), 0);
  EXPECT_LT(gaussian_delta(1e9, 1), 1e-300);
  EXPECT_GT(gaussian_delta(1e300, 1e300), 0);
  EXPECT_EQ(gaussian_delta(1e-200, 1), 1);
  EXPECT_EQ(gaussian_delta(1e-9, 0), 1);
}

TEST(GaussianEpsilon, IsEnoughAndLeast) {
  for (double sigma : {0.02, 0.1, 0.5, 1.0, 3.0, 20.0, 1000.0}) {
    for (double delta : {1e-200, 1e-15, 1e-9, 1e-5, 1e-3, 0.1}) {
      SCOPED_TRACE(::testing::Message() << "sigma " << sigma << ", delta " << delta);
      const double epsilon = gaussian_epsilon(sigma, delta);
      EXPECT_LE(gaussian_delta_50(sigma, epsilon), Digits50(delta));
      if (epsilon == 0) continue;
      // Where epsilon is small beside mu, delta hardly depends on it: allow 1e-11 of delta beside 1e-10 of
      // epsilon.
      EXPECT_GT(gaussian_delta_50(sigma, epsilon * (1 - 1e-10)), Digits50(delta) * (1 - 1e-11));
    }
  }
}

TEST(GaussianEpsilon, IsZeroWhereDeltaAloneSuffices) {
  EXPECT_EQ(gaussian_epsilon(10, 0.1), 0);  // total variation erf(1/(20 sqrt 2)) = 0.0399
  EXPECT_GT(gaussian_epsilon(10, 0.039), 0);
}

TEST(GaussianEpsilon, UndoesTheCalibration) {
  for (double epsilon : {0.01, 0.3, 1.0, 4.0, 30.0}) {
    for (double delta : {1e-12, 1e-6, 1e-3}) {
      const double sigma = noise_multiplier({.epsilon = epsilon, .delta = delta});
      // Both round to their safe sides by up to 1e-12 of delta, which is at most 1e-10 of epsilon here.
      EXPECT_NEAR(gaussian_epsilon(sigma, delta), epsilon, 1e-10 * epsilon);
      EXPECT_NEAR(gaussian_delta(sigma, epsilon), delta, 1e-11 * delta);
    }
  }
}

TEST(GaussianEpsilon, StaysFiniteOrSaysInfinity) {
  EXPECT_NEAR(gaussian_epsilon(1e-6, 0.5), 0.5e12, 1e-6 * 0.5e12);  // mu^2/2 - O(mu)
  EXPECT_EQ(gaussian_epsilon(1e-200, 0.5), std::numeric_limits<double>::infinity());
}

TEST(GaussianDp, NamesTheSameMechanismInThreeWays) {
  EXPECT_DOUBLE_EQ(gdp_mu(4), 0.25);
  EXPECT_DOUBLE_EQ(zcdp_rho(4), 1.0 / 32);
  for (double sigma : {0.3, 1.0, 12.0}) {
    const double mu = gdp_mu(sigma);
    EXPECT_DOUBLE_EQ(zcdp_rho(sigma), mu * mu / 2);
    // zCDP's own conversion rho + 2 sqrt(rho log(1/delta)) (Bun & Steinke 2016) is looser than the exact one.
    EXPECT_LT(gaussian_epsilon(sigma, 1e-6), mu * mu / 2 + mu * std::sqrt(2 * std::log(1e6)));
  }
}

TEST(GaussianPrivacy, RefusesParametersOutsideTheirRange) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double sigma : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW((void)gaussian_epsilon(sigma, 0.1), InvalidParameter);
    EXPECT_THROW((void)gaussian_delta(sigma, 1), InvalidParameter);
    EXPECT_THROW((void)gdp_mu(sigma), InvalidParameter);
    EXPECT_THROW((void)zcdp_rho(sigma), InvalidParameter);
  }
  for (double epsilon : {-1.0, infinity, std::nan("")}) {
    EXPECT_THROW((void)gaussian_delta(1, epsilon), InvalidParameter);
  }
  try {
    (void)gaussian_delta(-1, 1);
  } catch (const InvalidParameter& error) {
    EXPECT_THAT(error.what(), HasSubstr("sigma = -1: must be"));
  }
}

TEST(GdpEpsilon, IsTheLeastThatDeltaAndBadEventsAllow) {
  for (const double mu : {1e-3, 0.2, 1.0, 4.0}) {
    for (const double share : {0.0, 1e-6, 1e-2}) {
      const double bad = share * 1e-5 / std::exp(6 * mu + mu * mu);  // e^epsilon bad stays below delta
      const double delta = 1e-5, epsilon = gdp_epsilon(mu, delta, bad);
      const double spent = gaussian_delta(1 / mu, epsilon) + (1 + std::exp(epsilon)) * bad;
      EXPECT_LE(spent, delta * (1 + 1e-12));
      EXPECT_GT(spent, delta * (1 - 1e-6));
    }
  }
  EXPECT_EQ(gdp_epsilon(1, 1e-6), gaussian_epsilon(1, 1e-6));
  EXPECT_TRUE(std::isinf(gdp_epsilon(1, 1e-6, 1e-6)));
}

TEST(GdpBudget, LeavesRoomForBadEvents) {
  for (const double epsilon : {1e-4, 1.0, 20.0}) {
    const double bad = 1e-7 / (1 + std::exp(epsilon));
    const double mu = gdp_budget({.epsilon = epsilon, .delta = 1e-6}, bad);
    EXPECT_LT(mu, 1 / noise_multiplier({.epsilon = epsilon, .delta = 1e-6}));
    const double spent = gaussian_delta(1 / mu, epsilon) + 1e-7;
    EXPECT_LE(spent, 1e-6 * (1 + 1e-9));
    EXPECT_GT(spent, 1e-6 * (1 - 1e-6));
  }
  EXPECT_THROW((void)gdp_budget({.epsilon = 1, .delta = 1e-6}, 1e-6), InvalidParameter);
  const auto blamed = [](double epsilon, double delta) -> std::string {
    try {
      static_cast<void>(gdp_budget({.epsilon = epsilon, .delta = delta}, 1e-30));
    } catch (const InvalidParameter& error) {
      return error.field();
    }
    return "";
  };
  EXPECT_EQ(blamed(60, 1e-6), "delta");
  EXPECT_EQ(blamed(60, 0.1), "");
  EXPECT_EQ(blamed(100, 0.1), "epsilon") << "no delta would do";
}

}  // namespace
}  // namespace jme
