#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/participation.hpp>

#include "sensitivity/neighbours.hpp"

namespace jme {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Filter toeplitz(std::vector<double> taps) {
  const std::size_t steps = taps.size();
  return Filter::toeplitz(steps, {.taps = std::move(taps), .modes = {}, .inverse_taps = {}});
}

/// Coefficients of (1 - x)^(-1/2): the prefix sum's square root.
std::vector<double> square_root_taps(std::size_t n) {
  std::vector<double> taps{1};
  for (std::size_t k = 1; k < n; ++k) {
    const double kk = static_cast<double>(k);
    taps.push_back(taps.back() * (2 * kk - 1) / (2 * kk));
  }
  return taps;
}

MatrixXd random_lower(Index n, unsigned seed, bool signs) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(signs ? -1 : 0, 1);
  MatrixXd c = MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) c(i, j) = uniform(engine);
    c(j, j) = 0.5 + std::abs(c(j, j));
  }
  return c;
}

/// Calls `use` with every choice of at most p rows out of n that are at least b apart.
void for_each_pattern(std::size_t n, const Participation& participation,
                      const std::function<void(const std::vector<std::size_t>&)>& use) {
  std::vector<std::size_t> chosen;
  const std::function<void(std::size_t)> extend = [&](std::size_t from) {
    if (!chosen.empty()) use(chosen);
    if (chosen.size() == participation.rows) return;
    for (std::size_t row = from; row < n; ++row) {
      chosen.push_back(row);
      extend(row + participation.separation);
      chosen.pop_back();
    }
  };
  extend(0);
}

MatrixXd pattern_gram(const MatrixXd& c, const std::vector<std::size_t>& rows, std::size_t every) {
  const MatrixXd gram = c.transpose() * c;
  const auto p = static_cast<Index>(rows.size());
  return MatrixXd::NullaryExpr(p, p, [&](Index i, Index j) {
    return gram(static_cast<Index>(rows[static_cast<std::size_t>(i)] / every),
                static_cast<Index>(rows[static_cast<std::size_t>(j)] / every));
  });
}

/// The worst change over all patterns and all streams that differ in them.
double brute_force(const RowModel& rows, SecondMoment second, const MatrixXd& c1, const MatrixXd& c2,
                   const Horizon& horizon, const Participation& participation, double lambda) {
  double worst = 0;
  for_each_pattern(horizon.rows(), participation, [&](const std::vector<std::size_t>& pattern) {
    const testing::ChangeProblem problem{.gram_first = pattern_gram(c1, pattern, horizon.every()),
                                         .gram_second = pattern_gram(c2, pattern, horizon.every()),
                                         .weight_second = lambda,
                                         .rows = rows,
                                         .second = second};
    worst = std::max(worst, testing::worst_change(problem, 2, 19));
  });
  return std::sqrt(worst);
}

TEST(Exposure, OfOneRowIsTheColumns) {
  const MatrixXd c1 = random_lower(5, 1, true);
  const MatrixXd c2 = random_lower(5, 2, true);
  const Exposure one = exposure(Filter::dense(c1), Filter::dense(c2), Horizon(5), {});
  EXPECT_EQ(one.blocks_touched, 1U);
  for (const auto& pattern : one.patterns) EXPECT_EQ(pattern.size(), 1U);
  EXPECT_NEAR(first_column_norm(one), std::sqrt(c1.colwise().squaredNorm().maxCoeff()), 1e-14);
  EXPECT_NEAR(second_column_norm(one), std::sqrt(c2.colwise().squaredNorm().maxCoeff()), 1e-14);
}

TEST(Exposure, OfOneRowIsExactWhateverTheBlock) {
  const RowModel rows{.dimension = 2};
  const MatrixXd c1 = random_lower(4, 3, true);
  const MatrixXd c2 = random_lower(4, 4, true);
  const Exposure one = exposure(Filter::dense(c1), Filter::dense(c2), Horizon(11, 3), {});
  const double formula = joint_sensitivity(rows, one, 0.8);
  const double found = brute_force(rows, SecondMoment::full, c1, c2, Horizon(11, 3), {}, 0.8);
  EXPECT_LE(found, formula * (1 + 1e-12));
  EXPECT_GE(found, formula * (1 - 1e-6));
}

