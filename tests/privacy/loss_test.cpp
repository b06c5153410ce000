#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <unsupported/Eigen/FFT>

#include "privacy/composition.hpp"
#include "privacy/loss_distribution.hpp"
#include "privacy/loss_pair.hpp"
#include "privacy/subsampled_50_digits.hpp"

namespace jme::privacy {
namespace {

using testing::Digits50;
using testing::Pair50;

struct Case {
  Direction direction;
  Pair50 exact;
};

/// `add` runs mirrored in LossPair, so that its loss rises too.
Pair50 mirrored(Pair50 pair) {
  pair.p.mean = -pair.p.mean;
  pair.q.mean = -pair.q.mean;
  pair.rising = !pair.rising;
  return pair;
}

std::vector<Case> cases(double rate, double sigma) {
  return {{Direction::remove, Pair50::remove(rate, sigma)},
          {Direction::add, mirrored(Pair50::add(rate, sigma))},
          {Direction::replace, Pair50::replace(rate, sigma)}};
}

TEST(LossPair, IsWithinItsStatedErrorOfFiftyDigits) {
  for (double rate : {1e-8, 0.03, 0.999}) {
    for (double sigma : {0.2, 1.0, 50.0}) {
      for (const Case& c : cases(rate, sigma)) {
        const LossPair pair({.sampling_rate = rate, .steps = 1, .sigma = sigma}, c.direction);
        // The means in units of the noise as LossPair rounds them: what is tested is the rest.
        Pair50 exact = c.exact;
        if (exact.p.mean != 0) exact.p.mean = Digits50(pair.shift());
        if (exact.q.mean != 0) exact.q.mean = -Digits50(pair.shift());
        for (double x : {-9.0, -2.5, -0.1, 0.0, 0.7, 4.0, 11.0}) {
          SCOPED_TRACE(::testing::Message()
                       << rate << " " << sigma << " " << static_cast<int>(c.direction) << " " << x);
          const Digits50 truth = exact.loss(Digits50(x));
          EXPECT_LE(abs(Digits50(pair.loss(x)) - truth), Digits50(pair.loss_error(x)));
          EXPECT_NEAR(pair.density(x), static_cast<double>(exact.p.density(Digits50(x))),
                      1e-13 * pair.density(x));
          EXPECT_GE(Digits50(pair.tail(x)), exact.p.above(Digits50(x)));
          // Way back: the loss at the computed place is the loss asked for.
          const double loss = pair.loss(x);
          const double back = pair.position(loss);
          if (!std::isfinite(back)) continue;  // the loss was rounded to its limit
          const Digits50 there = exact.loss(Digits50(back));
          EXPECT_LE(abs(there - Digits50(loss)), Digits50(pair.position_error(loss, back)));
        }
      }
    }
  }
}

TEST(Discretise, GivesTheExactCurveAtGridPointsFromAbove) {
  constexpr double rate = 0.2, sigma = 0.8, spacing = 0.01;
  for (const Case& c : cases(rate, sigma)) {
    const LossPair pair({.sampling_rate = rate, .steps = 1, .sigma = sigma}, c.direction);
    const LossDistribution step =
        discretise(pair, {.spacing = spacing, .centre = 0, .resolution = 1e9, .last = pair.shift() + 9});
    double total = 0;
    for (const double mass : step.masses) {
      EXPECT_GE(mass, 0);
      total += mass;
    }
    EXPECT_NEAR(total, 1, 1e-12);
    for (int j : {-5, 0, 3, 40, 150}) {
      double delta = 0;
      for (std::size_t i = 0; i < step.masses.size(); ++i) {
        if (step.multiples[i] > j)
          delta -= step.masses[i] * std::expm1(spacing * static_cast<double>(j - step.multiples[i]));
      }
      const auto truth = static_cast<double>(c.exact.delta(Digits50(spacing) * j));
      EXPECT_GE(delta + step.infinite, truth * (1 - 1e-12)) << j;
      EXPECT_NEAR(delta, truth, 1e-11) << j;
    }
  }
}

// A grid that ends where there is still mass: what lies beyond counts in full.
TEST(Discretise, CountsLossesBeyondItsLastPositionAsInfinite) {
  constexpr double rate = 0.2, sigma = 0.8, spacing = 0.01;
  for (const Case& c : cases(rate, sigma)) {
    const LossPair pair({.sampling_rate = rate, .steps = 1, .sigma = sigma}, c.direction);
    const double last = pair.shift() + 1;
    const LossDistribution step =
        discretise(pair, {.spacing = spacing, .centre = 0, .resolution = 1e9, .last = last});
    double total = step.infinite;
    for (const double mass : step.masses) total += mass;
    EXPECT_GT(step.infinite, 1e-3);
    EXPECT_GE(step.infinite, pair.tail(last));
    EXPECT_NEAR(total, 1, 1e-12);
  }
}

TEST(Discretise, WithWideCellsIsNeverBelowTheCurve) {
  constexpr double rate = 0.05, sigma = 0.6, spacing = 0.01;
  for (const Case& c : cases(rate, sigma)) {
    const LossPair pair({.sampling_rate = rate, .steps = 1, .sigma = sigma}, c.direction);
    const LossDistribution step =
        discretise(pair, {.spacing = spacing, .centre = 0.1, .resolution = 3, .last = pair.shift() + 9});
    for (int j = -20; j < 400; j += 7) {
      double delta = 0;
      for (std::size_t i = 0; i < step.masses.size(); ++i) {
        if (step.multiples[i] > j)
          delta -= step.masses[i] * std::expm1(spacing * static_cast<double>(j - step.multiples[i]));
      }
      EXPECT_GE(delta + step.infinite,
                static_cast<double>(c.exact.delta(Digits50(spacing) * j)) * (1 - 1e-12))
          << j;
    }
  }
}

TEST(FftError, BoundsWhatIsSeenWithRoomToSpare) {
  std::mt19937_64 engine(3);
  std::exponential_distribution<double> masses(1);
  const std::size_t n = 1024;
  std::vector<double> x(n);
  for (double& v : x) v = masses(engine);
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> spectrum;
  fft.fwd(spectrum, x);
  long double error = 0, norm = 0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    std::complex<long double> truth = 0;
    for (std::size_t i = 0; i < n; ++i) {
      truth += static_cast<long double>(x[i]) * std::polar(1.0L, -2 * std::numbers::pi_v<long double> *
                                                                     static_cast<long double>(i * k % n) / n);
    }
    error += std::norm(truth - std::complex<long double>(spectrum[k]));
    norm += std::norm(truth);
  }
  EXPECT_LT(std::sqrt(error / norm), fft_error(n) / 4);

  // There and back at full size.
  const std::size_t large = std::size_t{1} << 18;
  x.resize(large);
  for (double& v : x) v = masses(engine);
  std::vector<double> back(large);
  fft.fwd(spectrum, x);
  fft.inv(back, spectrum, static_cast<Eigen::Index>(large));
  double change = 0, square = 0;
  for (std::size_t i = 0; i < large; ++i) {
    change += (back[i] - x[i]) * (back[i] - x[i]);
    square += x[i] * x[i];
  }
  EXPECT_LT(std::sqrt(change / square), fft_error(large) / 4);
}

}  // namespace
}  // namespace jme::privacy
