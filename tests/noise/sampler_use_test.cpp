#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <jme/filter/stream.hpp>
#include <jme/noise/sampler_use.hpp>
#include <jme/random/gaussian_source.hpp>

namespace jme {
namespace {

const Toeplitz blt{.taps = {1.0}, .modes = {{.weight = 0.2, .pole = 0.9}, {.weight = 0.1, .pole = 0.4}}};

/// Row sums of C and C^-1 over their diagonals, and columns over the diagonal, from the matrix itself.
SamplerUse from_matrix(const Filter& shape, double scale) {
  const Eigen::MatrixXd c = shape.to_dense();
  const Eigen::MatrixXd inverse = c.inverse();
  SamplerUse use{.draws = 0,
                 .width = 1,
                 .largest_fresh_std = 0,
                 .smallest_fresh_std = HUGE_VAL,
                 .roundings = 0,
                 .memory = 1,
                 .column_ratio = 0,
                 .row_sum = 0};
  for (Eigen::Index t = 0; t < c.rows(); ++t) {
    const double d = std::abs(c(t, t));
    use.largest_fresh_std = std::max(use.largest_fresh_std, scale / d);
    use.smallest_fresh_std = std::min(use.smallest_fresh_std, scale / d);
    use.column_ratio = std::max(use.column_ratio, c.col(t).norm() / d);
    use.row_sum = std::max({use.row_sum, c.row(t).cwiseAbs().sum() / d, inverse.row(t).cwiseAbs().sum() * d});
  }
  return use;
}

TEST(SamplerUse, BoundsWhatTheMatrixSays) {
  constexpr std::size_t n = 60;
  std::vector<double> falling, rising;
  for (std::size_t t = 1; t <= n; ++t) {
    falling.push_back(std::pow(static_cast<double>(t), -0.92));
    rising.push_back(std::pow(static_cast<double>(t), 0.1));
  }
  const std::vector<Filter> shapes = {
      Filter::identity(n),
      Filter::toeplitz(n, blt),
      Filter::toeplitz(n, blt, Schedule::values(falling), Schedule::values(rising)),
      Filter::toeplitz(n, {.taps = {1.0, 0.5, 0.375}}),
      Filter::toeplitz(n, {.taps = {1.0, -0.5, -0.125}, .inverted = true}),
      Filter::dense(Filter::toeplitz(n, blt).to_dense())};
  for (const Filter& shape : shapes) {
    const std::vector<double> scale = {1e6, 1e6, 1e6};
    const SamplerUse use = sampler_use(shape, scale);
    const SamplerUse exact = from_matrix(shape, 1e6);
    EXPECT_EQ(use.draws, 3.0 * n);
    EXPECT_NEAR(use.largest_fresh_std / exact.largest_fresh_std, 1, 1e-12);
    EXPECT_NEAR(use.smallest_fresh_std / exact.smallest_fresh_std, 1, 1e-12);
    EXPECT_NEAR(use.column_ratio / exact.column_ratio, 1, 1e-9);
    EXPECT_GE(use.row_sum, exact.row_sum * (1 - 1e-12));
    EXPECT_GE(use.roundings, 6);
    EXPECT_LT(sampler_distance(use, 1e-12).epsilon, 1e-3);
  }
}

// The bound 2 sqrt 2 for a BLT, against the partial sums themselves: z, z - w1 S1, z - w1 S1 - w2 S2 as rows
// over z.
TEST(SamplerUse, PartialSumsOfABltAreNoLongerThanProved) {
  constexpr Eigen::Index n = 300;
  const Eigen::MatrixXd inverse = Filter::toeplitz(n, blt).to_dense().inverse();
  Eigen::MatrixXd partial = Eigen::MatrixXd::Identity(n, n);
  for (const Mode& mode : blt.modes) {
    Eigen::MatrixXd state = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < i; ++j)
        state(i, j) = mode.weight * std::pow(mode.pole, static_cast<double>(i - j - 1));
    }
    partial -= state * inverse;
    EXPECT_LE(partial.rowwise().norm().maxCoeff(), 2 * std::sqrt(2.0));
  }
  EXPECT_LT((partial - inverse).norm(), 1e-9);
}

// GUARANTEES of `random` takes the error of the filter's past as at most 2^-40 of the fresh standard
// deviation. Here the whole of a step's error, against the same recursion with significands of 64 bits, over
// 20,000 steps and poles near 1.
TEST(SamplerUse, FilterDriftsByLessThanAssumed) {
  constexpr std::size_t n = 20'000, width = 8;
  const std::vector<Mode> modes = {
      {.weight = 0.05, .pole = 0.9999}, {.weight = 0.1, .pole = 0.99}, {.weight = 0.2, .pole = 0.8}};
  FilterStream stream(Filter::toeplitz(n, {.taps = {1.0}, .modes = modes}), Direction::inverse, width);
  const GaussianSource source(InsecureTestSeed{6}.key(), Nonce{});
  std::vector<std::vector<long double>> states(modes.size(), std::vector<long double>(width, 0.0L));
  std::vector<double> z(width), x(width);
  long double largest = 0;
  for (std::size_t t = 0; t < n; ++t) {
    source.fill(Channel::first, t, 0, z);
    stream.step(z, x);
    for (std::size_t j = 0; j < width; ++j) {
      long double exact = z[j];
      for (std::size_t m = 0; m < modes.size(); ++m)
        exact -= static_cast<long double>(modes[m].weight) * states[m][j];
      for (std::size_t m = 0; m < modes.size(); ++m) {
        states[m][j] = static_cast<long double>(modes[m].pole) * states[m][j] + exact;
      }
      largest = std::max(largest, std::abs(static_cast<long double>(x[j]) - exact));
    }
  }
  RecordProperty("log2_of_drift", std::to_string(std::log2(static_cast<double>(largest))));
  EXPECT_LT(static_cast<double>(largest), 0x1p-40);
}

}  // namespace
}  // namespace jme
