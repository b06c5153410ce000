// Squares with a bound of their own, from their definition: pairs of rows are searched for that move the two
// channels farther than the formulas say.
#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/square_clip.hpp>

namespace jme {
namespace {

using Eigen::VectorXd;

/// ||x - y||^2 + lambda ||u - u'||^2 with u_i = min(x_i^2, c_i^2) c / c_i, c the largest bound.
double squared_move(const VectorXd& x, const VectorXd& y, const VectorXd& bounds, double lambda) {
  double sum = (x - y).squaredNorm();
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double c2 = bounds[i] * bounds[i];
    const double change = std::min(x[i] * x[i], c2) - std::min(y[i] * y[i], c2);
    sum += lambda * std::pow(change * bounds.maxCoeff() / bounds[i], 2);
  }
  return sum;
}

/// Climbs by random steps from many starts: squares that are cut off have no gradient to follow.
double worst_move(const VectorXd& bounds, double lambda, Adjacency adjacency) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const Eigen::Index d = bounds.size();
  const auto drawn = [&](double scale) {
    return VectorXd(VectorXd::NullaryExpr(d, [&] { return scale * normal(engine); }));
  };
  const auto inside = [](VectorXd v) { return v.norm() > 1 ? VectorXd(v / v.norm()) : v; };
  double worst = 0;
  for (int start = 0; start < 60; ++start) {
    VectorXd x = inside(drawn(1)), y = inside(drawn(1));
    if (start % 3 == 0) y = -x;
    // Coordinates at their bounds are where formulas bend.
    if (start % 3 == 1) x = inside(bounds), y = inside(-bounds + drawn(0.1));
    if (adjacency == Adjacency::add_remove) y.setZero();
    double value = squared_move(x, y, bounds, lambda);
    double step = 0.3;
    while (step > 1e-7) {
      bool rose = false;
      for (int attempt = 0; attempt < 30 && !rose; ++attempt) {
        const VectorXd next_x = inside(x + drawn(step));
        const VectorXd next_y = adjacency == Adjacency::add_remove ? y : inside(y + drawn(step));
        const double next = squared_move(next_x, next_y, bounds, lambda);
        if (next > value) x = next_x, y = next_y, value = next, rose = true;
      }
      if (!rose) step /= 2;
    }
    worst = std::max(worst, value);
  }
  return worst;
}

VectorXd of(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

TEST(ClippedSquares, GainIsNeverExceededByAnyPairOfRowsAndBounds) {
  for (const VectorXd& bounds : {of({0.5, 0.5}), of({0.7, 0.7}), of({0.4, 0.1, 0.4}), of({1, 0.2, 0.05, 0.6}),
                                 of({0.3, 0.3, 0.3, 0.3, 0.3, 0.3})}) {
    for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
      for (const double weight : {0.1, 0.25, 0.4, 1.0, 6.0}) {
        const double c = bounds.maxCoeff();
        const double found = worst_move(bounds, weight / (c * c), adjacency);
        EXPECT_LE(found, clipped_square_gain(adjacency, weight) * (1 + 1e-12))
            << bounds.transpose() << " " << weight;
        EXPECT_GE(found, adjacency == Adjacency::replace_one ? 4 * (1 - 1e-5) : 1) << weight;
      }
    }
  }
}

TEST(ClippedSquares, GainIsReachedWhereRowsAreFullOfCoordinatesAtTheirBounds) {
  // Add-remove: k coordinates at c = 1/sqrt k move 1 + weight.
  const VectorXd full = VectorXd::Constant(9, 1.0 / 3);
  EXPECT_NEAR(squared_move(full, VectorXd::Zero(9), full, 2 * 9),
              clipped_square_gain(Adjacency::add_remove, 2), 1e-12);
  // Replace-one: (1, w) against -(w, 1), in units of c. The gain is at most 2^-12 above it, the width of its
  // cells times the slopes of its two factors.
  for (const double weight : {0.3, 0.5, 1.0, 6.0}) {
    double reached = 0;
    for (double w = 0; w <= 1; w += 1e-3) {
      const double c = 1 / std::sqrt(1 + w * w);
      reached =
          std::max(reached, squared_move(of({c, c * w}), of({-c * w, -c}), of({c, c}), weight / (c * c)));
    }
    EXPECT_NEAR(clipped_square_gain(Adjacency::replace_one, weight) / reached, 1, 0x1p-12) << weight;
    EXPECT_GE(clipped_square_gain(Adjacency::replace_one, weight), reached) << weight;
  }
}

