#include <cmath>

#include <gtest/gtest.h>

#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/subsampled.hpp>

#include "privacy/subsampled_50_digits.hpp"

namespace jme {
namespace {

using testing::Digits50;
using testing::Pair50;

/// Whole orders have a sum (Mironov, Talwar & Zhang 2019, section 3.3), here at 50 digits.
Digits50 binomial_divergence(double rate, double sigma, int order) {
  const Digits50 q(rate), s(sigma);
  Digits50 moment = 0, binomial = 1;
  for (int k = 0; k <= order; ++k) {
    moment +=
        binomial * pow(Digits50(1 - q), order - k) * pow(q, k) * exp(Digits50(k * (k - 1)) / (2 * s * s));
    binomial = binomial * (order - k) / (k + 1);
  }
  return log(moment) / (order - 1);
}

/// The divergence never falls short of the truth and exceeds it by less than 1e-10 of itself.
void expect_just_above(double divergence, const Digits50& truth, double room = 1e-10) {
  EXPECT_GE(Digits50(divergence), truth);
  EXPECT_LE(Digits50(divergence), truth * (1 + room));
}

TEST(RenyiDivergence, OfWholeOrdersIsTheBinomialSum) {
  for (double rate : {1e-9, 1e-4, 0.02, 0.6}) {
    for (double sigma : {0.4, 1.0, 7.0}) {
      for (int order : {2, 3, 17, 100}) {
        SCOPED_TRACE(::testing::Message() << rate << " " << sigma << " " << order);
        const SubsampledGaussian mechanism{.sampling_rate = rate, .steps = 1, .sigma = sigma};
        expect_just_above(renyi_divergence(mechanism, order), binomial_divergence(rate, sigma, order));
      }
    }
  }
}

TEST(RenyiDivergence, OfAnyOrderIsTheIntegralOfItsDefinition) {
  for (double order : {1.01, 1.7, 4.3, 12.9}) {
    SCOPED_TRACE(order);
    const SubsampledGaussian removed{.sampling_rate = 0.1, .steps = 1, .sigma = 1.2};
    const int last = static_cast<int>(order) + 20;
    expect_just_above(renyi_divergence(removed, order),
                      log(Pair50::remove(0.1, 1.2).moment(Digits50(order), last)) / (Digits50(order) - 1));
    const SubsampledGaussian replaced{
        .sampling_rate = 0.1, .steps = 1, .sigma = 0.7, .adjacency = Adjacency::replace_one};
    expect_just_above(renyi_divergence(replaced, order),
                      log(Pair50::replace(0.1, 0.7).moment(Digits50(order), last)) / (Digits50(order) - 1));
  }
}

TEST(RenyiDivergence, OfReplacedRowsCountsTheReferencesFarSide) {
  // At sigma 0.05 half of the reference lies 10 deviations below 0.
  const SubsampledGaussian replaced{
      .sampling_rate = 0.5, .steps = 1, .sigma = 0.05, .adjacency = Adjacency::replace_one};
  // Every one of some 5,000 points of the sum may err by 64 units, so the allowance is above 1e-10 here.
  for (const double order : {1.00193046, 1.3}) {
    expect_just_above(renyi_divergence(replaced, order),
                      log(Pair50::replace(0.5, 0.05).moment(Digits50(order), 40)) / (Digits50(order) - 1),
                      1e-9);
  }
}

TEST(RenyiDivergence, OfAnAddedRowIsNeverTheLargerOne) {
  // Mironov, Talwar & Zhang 2019, Theorem 5, which renyi_divergence relies on.
  for (double order : {1.1, 2.5, 9.0}) {
    for (double rate : {0.01, 0.3, 0.8}) {
      for (double sigma : {0.6, 2.0}) {
        EXPECT_GE(Pair50::remove(rate, sigma).moment(Digits50(order), 36, 4),
                  Pair50::add(rate, sigma).moment(Digits50(order), 36, 4));
      }
    }
  }
}

TEST(RenyiDivergence, WithoutSubsamplingIsTheGaussianOneAndAddsOverSteps) {
  EXPECT_NEAR(renyi_divergence({.sampling_rate = 1, .steps = 7, .sigma = 2}, 5), 7 * 5 / 8.0, 1e-12);
  // Nearly everybody sampled: nearly the same.
  EXPECT_NEAR(renyi_divergence({.sampling_rate = 1 - 1e-9, .steps = 7, .sigma = 2}, 5), 7 * 5 / 8.0, 1e-6);
  const double one = renyi_divergence({.sampling_rate = 0.1, .steps = 1, .sigma = 2}, 5);
  EXPECT_NEAR(renyi_divergence({.sampling_rate = 0.1, .steps = 1000, .sigma = 2}, 5), 1000 * one, 1e-10);
}

TEST(RdpEpsilon, HasTheFiguresOfTheDesign) {
  // docs/theory/batches.md#sampled-batches: 1.746 for the usual list of orders, 0.1015 over all orders; over
  // all orders neither can be larger.
  const RenyiBound batches = rdp_epsilon({.sampling_rate = 256.0 / 50'000, .steps = 1960, .sigma = 1}, 1e-6);
  EXPECT_LE(batches.epsilon, 1.746);
  EXPECT_GE(batches.epsilon, 1.745);
  const RenyiBound single = rdp_epsilon({.sampling_rate = 1.0 / 50'000, .steps = 500'000, .sigma = 2}, 1e-6);
  EXPECT_LE(single.epsilon, 0.1015);
  EXPECT_GE(single.epsilon, 0.1005);
  EXPECT_NEAR(single.order, 86, 1);
}

TEST(RdpEpsilon, IsTheLeastOverAGridOfOrders) {
  const SubsampledGaussian mechanism{.sampling_rate = 0.01, .steps = 3000, .sigma = 1.3};
  const RenyiBound best = rdp_epsilon(mechanism, 1e-6);
  for (double order = 1.05; order < 200; order *= 1.02) {
    const double epsilon = renyi_divergence(mechanism, order) + std::log1p(-1 / order) -
                           (std::log(1e-6) + std::log(order)) / (order - 1);
    EXPECT_LE(best.epsilon, epsilon * (1 + 1e-9)) << order;
  }
}

TEST(RdpEpsilon, BoundsTheGaussianMechanismFromAbove) {
  for (double sigma : {0.5, 2.0, 30.0}) {
    for (double delta : {1e-9, 1e-3}) {
      const double exact = gaussian_epsilon(sigma, delta);
      const double bound = rdp_epsilon({.sampling_rate = 1, .steps = 1, .sigma = sigma}, delta).epsilon;
      EXPECT_GE(bound, exact);
      EXPECT_LE(bound, 1.6 * exact);
    }
  }
}

}  // namespace
}  // namespace jme
