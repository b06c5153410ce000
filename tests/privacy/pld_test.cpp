#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/privacy/gaussian.hpp>

#include "privacy/loss_pair.hpp"
#include "privacy/subsampled_50_digits.hpp"
#include "privacy/subsampled_checks.hpp"

namespace jme {
namespace {

using testing::Digits50;
using ::testing::HasSubstr;
using testing::Pair50;

TEST(PldEpsilon, HasTheFiguresOfTheDesign) {
  // docs/theory/batches.md#sampled-batches prints these digits: 50,000 people, delta 1e-6.
  EXPECT_NEAR(pld_epsilon({.sampling_rate = 256.0 / 50'000, .steps = 1960, .sigma = 1}, 1e-6), 1.427, 0.0005);
  EXPECT_NEAR(pld_epsilon({.sampling_rate = 1.0 / 50'000, .steps = 500'000, .sigma = 2}, 1e-6), 0.0249,
              0.00005);
}

TEST(PldEpsilon, OfOneStepIsTheClosedFormFromAbove) {
  for (double rate : {1e-4, 0.01, 0.9}) {
    for (double sigma : {0.3, 1.5, 30.0}) {
      for (double delta : {1e-2, 1e-5, 1e-10}) {
        SCOPED_TRACE(::testing::Message() << rate << " " << sigma << " " << delta);
        const auto largest = [&](double epsilon) {
          const Digits50 e(epsilon);
          return std::max(Pair50::remove(rate, sigma).delta(e), Pair50::add(rate, sigma).delta(e));
        };
        const double epsilon = pld_epsilon({.sampling_rate = rate, .steps = 1, .sigma = sigma}, delta);
        EXPECT_LE(largest(epsilon), Digits50(delta));
        // The grid adds up to its spacing, 1/32,000 of the window, which is at most some 20 wide.
        const double less = epsilon - 1e-3;
        if (less > 0) {
          EXPECT_GT(largest(less), Digits50(delta));
        }
        const double replaced = pld_epsilon(
            {.sampling_rate = rate, .steps = 1, .sigma = sigma, .adjacency = Adjacency::replace_one}, delta);
        EXPECT_LE(Pair50::replace(rate, sigma).delta(Digits50(replaced)), Digits50(delta));
        if (replaced > 1e-3) {
          EXPECT_GT(Pair50::replace(rate, sigma).delta(Digits50(replaced - 1e-3)), Digits50(delta));
        }
      }
    }
  }
}

TEST(PldEpsilon, WithoutSubsamplingIsTheGaussianMechanismFromAbove) {
  // The machinery without its shortcut. 1e-4 is three times what the grid is made for.
  for (double sigma : {0.6, 3.0, 40.0}) {
    for (std::uint64_t steps : {1ULL, 50ULL, 3000ULL}) {
      for (double delta : {1e-3, 1e-6, 1e-12}) {
        SCOPED_TRACE(::testing::Message() << sigma << " " << steps << " " << delta);
        const double exact = gaussian_epsilon(sigma / std::sqrt(static_cast<double>(steps)), delta);
        for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
          const double epsilon = privacy::composed_epsilon(
              {.sampling_rate = 1, .steps = steps, .sigma = sigma, .adjacency = adjacency}, delta);
          EXPECT_GE(epsilon, exact * (1 - 1e-12));  // the exact one is itself rounded up
          EXPECT_LE(epsilon, exact * (1 + 1e-4));
          EXPECT_NEAR(
              pld_epsilon({.sampling_rate = 1, .steps = steps, .sigma = sigma, .adjacency = adjacency},
                          delta),
              exact, 1e-9 * exact);
        }
      }
    }
  }
}

TEST(PldEpsilon, ComposesAMillionSteps) {
  const double exact = gaussian_epsilon(20.0 / 1000, 1e-6);
  const double epsilon =
      privacy::composed_epsilon({.sampling_rate = 1, .steps = 1'000'000, .sigma = 20}, 1e-6);
  EXPECT_GE(epsilon, exact * (1 - 1e-12));
  EXPECT_LE(epsilon, exact * (1 + 1e-4));
}

/// delta of two steps by conditioning on the first: E_P delta_1(epsilon - loss), all in plain doubles.
double two_step_delta(privacy::Direction direction, double rate, double sigma, double epsilon) {
  const privacy::LossPair pair({.sampling_rate = rate, .steps = 1, .sigma = sigma}, direction);
  const auto above = [](double x) { return std::erfc(x / std::numbers::sqrt2) / 2; };
  const double p = direction == privacy::Direction::add ? 0 : rate;
  const double q = direction == privacy::Direction::remove ? 0 : rate;
  const auto one_step = [&](double e) {
    const double x = pair.position(e);
    return (1 - p) * above(x) + p * above(x - pair.shift()) -
           std::exp(e) * ((1 - q) * above(x) + q * above(x + pair.shift()));
  };
  double sum = 0;
  for (double x = -14; x < 18; x += 1.0 / 64) sum += pair.density(x) * one_step(epsilon - pair.loss(x));
  return sum / 64;
}

TEST(PldDelta, OfTwoStepsIsTheDoubleIntegralFromAbove) {
  // The integrand is smooth but not analytic where the second step's loss meets its least value: halving the
  // step from 1/2 to 1/8 divides the error by 15 each time, from which 1/64 has 1e-8. The grid adds up to
  // 1e-3.
  const auto expect_just_above = [](double bound, double truth) {
    EXPECT_GE(bound, truth * (1 - 1e-7));
    EXPECT_LE(bound, truth * (1 + 1e-3));
  };
  using privacy::Direction;
  for (double epsilon : {0.05, 0.6}) {
    expect_just_above(pld_delta({.sampling_rate = 0.2, .steps = 2, .sigma = 1.1}, epsilon),
                      std::max(two_step_delta(Direction::remove, 0.2, 1.1, epsilon),
                               two_step_delta(Direction::add, 0.2, 1.1, epsilon)));
    expect_just_above(
        pld_delta({.sampling_rate = 0.2, .steps = 2, .sigma = 0.6, .adjacency = Adjacency::replace_one},
                  epsilon),
        two_step_delta(Direction::replace, 0.2, 0.6, epsilon));
  }
}

/// Mean of (1 - e^(epsilon - S))_+ over `runs` sums S of losses drawn from the definition.
struct Sampled {
  double mean, variance;
};
Sampled sample_delta(double rate, double sigma, int steps, double epsilon, int runs, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::bernoulli_distribution in_batch(rate);
  double sum = 0, squares = 0;
  for (int run = 0; run < runs; ++run) {
    double loss = 0;
    for (int t = 0; t < steps; ++t) {
      const double x = normal(engine) * sigma + (in_batch(engine) ? 1 : 0);
      loss += std::log1p(rate * std::expm1((2 * x - 1) / (2 * sigma * sigma)));
    }
    const double value = loss > epsilon ? -std::expm1(epsilon - loss) : 0;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / runs;
  return {mean, squares / runs - mean * mean};
}

TEST(PldDelta, AgreesWithAMonteCarloOfItsDefinitionAndTheTestHasPower) {
  constexpr double rate = 0.05, sigma = 0.9, epsilon = 1;
  constexpr int steps = 64, runs = 100'000;
  const Sampled seen = sample_delta(rate, sigma, steps, epsilon, runs, 7);
  // Maurer & Pontil 2009, Theorem 4, for values in [0, 1], false alarm 1e-9 on each side.
  const double log_term = std::log(2e9);
  const double slack = std::sqrt(2 * seen.variance * log_term / runs) + 7 * log_term / (3 * (runs - 1));
  const SubsampledGaussian mechanism{.sampling_rate = rate, .steps = steps, .sigma = sigma};
  EXPECT_NEAR(pld_delta(mechanism, epsilon), seen.mean, slack);
  // Noise that is 10% larger than it was would be noticed.
  EXPECT_LT(pld_delta({.sampling_rate = rate, .steps = steps, .sigma = 1.1 * sigma}, epsilon),
            seen.mean - slack);
}

TEST(PldDelta, ReadsTheSameCurveAsEpsilon) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const SubsampledGaussian mechanism{
        .sampling_rate = 0.01, .steps = 2000, .sigma = 0.8, .adjacency = adjacency};
    for (double delta : {1e-2, 1e-5, 1e-9}) {
      const double epsilon = pld_epsilon(mechanism, delta);
      // Two grids, each within 1e-4 of epsilon, which at this slope is within 1e-2 of delta.
      EXPECT_NEAR(pld_delta(mechanism, epsilon), delta, 1e-2 * delta);
    }
  }
}

TEST(PldEpsilon, IsZeroWhereDeltaAloneSuffices) {
  // A row is in the only batch with probability 1e-4.
  EXPECT_EQ(pld_epsilon({.sampling_rate = 1e-4, .steps = 1, .sigma = 1}, 1e-3), 0);
  EXPECT_LE(pld_delta({.sampling_rate = 1e-4, .steps = 1, .sigma = 1}, 0), 1e-4);
  EXPECT_GT(pld_delta({.sampling_rate = 1e-4, .steps = 1, .sigma = 1}, 0), 0);
}

TEST(PldEpsilon, NeverExceedsRenyiAndMovesTheRightWay) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const SubsampledGaussian base{.sampling_rate = 0.02, .steps = 500, .sigma = 1, .adjacency = adjacency};
    const double epsilon = pld_epsilon(base, 1e-5);
    EXPECT_LT(epsilon, rdp_epsilon(base, 1e-5).epsilon);
    SubsampledGaussian other = base;
    other.sigma = 1.1;
    EXPECT_LT(pld_epsilon(other, 1e-5), epsilon);
    other = base;
    other.steps = 600;
    EXPECT_GT(pld_epsilon(other, 1e-5), epsilon);
    other = base;
    other.sampling_rate = 0.025;
    EXPECT_GT(pld_epsilon(other, 1e-5), epsilon);
    EXPECT_GT(pld_epsilon(base, 1e-6), epsilon);
  }
}

TEST(PldEpsilon, IsNoLooserThanRenyiAtTheEndsOfItsRange) {
  const SubsampledGaussian rare{.sampling_rate = 1e-16, .steps = std::uint64_t{1} << 40, .sigma = 0.3};
  EXPECT_LE(pld_epsilon(rare, 1e-8), rdp_epsilon(rare, 1e-8).epsilon);
}

TEST(PldEpsilon, StaysFiniteAndNeverNanAtTheEndsOfItsRange) {
  for (double rate : {1e-12, 0.5, 1 - 1e-12}) {
    for (double sigma : {0.05, 1e9}) {
      for (double delta : {1e-250, 0.9}) {
        SCOPED_TRACE(::testing::Message() << rate << " " << sigma << " " << delta);
        const SubsampledGaussian mechanism{.sampling_rate = rate, .steps = 10, .sigma = sigma};
        const double epsilon = pld_epsilon(mechanism, delta);
        EXPECT_GE(epsilon, 0);
        EXPECT_LT(epsilon, std::numeric_limits<double>::infinity());
        // Less than the same steps cost without sampling.
        EXPECT_LE(epsilon, gaussian_epsilon(sigma / std::sqrt(10.0), delta) * (1 + 1e-3) + 1e-9);
      }
    }
  }
}

TEST(ReplacePair, IsTheWorstOfAllPairsOfRowsInThePlane) {
  // Contributions g, h of length at most 1/2 (sensitivity 1), noise sigma: hockey-stick divergence of
  // (1-q) N(0) + q N(g) and (1-q) N(0) + q N(h) by a sum over a plane grid, smooth enough for 1e-6.
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> angle(0, 6.28), length(0, 0.5);
  constexpr double rate = 0.3, sigma = 0.4;
  for (double epsilon : {0.0, 0.4, 1.2}) {
    const double worst = static_cast<double>(Pair50::replace(rate, sigma).delta(Digits50(epsilon)));
    for (int trial = 0; trial < 12; ++trial) {
      const double a = angle(engine), r = trial < 6 ? 0.5 : length(engine),
                   s = trial < 6 ? 0.5 : length(engine);
      const double gx = r, hx = s * std::cos(a), hy = s * std::sin(a);
      double delta = 0;
      constexpr double step = 0.02;
      for (double x = -3; x < 3; x += step) {
        for (double y = -3; y < 3; y += step) {
          const auto normal = [&](double mx, double my) {
            return std::exp(-((x - mx) * (x - mx) + (y - my) * (y - my)) / (2 * sigma * sigma));
          };
          const double p = (1 - rate) * normal(0, 0) + rate * normal(gx, 0);
          const double q = (1 - rate) * normal(0, 0) + rate * normal(hx, hy);
          delta += std::max(0.0, p - std::exp(epsilon) * q);
        }
      }
      delta *= step * step / (2 * std::acos(-1.0) * sigma * sigma);
      EXPECT_LE(delta, worst * (1 + 1e-3) + 1e-9) << epsilon << " " << a << " " << r << " " << s;
    }
  }
}

TEST(SubsampledNoiseMultiplier, IsEnoughAndLeast) {
  for (Adjacency adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    SubsampledGaussian mechanism{.sampling_rate = 0.01, .steps = 1000, .sigma = 0, .adjacency = adjacency};
    for (double epsilon : {0.3, 3.0}) {
      mechanism.sigma = subsampled_noise_multiplier(mechanism, {.epsilon = epsilon, .delta = 1e-5});
      EXPECT_LE(pld_epsilon(mechanism, 1e-5), epsilon);
      mechanism.sigma *= 1 - 1e-4;  // the grid's own steps are 3e-5 of epsilon
      EXPECT_GT(pld_epsilon(mechanism, 1e-5), epsilon);
    }
  }
  const double unsampled =
      subsampled_noise_multiplier({.sampling_rate = 1, .steps = 100}, {.epsilon = 1, .delta = 1e-6});
  EXPECT_NEAR(unsampled, 10 * noise_multiplier({.epsilon = 1, .delta = 1e-6}), 1e-9);
}

TEST(Subsampled, RefusesParametersOutsideTheirRangeByName) {
  const auto complaint = [](const SubsampledGaussian& mechanism) -> std::string {
    try {
      (void)pld_epsilon(mechanism, 1e-5);
    } catch (const InvalidParameter& error) {
      return error.what();
    }
    return "accepted";
  };
  for (double rate : {0.0, -0.1, 1.5, std::nan("")})
    EXPECT_THAT(complaint({.sampling_rate = rate}), HasSubstr("sampling-rate = "));
  EXPECT_THAT(complaint({.sampling_rate = 0.1, .steps = 0}), HasSubstr("steps = 0"));
  for (double sigma : {0.0, -1.0, 0.01, 1e10, std::nan("")})
    EXPECT_THAT(complaint({.sampling_rate = 0.1, .sigma = sigma}), HasSubstr("sigma = "));
  EXPECT_THROW((void)pld_delta({.sampling_rate = 0.1}, -1), InvalidParameter);
  EXPECT_THROW((void)pld_delta({.sampling_rate = 0.1}, std::nan("")), InvalidParameter);
  EXPECT_THROW((void)renyi_divergence({.sampling_rate = 0.1}, 1), InvalidParameter);
}

}  // namespace
}  // namespace jme
