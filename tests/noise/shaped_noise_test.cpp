#include "noise/shaped_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

#include "filter/norms.hpp"
#include "random/simd_targets.hpp"

namespace jme {
namespace {

GaussianSource test_source(std::uint64_t seed = 1) {
  return {InsecureTestSeed{seed}.key(), Nonce{}};
}

std::vector<Filter> shapes(std::size_t n) {
  std::vector<double> schedule;
  for (std::size_t t = 1; t <= n; ++t) schedule.push_back(std::pow(static_cast<double>(t), -0.92));
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  for (Eigen::Index i = 0; i < dense.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) dense(i, j) = 1.0 / static_cast<double>(1 + i - j);
  }
  const Toeplitz blt{.taps = {1.0}, .modes = {{.weight = 0.2, .pole = 0.9}, {.weight = 0.1, .pole = 0.4}}};
  return {Filter::identity(n),
          Filter::toeplitz(n, {.taps = {1.0, 0.5, 0.375, 0.3125}}),
          Filter::toeplitz(n, blt),
          Filter::toeplitz(n, blt, Schedule::values(schedule)),
          Filter::toeplitz(n, {.taps = {1.0, -0.5, -0.125}, .inverted = true}),
          Filter::toeplitz(n, blt).with_lag_taps({{3, 0.4}, {6, 0.2}, {9, 0.1}}),
          Filter::toeplitz(n, blt, Schedule::values(schedule)).with_lag_taps({{2, 0.4}, {5, -0.3}}),
          Filter::dense(dense)};
}

/// Draws of `steps` steps from whatever source has the step.
template <class SourceOf>
Eigen::MatrixXd draws(std::size_t steps, std::size_t width, Channel channel, const SourceOf& source_of) {
  Eigen::MatrixXd z(static_cast<Eigen::Index>(steps), static_cast<Eigen::Index>(width));
  std::vector<double> row(width);
  for (std::size_t t = 0; t < steps; ++t) {
    source_of(t).fill(channel, t, 0, row);
    for (std::size_t j = 0; j < width; ++j) {
      z(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(j)) = row[j];
    }
  }
  return z;
}

/// How far C y / scale is from the draws, over half a unit of the fresh noise: at most 1 where every step was
/// rounded to the nearest whole number and the past is that of the whole numbers.
double largest_departure(const Filter& shape, const Eigen::MatrixXd& y, const Eigen::MatrixXd& z,
                         const std::vector<double>& scale) {
  const Eigen::MatrixXd c = shape.to_dense();
  const Eigen::MatrixXd read_back = c.triangularView<Eigen::Lower>() * y;
  double largest = 0;
  for (Eigen::Index t = 0; t < y.rows(); ++t) {
    for (Eigen::Index j = 0; j < y.cols(); ++j) {
      const double unit = scale[static_cast<std::size_t>(j)] / std::abs(c(t, t));
      largest = std::max(largest,
                         2 * unit * std::abs(read_back(t, j) / scale[static_cast<std::size_t>(j)] - z(t, j)));
    }
  }
  return largest;
}

Eigen::MatrixXd take(ShapedNoise& noise, std::size_t steps, std::size_t width) {
  Eigen::MatrixXd y(static_cast<Eigen::Index>(steps), static_cast<Eigen::Index>(width));
  for (std::size_t t = 0; t < steps; ++t) {
    EXPECT_EQ(noise.steps_done(), t);
    std::vector<double> values(width, 0.0);
    noise.add_to(values);
    for (std::size_t j = 0; j < width; ++j) {
      EXPECT_EQ(values[j], std::nearbyint(values[j]));
      y(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(j)) = values[j];
    }
  }
  return y;
}

// The future depends on a draw through the rounded value alone: C y gives back every draw to half a unit,
// however coarse the lattice. Fed back unrounded, the errors of earlier steps would add up in it.
TEST(ShapedNoise, GivesBackItsDrawsToHalfAUnitOnAnyLattice) {
  constexpr std::size_t n = 200, width = 7;
  // Sums of 200 terms in double: 1e-9 of a unit is far more than they lose at these scales.
  constexpr double arithmetic = 1e-6;
  for (const std::vector<double>& scale : {std::vector<double>{1e6, 2e6, 3e6, 1e3, 1e6, 5e7, 1e6},
                                           std::vector<double>{1, 0.5, 2, 4, 0.01, 30, 100}}) {
    for (const Filter& shape : shapes(n)) {
      const auto source = test_source();
      const Eigen::MatrixXd z =
          draws(n, width, Channel::second, [&](std::size_t) -> const GaussianSource& { return source; });
      ShapedNoise noise(shape, source, Channel::second, scale);
      EXPECT_LE(largest_departure(shape, take(noise, n, width), z, scale), 1 + arithmetic);
    }
  }
}

// A stream opened three times: each step's draws come from its own nonce, and the noise of earlier openings
// can be made again.
TEST(ShapedNoise, GivesBackItsDrawsAcrossNonces) {
  constexpr std::size_t n = 60, width = 5;
  const std::vector<double> scale(width, 1e6);
  const Key key = InsecureTestSeed{4}.key();
  const std::vector<GaussianSource> sources{{key, Nonce{1}}, {key, Nonce{2}}, {key, Nonce{3}}};
  const DrawPeriods periods(std::vector<DrawPeriod>{{0, sources[0]}, {7, sources[1]}, {20, sources[2]}});
  const auto source_of = [&](std::size_t t) -> const GaussianSource& {
    return sources[t < 7 ? 0 : t < 20 ? 1 : 2];
  };
  for (const Filter& shape : shapes(n)) {
    const Eigen::MatrixXd z = draws(n, width, Channel::first, source_of);
    Eigen::MatrixXd y(n, width);
    ShapedNoise noise(shape, periods, Channel::first, scale), replayed(shape, periods, Channel::first, scale);
    replayed.replay(25);
    for (std::size_t t = 0; t < n; ++t) {
      if (t == 30) {
        ShapedNoise restored(shape, periods, Channel::first, scale);
        EXPECT_EQ(noise.memory().size(), restored.memory_size(t));
        restored.restore(t, noise.memory(), [&](std::size_t step) { return noise.kept(step); });
        noise = std::move(restored);
      }
      std::vector<double> values(width, 0.0), again(width, 0.0);
      noise.add_to(values);
      for (std::size_t j = 0; j < width; ++j)
        y(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(j)) = values[j];
      if (t < 25) continue;
      replayed.add_to(again);
      ASSERT_EQ(again, values);
    }
    EXPECT_LE(largest_departure(shape, y, z, scale), 1 + 1e-6);
  }
}

TEST(DrawPeriods, MustBeginAtZeroAndRise) {
  const GaussianSource source = test_source();
  EXPECT_THROW(DrawPeriods(std::vector<DrawPeriod>{}), StateError);
  EXPECT_THROW(DrawPeriods(std::vector<DrawPeriod>{{1, source}}), StateError);
  EXPECT_THROW(DrawPeriods(std::vector<DrawPeriod>{{0, source}, {3, source}, {3, source}}), StateError);
  EXPECT_THROW(DrawPeriods(std::vector<DrawPeriod>{{0, source}, {3, source}, {2, source}}), StateError);
}

TEST(ShapedNoise, AddedToLatticeDataIsDataPlusTheSameNoiseExactly) {
  constexpr std::size_t n = 50;
  // Beside data of 2^50 units a double has two or three bits left for the noise's fraction: adding before
  // rounding would round twice, and differ in about one of ten draws.
  const std::vector<double> data = {0, 1, -1, 0x1p40, -0x1p45 + 3, 0x1p50 + 1, -0x1p50 + 5, 123456789};
  const std::vector<double> scale(data.size(), 0x1p24 + 0.37);
  for (const Filter& shape : shapes(n)) {
    ShapedNoise alone(shape, test_source(), Channel::first, scale);
    ShapedNoise added(shape, test_source(), Channel::first, scale);
    for (std::size_t t = 0; t < n; ++t) {
      std::vector<double> zero(data.size(), 0.0), sum = data;
      alone.add_to(zero);
      added.add_to(sum);
      for (std::size_t j = 0; j < data.size(); ++j) {
        // In 64-bit integers nothing can round.
        ASSERT_EQ(static_cast<std::int64_t>(sum[j]),
                  static_cast<std::int64_t>(data[j]) + static_cast<std::int64_t>(zero[j]));
      }
    }
  }
}

/// Largest standardised error of the empirical second moments of step pairs against std^2 C^-1 C^-T.
double largest_covariance_error(const Filter& shape, double factor) {
  constexpr std::size_t width = 40'000;
  const std::size_t n = shape.steps();
  const double std = 1e5;
  ShapedNoise noise(shape, test_source(9), Channel::first, std::vector<double>(width, std));
  Eigen::MatrixXd y(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(width));
  for (std::size_t t = 0; t < n; ++t) {
    std::vector<double> values(width, 0.0);
    noise.add_to(values);
    for (std::size_t j = 0; j < width; ++j) {
      y(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(j)) = factor * values[j] / std;
    }
  }
  const Eigen::MatrixXd inverse =
      shape.to_dense().triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(y.rows(), y.rows()));
  const Eigen::MatrixXd wanted = inverse * inverse.transpose();
  const Eigen::MatrixXd seen = y * y.transpose() / static_cast<double>(width);
  double largest = 0;
  for (Eigen::Index i = 0; i < y.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      // Var of a product of centred normals: q_ii q_jj + q_ij^2.
      const double deviation =
          std::sqrt((wanted(i, i) * wanted(j, j) + wanted(i, j) * wanted(i, j)) / static_cast<double>(width));
      largest = std::max(largest, std::abs(seen(i, j) - wanted(i, j)) / deviation);
    }
  }
  return largest;
}