TEST(Exposure, BoundsEveryChangeThatSeveralRowsCanMake) {
  // Every pattern of every case, with the streams found by ascent from the definition.
  struct Case {
    Horizon horizon;
    Participation participation;
  };
  const std::vector<Case> cases{
      {Horizon(6), {.rows = 2, .separation = 2}},    {Horizon(7), {.rows = 3, .separation = 2}},
      {Horizon(8, 2), {.rows = 3, .separation = 3}}, {Horizon(7, 3), {.rows = 3, .separation = 1}},
      {Horizon(8, 4), {.rows = 4, .separation = 2}}, {Horizon(7, 5), {.rows = 3, .separation = 2}},
      {Horizon(5), {.rows = 9, .separation = 2}}};
  for (const Case& c : cases) {
    for (unsigned seed : {1U, 2U, 3U}) {
      for (bool signs : {false, true}) {
        const auto n = static_cast<Index>(c.horizon.steps());
        const MatrixXd c1 = random_lower(n, seed, signs);
        const MatrixXd c2 = random_lower(n, seed + 100, signs);
        const Exposure bound = exposure(Filter::dense(c1), Filter::dense(c2), c.horizon, c.participation);
        for (std::size_t dimension : {1U, 2U}) {
          const RowModel rows{.adjacency = seed == 3 ? Adjacency::add_remove : Adjacency::replace_one,
                              .dimension = dimension,
                              .norm_bound = 1.2};
          const SecondMoment second = seed == 2 ? SecondMoment::diagonal : SecondMoment::full;
          for (double lambda : {0.2, 1.5}) {
            const double found = brute_force(rows, second, c1, c2, c.horizon, c.participation, lambda);
            EXPECT_LE(found, joint_sensitivity(rows, bound, lambda) * (1 + 1e-12));
          }
        }
      }
    }
  }
}

TEST(Exposure, IsAttainedByEqualPositiveFallingToeplitzShapes) {
  const std::vector<double> taps = square_root_taps(7);
  const Filter c = toeplitz(taps);
  for (const Participation participation :
       {Participation{.rows = 2, .separation = 3}, {.rows = 3, .separation = 2}}) {
    const Exposure packed = exposure(c, c, Horizon(7), participation);
    for (double lambda : {0.3, 2.0}) {
      const RowModel rows{.dimension = 2};
      const double formula = joint_sensitivity(rows, packed, lambda);
      const double found = brute_force(rows, SecondMoment::full, c.to_dense(), c.to_dense(), Horizon(7),
                                       participation, lambda);
      EXPECT_LE(found, formula * (1 + 1e-12));
      EXPECT_GE(found, formula * (1 - 1e-6));
    }
  }
}

TEST(Exposure, ByEarliestPackingIsBelowTheBoundByLag) {
  const Filter c = toeplitz(square_root_taps(60));
  const Participation participation{.rows = 6, .separation = 10};
  const Exposure packed = exposure(c, c, Horizon(60), participation);
  // The same matrix as a dense one, where nothing is known of its structure.
  const Filter unknown = Filter::dense(c.to_dense());
  const Exposure by_lag = exposure(unknown, unknown, Horizon(60), participation);
  const RowModel rows{.dimension = 2};
  EXPECT_LT(joint_sensitivity(rows, packed, 1), joint_sensitivity(rows, by_lag, 1));
  const MatrixXd gram = pattern_gram(c.to_dense(), {0, 10, 20, 30, 40, 50}, 1);
  EXPECT_NEAR(std::pow(first_column_norm(packed), 2), gram.sum(), 1e-12 * gram.sum());
}

TEST(Exposure, AddsRowsOfOneBlockLinearly) {
  // Three rows of one person in the only block: three times a single row's sensitivity.
  const Filter one = Filter::identity(1);
  const RowModel rows{.dimension = 2};
  for (double lambda : {0.2, 3.0}) {
    const double single = joint_sensitivity(rows, exposure(one, one, Horizon(10, 10), {}), lambda);
    const Exposure three = exposure(one, one, Horizon(10, 10), {.rows = 3, .separation = 2});
    EXPECT_NEAR(joint_sensitivity(rows, three, lambda), 3 * single, 1e-13);
    EXPECT_EQ(three.blocks_touched, 1U);
  }
}

TEST(Exposure, ThroughTheIdentityAddsSquares) {
  const Filter c = Filter::identity(100);
  const RowModel rows{.dimension = 2};
  const Exposure four = exposure(c, c, Horizon(100), {.rows = 4, .separation = 10});
  EXPECT_EQ(four.blocks_touched, 4U);
  EXPECT_NEAR(first_sensitivity(rows, four), 2 * 2, 1e-13);  // 2 zeta sqrt(4)
  // Separation 5 in blocks of 10: two blocks of two rows each, (2 + 2)^2/4 = 4 twice.
  const Filter blocks = Filter::identity(10);
  const Exposure shared = exposure(blocks, blocks, Horizon(100, 10), {.rows = 4, .separation = 5});
  EXPECT_NEAR(first_sensitivity(rows, shared), 2 * std::sqrt(8.0), 1e-13);
}

