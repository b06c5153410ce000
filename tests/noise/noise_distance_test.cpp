#include "noise/noise_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

#include "filter/stream.hpp"
#include "random/gaussian_source.hpp"

namespace jme::noise_distance_tests {
namespace {

constexpr std::size_t n = 400, width = 64;
constexpr double scale = 3e6;

const Toeplitz two_modes{.taps = {1.0},
                         .modes = {{.weight = 0.2, .pole = 0.999}, {.weight = 0.1, .pole = 0.4}}};

std::vector<double> root_coefficients() {
  std::vector<double> taps{1.0};
  for (std::size_t k = 1; k < n; ++k) {
    const auto m = static_cast<double>(k);
    taps.push_back(taps.back() * (2 * m - 1) / (2 * m));
  }
  return taps;
}

std::vector<Filter> shapes() {
  return {
      Filter::toeplitz(n, two_modes),
      Filter::toeplitz(n, two_modes, Schedule::power(0.5, -0.3, n, 1, 0.2), Schedule::power(2, 0.1, n, 1, 0)),
      Filter::column_normalised(n, two_modes, Schedule::power(2, -0.9, n, 1, 0.4)),
      Filter::endless_column_normalised(n, two_modes, Schedule::power(30, -0.3, n, 1, 0)),
      Filter::toeplitz(n, {.taps = {1.25, 0.5, 0.375, 0.3}, .modes = {{.weight = 0.1, .pole = 0.98}}}),
      Filter::toeplitz(n, {.taps = root_coefficients()}),
      Filter::toeplitz(n, {.taps = {0.8, -0.4, -0.1}, .inverted = true}),
      Filter::toeplitz(n, {.taps = {1.0, -0.5, -0.125}, .inverted = true},
                       Schedule::power(0.5, -0.3, n, 1, 0.2), Schedule::power(2, 0.1, n, 1, 0)),
      Filter::toeplitz(n, two_modes).with_lag_taps({{10, 0.5}, {20, 0.375}, {30, 0.3125}}),
      Filter::toeplitz(n, two_modes, Schedule::power(0.5, -0.3, n, 1, 0.2), Schedule::power(2, 0.1, n, 1, 0))
          .with_lag_taps({{7, 0.3}, {11, -0.2}}),
      Filter::dense(Filter::toeplitz(n, two_modes).to_dense())};
}

/// Runs the recursion as ShapedNoise does and returns the largest |H - L| over the fresh standard deviation,
/// with L from the matrix in long double.
double largest_past_error(const Filter& shape) {
  Toeplitz core = shape.is_dense() ? Toeplitz{} : shape.core();
  core.lag_taps.clear();
  FilterStream stream(shape.is_dense() ? shape : Filter::toeplitz(n, core, shape.row(), shape.column()),
                      Direction::inverse, width);
  const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> c = shape.to_dense().cast<long double>();
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> y(n, width);
  std::vector<std::vector<double>> ring;
  const GaussianSource source(InsecureTestSeed{3}.key(), Nonce{});
  double largest = 0;
  for (std::size_t t = 0; t < n; ++t) {
    std::vector<double> z(width), sum(width), taken(width), old(width, 0.0);
    source.fill(Channel::first, t, 0, z);
    stream.begin_step();
    const FilterStream::Halves halves = stream.halves();
    stream.past_tile(0, sum);
    for (const LagTap& lag : shape.lag_taps()) {
      if (lag.lag > t) continue;
      for (std::size_t j = 0; j < width; ++j) old[j] += lag.weight * ring[t - lag.lag][j];
    }
    const auto row = static_cast<Eigen::Index>(t);
    for (std::size_t j = 0; j < width; ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      if (!shape.lag_taps().empty()) sum[j] += -halves.tap * old[j];
      const double past = halves.past * sum[j];
      const double value = std::nearbyint(scale * halves.fresh * z[j] + past);
      y(row, column) = value;
      long double exact = 0;
      for (Eigen::Index s = 0; s < row; ++s) exact -= c(row, s) * y(s, column);
      const double error = static_cast<double>(std::abs(past * c(row, row) - exact));
      largest = std::max(largest, error / scale);
      taken[j] = value * halves.column;
      if (halves.is_series) taken[j] = (taken[j] - sum[j]) * (1 / halves.tap);
      if (!shape.lag_taps().empty()) taken[j] -= old[j];
    }
    ring.push_back(taken);
    stream.take_tile(0, taken);
    stream.end_step();
  }
  return largest;
}

double proved_past_error(const Filter& shape) {
  return noise_distance(shape, NoiseScale::uniform(width, scale), 0.2).mu / (2 * std::sqrt(n * width));
}

TEST(NoiseDistance, BoundsTheErrorOfTheComputedPastInEveryForm) {
  for (const Filter& shape : shapes()) {
    const double seen = largest_past_error(shape), proved = proved_past_error(shape);
    EXPECT_LE(seen, proved);
    // The bound assumes 13 standard deviations, and errors that all add up; a wrong power of n would be a
    // larger difference.
    EXPECT_GT(seen, proved / 1e5);
    EXPECT_LT(proved, 0x1p-32);
  }
}

TEST(NoiseDistance, IsOfOneWordWhereThereCannotBeTwo) {
  const NoiseScale any = NoiseScale::uniform(width, scale);
  std::size_t with_two = 0;
  for (const Filter& shape : shapes()) {
    const double one = noise_distance(shape, any, 0.2, SumWords::one).mu;
    const double two = noise_distance(shape, any, 0.2, SumWords::two).mu;
    if (can_have_two_words(shape)) {
      EXPECT_LT(two, one);
      ++with_two;
    } else {
      EXPECT_EQ(two, one);
    }
  }
  EXPECT_EQ(with_two, 4U);
}

TEST(NoiseDistance, OfADiagonalShapeIsZero) {
  const NoiseScale any = NoiseScale::uniform(3, 1e6);
  EXPECT_EQ(noise_distance(Filter::identity(1000), any, 1).mu, 0);
  EXPECT_EQ(noise_distance(Filter::identity(1000), any, 1).bad_past, 0);
  EXPECT_EQ(noise_distance(Filter::toeplitz(3, {}, Schedule::values({1.0, 0.5, 0.25})), any, 1).mu, 0);
}

TEST(NoiseDistance, GrowsWithTheRootOfTheDrawsAndWithTheShift) {
  const Filter shape = Filter::toeplitz(n, two_modes);
  const NoiseDistance one = noise_distance(shape, NoiseScale::uniform(1, scale), 0.2),
                      four = noise_distance(shape, NoiseScale::uniform(4, scale), 0.2);
  EXPECT_DOUBLE_EQ(four.mu, 2 * one.mu);
  EXPECT_DOUBLE_EQ(four.bad_past, 4 * one.bad_past);
  EXPECT_GT(noise_distance(shape, NoiseScale::uniform(1, scale), 13.2).mu, 1.9 * one.mu);
  // On a lattice as coarse as the noise, rounding takes values farther than the draws alone.
  EXPECT_GT(noise_distance(shape, NoiseScale::uniform(1, 0.5), 0.2).mu, 1.2 * one.mu);
  const NoiseDistance both = joined(one, four);
  EXPECT_DOUBLE_EQ(both.mu, std::sqrt(5.0) * one.mu);
  EXPECT_DOUBLE_EQ(both.bad_past, 5 * one.bad_past);
}

TEST(NoiseDistance, RefusesAReplacedLastRow) {
  EXPECT_THROW((void)noise_distance(Filter::identity(2).with_last_row({1.0, 1.0}), {1e6}, 1),
               InvalidParameter);
}

}  // namespace
}  // namespace jme::noise_distance_tests