TEST(ClippedSquares, FreeLambdaIsFreeAndOnePercentMoreIsNot) {
  for (const double c : {0.1, 0.4, 0.7, 0.8, 1.0}) {
    SCOPED_TRACE(c);
    const RowModel rows{.dimension = 3, .norm_bound = 1};
    const double lambda = free_lambda_of_clipped_squares(rows, {.bound = c});
    EXPECT_EQ(lambda, std::max(1 / (4 * c * c), 0.5));
    const Exposure one = single_exposure({1}, {1});
    EXPECT_NEAR(clipped_square_sensitivity(rows, {.bound = c}, one, lambda), 2, 1e-14);
    const VectorXd bounds = VectorXd::Constant(3, c);
    EXPECT_LE(worst_move(bounds, lambda, Adjacency::replace_one), 4 * (1 + 1e-12));
    // Two coordinates near c, nearly exchanged; or, where two such do not fit, the worst pair without bounds.
    const double e = 0.003 * c, rest = std::sqrt(std::max(0.0, 1 - c * c - (c - e) * (c - e)));
    const double half = std::acos(-1 / 1.01) / 2, turn = std::acos(-1.0) / 4;
    const bool two_fit = 2 * c * c <= 1;
    const VectorXd x = two_fit ? of({c, c - e, rest}) : of({std::cos(turn + half), std::sin(turn + half), 0});
    const VectorXd y =
        two_fit ? of({e - c, -c, -rest}) : of({std::cos(turn - half), std::sin(turn - half), 0});
    EXPECT_LE(squared_move(x, y, bounds, lambda), 4 * (1 + 1e-15));
    EXPECT_GT(squared_move(x, y, bounds, 1.01 * lambda), 4 * (1 + 1e-11));
    EXPECT_GT(clipped_square_sensitivity(rows, {.bound = c}, one, 1.01 * lambda), 2 * (1 + 1e-9));
  }
}

TEST(ClippedSquares, FreeLambdaHoldsForEveryLayerAtOnceAndOnePercentMoreDoesNot) {
  // A layer with large bounds, and one with small ones where the worst pair is.
  const VectorXd bounds = of({0.9, 0.05, 0.05, 0.9});
  const double lambda = free_lambda_of_clipped_squares({.dimension = 4}, {.bound = 0.9, .is_uniform = false});
  EXPECT_EQ(lambda, 1 / (4 * 0.9 * 0.9));
  EXPECT_LE(worst_move(bounds, lambda, Adjacency::replace_one), 4 * (1 + 1e-12));
  const double c = 0.05, e = 0.003 * c, rest = std::sqrt(1 - c * c - (c - e) * (c - e));
  const VectorXd x = of({rest, c, c - e, 0}), y = of({-rest, e - c, -c, 0});
  EXPECT_LE(squared_move(x, y, bounds, lambda), 4 * (1 + 1e-15));
  EXPECT_GT(squared_move(x, y, bounds, 1.01 * lambda), 4 * (1 + 1e-11));
}

TEST(ClippedSquares, WithABoundThatBoundsNothingHaveTheSensitivityOfRows) {
  for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    const RowModel rows{.adjacency = adjacency, .dimension = 5, .norm_bound = 1.7};
    const Exposure exposure{.patterns = {{{.first = 1, .second = 0.3}, {.first = 0.2, .second = 1}}}};
    for (const double lambda : {0.01, 0.3, 2.0})
      EXPECT_EQ(clipped_square_sensitivity(rows, {.bound = 1.7}, exposure, lambda),
                joint_sensitivity(rows, exposure, lambda));
  }
}

TEST(ClippedSquares, CountEveryColumnOfAPatternWithItsOwnWeight) {
  const RowModel rows{.adjacency = Adjacency::add_remove, .dimension = 5, .norm_bound = 2};
  const Exposure exposure{.patterns = {{{.first = 1, .second = 3}, {.first = 0.5, .second = 0.25}},
                                       {{.first = 2, .second = 0}},
                                       {{.first = 0, .second = 1}}}};
  // zeta^2 (g1 + lambda c^2 g2), added up: (1 + 3 w) + (0.5 + 0.25 w) with w = lambda c^2.
  EXPECT_NEAR(clipped_square_sensitivity(rows, {.bound = 0.5}, exposure, 2), 2 * std::sqrt(1.5 + 3.25 * 0.5),
              1e-13);
  EXPECT_NEAR(clipped_square_sensitivity(rows, {.bound = 0.5}, exposure, 0.01), 2 * std::sqrt(2.0), 1e-13);
  // Replace-one: the first column's weight is beyond what is free, the second's is not.
  const RowModel replaced{.dimension = 5, .norm_bound = 2};
  const Exposure both{.patterns = {exposure.patterns.front()}};
  const double gain = clipped_square_gain(Adjacency::replace_one, 3 * 0.1);
  EXPECT_GT(gain, 4);
  EXPECT_NEAR(clipped_square_sensitivity(replaced, {.bound = 0.5, .is_uniform = false}, both, 0.4),
              2 * std::sqrt(gain + 0.5 * 4), 1e-12);
}

TEST(ClippedSquares, RefuseNonsense) {
  const Exposure one = single_exposure({1}, {1});
  for (const double bound : {0.0, -1.0, 1.01, std::nan("")}) {
    EXPECT_THROW((void)clipped_square_sensitivity({}, {.bound = bound}, one, 1), InvalidParameter) << bound;
    EXPECT_THROW((void)free_lambda_of_clipped_squares({}, {.bound = bound}), InvalidParameter) << bound;
  }
  EXPECT_THROW((void)clipped_square_sensitivity({}, {.bound = 1}, one, -1), InvalidParameter);
  EXPECT_THROW((void)clipped_square_gain(Adjacency::replace_one, std::nan("")), InvalidParameter);
  EXPECT_EQ(free_lambda_of_clipped_squares({.adjacency = Adjacency::add_remove}, {.bound = 1}), 0);
}

}  // namespace
}  // namespace jme
