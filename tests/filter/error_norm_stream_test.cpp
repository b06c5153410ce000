#include "filter/error_norm_stream.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

#include "filter/inverse_modes.hpp"
#include "filter/norms.hpp"
#include "filter/samples.hpp"

namespace jme {
namespace {

using samples::LongMatrix;

constexpr std::size_t error_steps = 130;

/// Poles and zeros that interlace, as many as asked for.
Toeplitz blt(std::size_t modes) {
  std::vector<double> poles, zeros;
  for (std::size_t i = 0; i < modes; ++i) {
    poles.push_back(1 - .001 * std::pow(2.2, static_cast<double>(i)));
    zeros.push_back(1 - .0015 * std::pow(2.2, static_cast<double>(i)));
  }
  return samples::blt(poles, zeros);
}

std::vector<Filter> workloads() {
  const Toeplitz sum{.taps = {1.0}, .modes = {{1.0, 1.0}}};
  const Toeplitz decay{.taps = {1.0}, .modes = {{.9, .9}}};
  return {Filter::identity(error_steps),
          Filter::toeplitz(error_steps, sum),
          Filter::toeplitz(error_steps, sum, Schedule::inverse_row_count(3 * error_steps - 1, 3)),
          Filter::toeplitz(error_steps, decay),
          Filter::toeplitz(error_steps, decay).with_last_mode_weight(.97),
          Filter::toeplitz(error_steps, {.taps = std::vector<double>(20, .05)})};
}

std::vector<Filter> shapes() {
  std::vector<Filter> all{Filter::identity(error_steps), Filter::toeplitz(error_steps, {.taps = {2.0}}),
                          Filter::toeplitz(error_steps, {.taps = {1.5, .5, .2}}),
                          // Coefficients of its inverse end before the steps do.
                          Filter::toeplitz(error_steps, {.taps = {1.5, 1e-3}}),
                          Filter::toeplitz(error_steps, {.taps = {1.0, -.5, -.125}, .inverted = true})};
  for (std::size_t modes = 1; modes <= 7; ++modes) {
    all.push_back(Filter::toeplitz(error_steps, blt(modes)));
    all.push_back(
        Filter::column_normalised(error_steps, blt(modes), Schedule::power(2, -.8, error_steps, 3, .4)));
  }
  // Weights and poles that no BLT has: the inverse has no modes of one sign.
  const Toeplitz mixed{.taps = {2.0}, .modes = {{.3, .9}, {-.2, -.5}}};
  all.push_back(Filter::toeplitz(error_steps, mixed, Schedule::power(2, -.8, error_steps, 3, .4)));
  return all;
}

LongMatrix to_long(const Filter& filter) {
  return filter.to_dense().cast<long double>();
}

TEST(ErrorNormStream, IsTheNormsOfTheMatrixInPiecesOfAnyLength) {
  for (const Filter& c : shapes()) {
    const LongMatrix inverse = samples::inverse(to_long(c));
    for (const Filter& a : workloads()) {
      const samples::LongVector exact = (to_long(a) * inverse).rowwise().squaredNorm();
      ErrorNormStream stream(a, c);
      std::vector<double> got(error_steps);
      std::size_t done = 0;
      for (std::size_t length = 1; done < error_steps; length = 2 * length + 1) {
        const std::size_t count = std::min(length, error_steps - done);
        stream.next(std::span(got).subspan(done, count));
        done += count;
        EXPECT_EQ(stream.steps_done(), done);
      }
      for (std::size_t t = 0; t < error_steps; ++t) {
        const auto expected = static_cast<double>(exact(static_cast<Eigen::Index>(t)));
        // 130 steps of a recursion in double against 64 bits; the filter itself is stored in double.
        ASSERT_NEAR(got[t], expected, 1e-11 * std::max(expected, 1e-3)) << t;
      }
      const ErrorNormTotals totals = error_norm_totals(a, c, 90);
      EXPECT_NEAR(totals.sum, static_cast<double>(exact.head(90).sum()), 1e-10 * totals.sum);
      EXPECT_NEAR(totals.largest, static_cast<double>(exact.head(90).maxCoeff()), 1e-11 * totals.largest);
    }
  }
}

TEST(ErrorNormStream, ClosesEarlyWithAnotherLastRow) {
  const std::size_t step = 70;
  for (const Filter& c : shapes()) {
    for (const Filter& a : workloads()) {
      ErrorNormStream stream(a, c);
      if (!stream.closes_early()) continue;
      stream.skip_to(step);
      samples::LongVector weights = to_long(a).row(static_cast<Eigen::Index>(step)).transpose();
      LastStep last{.row = .3};
      const double row = a.row()(step);
      weights *= .3L / row;
      if (!a.core().modes.empty()) {
        last.mode_weight = .5 * a.core().modes[0].weight;
        weights.head(static_cast<Eigen::Index>(step)) *= .5L;
      }
      const auto exact =
          static_cast<double>((weights.transpose() * samples::inverse(to_long(c))).squaredNorm());
      const double got = stream.last(last);
      EXPECT_NEAR(got, exact, 1e-11 * std::max(exact, 1e-3));
      EXPECT_EQ(stream.last(last), got);  // nothing moved
      EXPECT_EQ(stream.at(step), squared_error_row_norms(a, c)[step]);
    }
  }
}

TEST(ErrorNormStream, OfBandedShapesKeepsNoNormsOfAllSteps) {
  for (const bool inverted : {false, true}) {
    const Filter c = Filter::toeplitz(error_steps, {.taps = {1.0, -.5, -.125}, .inverted = inverted});
    for (const Filter& a : workloads()) {
      EXPECT_EQ(ErrorNormStream(a, c).closes_early(), a.core().taps.size() == 1);
    }
  }
}

/// C = 1 - r x: row t of A C^-1 holds the sums (1 - r^(s+1)) / (1 - r), s <= t, of a geometric series. Every
/// norm is rounded a few times (its sums are compensated), totals are sums over blocks of 1024 norms.
TEST(ErrorNormTotals, OfABandedShapeOverAMillionStepsAreThoseOfAGeometricSeries) {
  const std::size_t n = 1'000'000;
  const auto steps = static_cast<long double>(n);
  const long double r = .75L;
  // sum over s < n of (n - s) q^(s+1)
  const auto weighted = [&](long double q) {
    return q * (steps / (1 - q) - q * (1 - std::pow(q, steps)) / ((1 - q) * (1 - q)));
  };
  const long double scale = 1 / ((1 - r) * (1 - r));
  const long double sum = scale * (steps * (steps + 1) / 2 - 2 * weighted(r) + weighted(r * r));
  const long double last = scale * (steps - 2 * r / (1 - r) + r * r / (1 - r * r));
  const Filter a = Filter::toeplitz(n, {.taps = {1.0}, .modes = {{1.0, 1.0}}});
  const ErrorNormTotals totals = error_norm_totals(a, Filter::toeplitz(n, {.taps = {1.0, -.75}}));
  EXPECT_NEAR(totals.sum, static_cast<double>(sum), (1024 + 16) * 0x1p-53 * totals.sum);
  EXPECT_NEAR(totals.largest, static_cast<double>(last), 16 * 0x1p-53 * totals.largest);
}

TEST(ErrorNormStream, GoesForwardOnly) {
  ErrorNormStream stream(Filter::identity(error_steps), shapes().back());
  const double there = stream.at(20);
  EXPECT_EQ(stream.at(20), there);
  EXPECT_THROW((void)stream.at(19), Error);
  EXPECT_THROW(stream.skip_to(20), Error);
  stream.skip_to(21);
  EXPECT_EQ(stream.steps_done(), 21u);
}

TEST(InverseModes, AreTheInverseSeries) {
  for (std::size_t modes = 0; modes <= 6; ++modes) {
    Toeplitz core = blt(modes);
    core.taps[0] = 1.25;
    for (Mode& mode : core.modes) mode.weight *= 1.25;
    const auto inverse = inverse_modes(core);
    ASSERT_TRUE(inverse.has_value()) << modes;
    const std::vector<double> exact = core.inverse_coefficients(2000);
    EXPECT_NEAR(inverse->tap, exact[0], 1e-15);
    double total = inverse->tap;
    for (std::size_t k = 1; k < exact.size(); ++k) {
      double b = 0;
      for (std::size_t j = 0; j < modes; ++j) {
        b += inverse->weights[j] * std::pow(inverse->poles[j], static_cast<double>(k - 1));
      }
      ASSERT_NEAR(b, exact[k], 1e-13) << modes << " " << k;
      ASSERT_LE(b, 0);
      total += b;
    }
    EXPECT_GT(total, 0);
  }
}

TEST(InverseModes, ExistOnlyWhereAllPolesArePositive) {
  EXPECT_FALSE(inverse_modes({.taps = {1.0}, .modes = {{-.1, .5}}}));
  EXPECT_FALSE(inverse_modes({.taps = {1.0}, .modes = {{.1, 1.0}}}));
  EXPECT_FALSE(inverse_modes({.taps = {1.0}, .modes = {{.1, .5}, {.1, .5}}}));
  EXPECT_FALSE(inverse_modes({.taps = {1.0}, .modes = {{.6, .5}}}));  // theta = .5 - .6 < 0
  EXPECT_TRUE(inverse_modes({.taps = {1.0}, .modes = {{.4, .5}}}));
  EXPECT_FALSE(inverse_modes({.taps = {1.0, .5}}));
  EXPECT_FALSE(inverse_modes({.taps = {1.0}, .modes = {{.4, .5}}, .inverted = true}));
}

TEST(InverseRowNormBound, IsNeverBelowTheLongestRow) {
  for (const Filter& c : shapes()) {
    const double bound = inverse_row_norm_bound(c);
    const double exact = std::sqrt(largest_squared_inverse_row_norm(c));
    EXPECT_GE(bound, exact * (1 - 1e-12));
    const auto norms = squared_inverse_row_norms(c);
    EXPECT_EQ(exact, std::sqrt(*std::max_element(norms.begin(), norms.end())));
  }
  const Filter endless =
      Filter::endless_column_normalised(error_steps, blt(4), Schedule::power(2, -.5, error_steps, 1, 0));
  EXPECT_GE(inverse_row_norm_bound(endless), std::sqrt(largest_squared_inverse_row_norm(endless)));
  EXPECT_LE(inverse_row_norm_bound(endless), 10 * std::sqrt(largest_squared_inverse_row_norm(endless)));
}

/// A window over a BLT with lag taps whose columns are normalised: every release, also those near the end.
TEST(LaggedErrorNorms, AreThoseOfTheMatrix) {
  Toeplitz core = samples::blt({.95, .6}, {.8, .2});
  core.lag_taps = {{25, .4}, {50, .2}, {75, .1}};
  const Filter c = Filter::column_normalised(error_steps, core);
  const LongMatrix inverse = samples::inverse(to_long(c));
  const Toeplitz window{.taps = std::vector<double>(25, .04)};
  for (const Filter& a : {Filter::identity(error_steps), Filter::toeplitz(error_steps, window),
                          Filter::toeplitz(error_steps, window, Schedule::inverse_row_count(error_steps, 1)),
                          Filter::toeplitz(error_steps, {.taps = std::vector<double>(7, .5)})}) {
    const samples::LongVector exact = (to_long(a) * inverse).rowwise().squaredNorm();
    const std::vector<double> got = squared_error_row_norms(a, c);
    for (std::size_t t = 0; t < error_steps; ++t) {
      const auto expected = static_cast<double>(exact(static_cast<Eigen::Index>(t)));
      ASSERT_NEAR(got[t], expected, 1e-11 * std::max(expected, 1e-6)) << t;
    }
  }
}

TEST(LaggedErrorNorms, OfALongHorizonAreThoseOfAShorterOneUntilItsColumnsEnd) {
  Toeplitz core = samples::blt({.95, .6}, {.8, .2});
  core.lag_taps = {{25, .4}, {50, .2}, {75, .1}};
  const std::size_t longer = 200'000;
  const auto window = [](std::size_t steps) {
    return Filter::toeplitz(steps, {.taps = std::vector<double>(25, .04)});
  };
  const std::vector<double> all =
      squared_error_row_norms(window(longer), Filter::column_normalised(longer, core));
  const std::vector<double> some =
      squared_error_row_norms(window(6000), Filter::column_normalised(6000, core));
  for (std::size_t t = 0; t < 3000; ++t) ASSERT_NEAR(all[t], some[t], 1e-9 * some[t]) << t;  // 8 eps n
  for (std::size_t t = 0; t < 3000; ++t) {
    ASSERT_NEAR(all[longer - 1 - t], some[5999 - t], 1e-9 * some[5999 - t]) << t;
  }
}

}  // namespace
}  // namespace jme