// Laurent & Massart: a quadratic form of 40000 normals passes 2 sqrt(x) + 2 x / sqrt(40000) of its deviations
// / sqrt 2 with e^-x. 12 x 13 / 2 = 78 entries, two sides, eight shapes: x = 28 gives 1300 e^-28 < 1e-9,
// threshold 7.7.
constexpr double covariance_threshold = 7.7;

TEST(ShapedNoise, HasCovarianceStdSquaredTimesTheInverseGram) {
  for (const Filter& shape : shapes(12))
    EXPECT_LT(largest_covariance_error(shape, 1.0), covariance_threshold);
}

// A factor 0.9 moves a variance by 19% = 27 deviations: seen with probability above 1 - 1e-9.
TEST(ShapedNoise, CovarianceTestRejectsNoiseTenPercentTooSmall) {
  for (const Filter& shape : shapes(12))
    EXPECT_GT(largest_covariance_error(shape, 0.9), covariance_threshold);
}

TEST(ShapedNoise, ChannelsAndNoncesAreDifferentNoise) {
  const Filter shape = Filter::identity(3);
  const std::vector<double> scale(20, 1e6);
  const Nonce other = {9};
  ShapedNoise a(shape, test_source(), Channel::first, scale), b(shape, test_source(), Channel::second, scale),
      c(shape, GaussianSource(InsecureTestSeed{1}.key(), other), Channel::first, scale);
  std::vector<double> x(20, 0.0), y(20, 0.0), z(20, 0.0);
  a.add_to(x);
  b.add_to(y);
  c.add_to(z);
  EXPECT_NE(x, y);
  EXPECT_NE(x, z);
  EXPECT_NE(y, z);
}