TEST(RowsThatFit, IsWhatTheHorizonHasRoomFor) {
  EXPECT_EQ(rows_that_fit(Horizon(100), {.rows = 5, .separation = 10}), 5U);
  EXPECT_EQ(rows_that_fit(Horizon(100), {.rows = 50, .separation = 10}), 10U);
  EXPECT_EQ(rows_that_fit(Horizon(101), {.rows = 50, .separation = 10}), 11U);
  EXPECT_EQ(rows_that_fit(Horizon(1), {.rows = 50, .separation = 1}), 1U);
  EXPECT_EQ(rows_that_fit(Horizon(100), {.rows = 50, .separation = 1000}), 1U);
  EXPECT_THROW((void)rows_that_fit(Horizon(100), {.rows = 0, .separation = 1}), InvalidParameter);
  EXPECT_THROW((void)rows_that_fit(Horizon(100), {.rows = 1, .separation = 0}), InvalidParameter);
}

TEST(Exposure, WithRoomForOneRowIsThatOfOneRow) {
  const Filter c = toeplitz(square_root_taps(8));
  const Exposure alone = exposure(c, c, Horizon(8), {.rows = 5, .separation = 8});
  EXPECT_EQ(alone.blocks_touched, 1U);
  ASSERT_EQ(alone.patterns.size(), 1U);
  EXPECT_EQ(alone.patterns[0].size(), 1U);
}

TEST(Exposure, RefusesShapesOfAnotherLength) {
  const Filter c = Filter::identity(8);
  EXPECT_THROW((void)exposure(c, c, Horizon(9), {}), InvalidParameter);
  EXPECT_THROW((void)exposure(c, Filter::identity(9), Horizon(8), {}), InvalidParameter);
}

/// The scaled BLT for the running mean at n = 1000 (docs/theory/shaping.md#scaled-blt): C = L T D^-1 with
/// unit columns.
MatrixXd scaled_blt_for_the_mean() {
  constexpr Index n = 1000;
  const double poles[] = {.990979489614793, .744585529648281};
  const double zeros[] = {.933443912788210, .307902921790450};
  double weights[2];
  for (int i = 0; i < 2; ++i) {
    weights[i] = (poles[i] - zeros[0]) * (poles[i] - zeros[1]) / (poles[i] - poles[1 - i]);
  }
  MatrixXd c = MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    double tails[2] = {weights[0], weights[1]};
    for (Index t = j; t < n; ++t) {
      const double tap = t == j ? 1 : tails[0] + tails[1];
      c(t, j) = tap * std::pow(static_cast<double>(t + 1), -.9183037);
      if (t == j) continue;
      for (int i = 0; i < 2; ++i) tails[i] *= poles[i];
    }
    c.col(j).normalize();
  }
  return c;
}

TEST(Exposure, OfAScaledShapeIsFarAboveTheEarliestPacking) {
  // docs/theory/sensitivity.md#several-rows-of-one-person: n = 1000, separation 10, 10 rows: the Gram sum
  // is 24.5 for the earliest packing, 45.4 for the worst.
  const MatrixXd c = scaled_blt_for_the_mean();
  const MatrixXd gram = c.transpose() * c;
  double worst = 0;
  double earliest = 0;
  for (Index start = 0; start + 90 < 1000; ++start) {
    double sum = 0;
    for (Index i = 0; i < 10; ++i) {
      for (Index j = 0; j < 10; ++j) sum += std::abs(gram(start + 10 * i, start + 10 * j));
    }
    if (start == 0) earliest = sum;
    worst = std::max(worst, sum);
  }
  EXPECT_NEAR(earliest, 24.5, 0.05);
  EXPECT_NEAR(worst, 45.4, 0.05);
  const Filter shape = Filter::dense(c);
  const Exposure ten = exposure(shape, shape, Horizon(1000), {.rows = 10, .separation = 10});
  EXPECT_GE(std::pow(first_column_norm(ten), 2), worst);
  EXPECT_LE(std::pow(first_column_norm(ten), 2), 1.5 * worst);  // a bound that is nearly tight
  RecordProperty("bound", std::to_string(std::pow(first_column_norm(ten), 2)));
}

}  // namespace
}  // namespace jme
