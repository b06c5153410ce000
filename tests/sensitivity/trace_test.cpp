// The trace of the second moment beside rows in a ball (GUARANTEES.md, "The trace in the ball"): searches for
// rows that are farther apart than the formula says, from the definition alone.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/joint.hpp>

#include "sensitivity/joint_gain.hpp"

namespace jme::trace_tests {
namespace {

using sensitivity::free_trace_weight;
using sensitivity::traced_gain;
using Row = std::vector<double>;

struct Weights {
  double nu;     ///< of products
  double trace;  ///< of the trace, over nu
  bool full;     ///< all products, or squares alone
};

/// How far apart two rows are.
double distance(const Weights& weights, const Row& x, const Row& y) {
  double values = 0, products = 0, trace = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    values += (x[i] - y[i]) * (x[i] - y[i]);
    trace += x[i] * x[i] - y[i] * y[i];
    for (std::size_t j = weights.full ? 0 : i; j < (weights.full ? x.size() : i + 1); ++j) {
      const double change = x[i] * x[j] - y[i] * y[j];
      products += change * change;
    }
  }
  return values + weights.nu * (products + weights.trace * trace * trace);
}

void into_the_ball(Row& row) {
  double square = 0;
  for (const double v : row) square += v * v;
  if (square <= 1) return;
  for (double& v : row) v /= std::sqrt(square);
}

/// The largest distance that a search from many random pairs finds: steps in random directions, shorter and
/// shorter.
double farthest(const Weights& weights, std::size_t dimension) {
  std::mt19937_64 random(17 * dimension + (weights.full ? 1 : 0));
  std::normal_distribution<double> normal;
  constexpr int starts = 25;
  double best = 0;
  for (int start = 0; start < starts; ++start) {
    Row x(dimension), y(dimension);
    for (double& v : x) v = normal(random);
    for (double& v : y) v = normal(random);
    // Of any lengths, and every other pair roughly opposite: there are two hills.
    into_the_ball(x), into_the_ball(y);
    const double length = static_cast<double>(start) / starts;
    for (std::size_t i = 0; i < dimension; ++i) {
      y[i] = length * (start % 2 == 0 ? y[i] : 0.1 * y[i] - 0.9 * x[i]);
    }
    double here = distance(weights, x, y);
    double step = 0.5;
    for (int i = 0; i < 4000 && step > 1e-9; ++i) {
      Row a = x, b = y;
      for (double& v : a) v += step * normal(random);
      for (double& v : b) v += step * normal(random);
      into_the_ball(a), into_the_ball(b);
      const double there = distance(weights, a, b);
      if (there > here) {
        x = a, y = b, here = there;
        step *= 1.5;
      } else {
        step *= 0.97;
      }
    }
    best = std::max(best, here);
  }
  return best;
}

TEST(TracedGain, IsNeverExceededByAnyPairOfRowsAndIsReached) {
  for (std::size_t d = 2; d <= 8; ++d) {
    for (const bool full : {true, false}) {
      for (const double nu : {0.2, 0.5, 0.7, 2.0}) {
        for (const double trace : {0.5, free_trace_weight}) {
          const double found = farthest({.nu = nu, .trace = trace, .full = full}, d);
          const double gain = traced_gain(d, nu, trace);
          EXPECT_LE(found, gain + 1e-12) << d << ' ' << full << ' ' << nu << ' ' << trace;
          EXPECT_GE(found, gain * (1 - 1e-4)) << d << ' ' << full << ' ' << nu << ' ' << trace;
        }
      }
    }
  }
}

TEST(TracedGain, IsFreeUpToItsWeightAndOnePercentMoreIsFoundOut) {
  EXPECT_NEAR(free_trace_weight, (11 + 5 * std::sqrt(5.0)) / 4 - 1, 1e-15);
  for (std::size_t d = 2; d <= 8; ++d) {
    for (const bool full : {true, false}) {
      EXPECT_EQ(traced_gain(d, 0.5, free_trace_weight), 4);
      EXPECT_LE(farthest({.nu = 0.5, .trace = free_trace_weight, .full = full}, d), 4 + 1e-12);
      EXPECT_GT(farthest({.nu = 0.5, .trace = 1.01 * free_trace_weight, .full = full}, d), 4.015);
      EXPECT_GT(farthest({.nu = 0.505, .trace = free_trace_weight, .full = full}, d), 4.015);
    }
  }
}

RowModel traced(std::size_t d, double zeta = 1) {
  return {.dimension = d, .norm_bound = zeta, .geometry = Geometry::ball_trace};
}

TEST(TracedGain, IsTheRowsOwnInUnitsOfTheNormBound) {
  for (const double zeta : {0.3, 1.0, 5.0}) {
    const RowModel rows = traced(3, zeta);
    EXPECT_EQ(entry_weights(rows).trace, free_trace_weight);
    EXPECT_EQ(entry_weights(rows).off_diagonal, 2);
    EXPECT_DOUBLE_EQ(free_diagonal_weight(rows), 1 / (2 * zeta * zeta));
    for (const double nu : {0.0, 0.3, 0.5, 1.0, 4.0}) {
      EXPECT_DOUBLE_EQ(squared_gain(rows, nu / (zeta * zeta)),
                       zeta * zeta * traced_gain(3, nu, free_trace_weight));
    }
  }
  EXPECT_EQ(entry_weights(traced(1)).trace, 0) << "one column is its own trace";
  RowModel none = traced(3);
  none.second = SecondMoment::none;
  EXPECT_EQ(entry_weights(none).trace, 0);
}

TEST(TracedGain, LeavesTheFreeLambdaOfEqualColumnsAndIsNeverBeyondItElsewhere) {
  const RowModel ball{.dimension = 4, .norm_bound = 2};
  RowModel rows = ball;
  rows.geometry = Geometry::ball_trace;
  const Exposure equal = single_exposure({1, 1, 1}, {1, 1, 1}),
                 falling = single_exposure({4, 2, 1}, {4, 2, 1}), apart = single_exposure({4, 1}, {1, 2});
  EXPECT_DOUBLE_EQ(largest_free_lambda(rows, equal), largest_free_lambda(ball, equal));
  EXPECT_DOUBLE_EQ(largest_free_lambda(rows, falling), largest_free_lambda(ball, falling));
  for (const Exposure& exposure : {equal, falling, apart}) {
    const double lambda = largest_free_lambda(rows, exposure);
    EXPECT_LE(lambda, largest_free_lambda(ball, exposure));
    EXPECT_NEAR(joint_sensitivity(rows, exposure, lambda) / first_sensitivity(ball, exposure), 1, 1e-14);
    EXPECT_GT(joint_sensitivity(rows, exposure, 1.01 * lambda), first_sensitivity(ball, exposure));
  }
}

// Two rows of a person through C1 and C2 of two steps each, whose Gram entries have either sign.
TEST(TracedGain, BoundsTwoRowsOfAPersonThroughTwoShapes) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const std::size_t d = 3;
  for (const double sign : {1.0, -1.0}) {
    const double c1[2][2] = {{1, 0}, {0.6 * sign, 1.2}}, c2[2][2] = {{0.8, 0}, {-0.5 * sign, 1.1}};
    const auto gram = [](const double(&c)[2][2], int i) {
      double sum = 0;
      for (int j = 0; j < 2; ++j) sum += std::abs(c[0][i] * c[0][j] + c[1][i] * c[1][j]);
      return sum;
    };
    const Exposure exposure{.patterns = {{{.first = gram(c1, 0), .second = gram(c2, 0)},
                                          {.first = gram(c1, 1), .second = gram(c2, 1)}}},
                            .blocks_touched = 2};
    for (const double lambda : {0.3, 0.5, 1.0}) {
      const double bound = std::pow(joint_sensitivity(traced(d), exposure, lambda), 2);
      double largest = 0;
      for (int pair = 0; pair < 20000; ++pair) {
        Row rows[2][2];
        for (auto& person : rows) {
          for (Row& row : person) {
            row.assign(d, 0.0);
            for (double& v : row) v = normal(random);
            double norm = 0;
            for (const double v : row) norm += v * v;
            const double length = pair % 2 == 0 ? 1 : uniform(random);
            for (double& v : row) v *= length / std::sqrt(norm);
          }
        }
        if (pair % 3 == 0) {  // opposite rows are the worst without a second moment
          for (int t = 0; t < 2; ++t) {
            const double scale = uniform(random);
            for (std::size_t i = 0; i < d; ++i) rows[1][t][i] = -scale * rows[0][t][i];
          }
          if (pair % 2 == 0) rows[0][1] = rows[0][0], rows[1][1] = rows[1][0];
        }
        double total = 0;
        for (int s = 0; s < 2; ++s) {
          for (std::size_t i = 0; i < d; ++i) {
            double value = 0;
            for (int t = 0; t < 2; ++t) value += c1[s][t] * (rows[0][t][i] - rows[1][t][i]);
            total += value * value;
            for (std::size_t j = 0; j < d; ++j) {
              double product = 0;
              for (int t = 0; t < 2; ++t) {
                product += c2[s][t] * (rows[0][t][i] * rows[0][t][j] - rows[1][t][i] * rows[1][t][j]);
              }
              total += lambda * product * product;
            }
          }
          double trace = 0;
          for (int t = 0; t < 2; ++t) {
            for (std::size_t i = 0; i < d; ++i) {
              trace += c2[s][t] * (rows[0][t][i] * rows[0][t][i] - rows[1][t][i] * rows[1][t][i]);
            }
          }
          total += lambda * free_trace_weight * trace * trace;
        }
        largest = std::max(largest, total);
      }
      EXPECT_LE(largest, bound * (1 + 1e-12)) << sign << ' ' << lambda;
      EXPECT_GE(largest, 0.6 * bound) << sign << ' ' << lambda;
    }
  }
}

TEST(TracedGain, IsRefusedWhereNothingIsProved) {
  RowModel rows = traced(3);
  EXPECT_NO_THROW((void)squared_gain(rows, 1));
  rows.adjacency = Adjacency::add_remove;
  EXPECT_THROW((void)squared_gain(rows, 1), InvalidParameter);
  rows = traced(3);
  rows.counts_rows = true;
  EXPECT_THROW((void)squared_gain(rows, 1), InvalidParameter);
  rows = traced(3);
  rows.presence = Presence::rows;
  EXPECT_THROW((void)squared_gain(rows, 1), InvalidParameter);
}

}  // namespace
}  // namespace jme::trace_tests