TEST(ShapedNoise, GivesTheSameBitsOnEverySimdTargetAndInEveryOrderOfTiles) {
  constexpr std::size_t n = 20, width = 1127;  // two tiles and a part: 46 x 49 / 2, a triangle
  for (const Filter& shape : shapes(n)) {
    for (const NoiseScale& scale : {NoiseScale::uniform(width, 1e6), NoiseScale::triangle(46, 2e6, 1e6)}) {
      const auto noise = [&](bool backwards) {
        ShapedNoise source(shape, test_source(), Channel::second, scale);
        std::vector<double> values(FilterStream::padded(scale.width()), 3.0);
        for (std::size_t t = 0; t < n; ++t) {
          source.begin_step();
          for (const std::size_t tile : {0, 1, 2}) {
            const std::size_t begin = FilterStream::tile * (backwards ? 2 - tile : tile);
            source.add_tile(
                begin, std::span(values).subspan(begin, std::min(FilterStream::tile, values.size() - begin)));
          }
          source.end_step();
        }
        return values;
      };
      const std::vector<double> expected = noise(false);
      EXPECT_EQ(noise(true), expected);
      for (const std::int64_t target : simd_targets()) {
        const OnlyTarget only(target);
        ASSERT_EQ(noise(false), expected) << hwy::TargetName(target);
      }
    }
  }
}

TEST(NoiseScale, OfATriangleIsTheListOfItsEntries) {
  for (const std::size_t d : {1, 2, 5, 33, 60}) {
    for (const auto& [diagonal, off_diagonal] : {std::pair{2e6 / 3, 1e6 / 7}, std::pair{1e6 / 7, 2e6 / 3}}) {
      std::vector<double> list;
      for (std::size_t i = 0; i < d; ++i) {
        list.push_back(diagonal);
        list.insert(list.end(), d - 1 - i, off_diagonal);
      }
      const NoiseScale scale = NoiseScale::triangle(d, diagonal, off_diagonal);
      ASSERT_EQ(scale.width(), list.size());
      EXPECT_EQ(scale.smallest(), *std::min_element(list.begin(), list.end()));
      EXPECT_GE(scale.largest(), *std::max_element(list.begin(), list.end()));
      std::vector<double> ratios(list.size(), 1.0);
      scale.apply_ratios(0, ratios);
      for (std::size_t i = 0; i < list.size(); ++i) {
        EXPECT_EQ(ratios[i], scale.ratio(i));
        // Rounded upwards, by two units at most.
        EXPECT_GE(scale.base() * scale.ratio(i), list[i]);
        EXPECT_LE(scale.base() * scale.ratio(i), list[i] * (1 + 0x1p-51));
      }
      // From anywhere in the triangle.
      for (std::size_t begin = 0; begin + 8 <= list.size(); begin += 8) {
        std::vector<double> part(8, 1.0);
        scale.apply_ratios(begin, part);
        EXPECT_TRUE(
            std::equal(part.begin(), part.end(), ratios.begin() + static_cast<std::ptrdiff_t>(begin)));
      }
    }
  }
}

TEST(ShapedNoise, RefusesNoiseThatCouldReachTwoToThe50) {
  const Filter shape = Filter::identity(3);
  const double largest = 0x1p50 / 16;
  EXPECT_NO_THROW(ShapedNoise(shape, test_source(), Channel::first, {1.0, largest * 0.999}));
  EXPECT_THROW(ShapedNoise(shape, test_source(), Channel::first, {1.0, largest * 1.001}), InvalidParameter);
  EXPECT_THROW(ShapedNoise(shape, test_source(), Channel::first, {std::nan("")}), InvalidParameter);
  EXPECT_THROW(ShapedNoise(shape, test_source(), Channel::first, {-1.0}), InvalidParameter);
}

TEST(ShapedNoise, EndsAtItsHorizonAndChecksTheWidth) {
  ShapedNoise noise(Filter::identity(2), test_source(), Channel::first, {1e6, 1e6});
  std::vector<double> values(2, 0.0), narrow(1, 0.0);
  EXPECT_THROW(noise.add_to(narrow), InvalidParameter);
  noise.add_to(values);
  noise.add_to(values);
  const auto before = values;
  EXPECT_THROW(noise.add_to(values), BudgetExhausted);
  EXPECT_EQ(values, before);
}

}  // namespace
}  // namespace jme
