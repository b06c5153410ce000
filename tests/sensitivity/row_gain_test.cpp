#include "sensitivity/row_gain.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/joint.hpp>

#include "sensitivity/box_rows.hpp"

namespace jme {
namespace {

using testing::BoxProblem;
using testing::largest_found;
using testing::square;

RowModel box(std::size_t d, SecondMoment second = SecondMoment::full, Presence presence = Presence::complete,
             bool counts_rows = false) {
  return {.dimension = d,
          .norm_bound = 2 * std::sqrt(static_cast<double>(d)),
          .geometry = Geometry::box,
          .second = second,
          .presence = presence,
          .counts_rows = counts_rows};
}

/// The weights at lambda = v times the free one, from what callers see.
BoxWeights weights_at(const RowModel& rows, double v) {
  const EntryWeights entries = entry_weights(rows);
  const double lambda = v * free_diagonal_weight(rows);
  const auto others = static_cast<double>(rows.dimension - 1);
  return {.diagonal = lambda,
          .off_diagonal = lambda * entries.off_diagonal * others,
          .cells = entries.cells,
          .pairs = lambda * entries.pairs * others,
          .row = entries.row};
}

BoxProblem problem_of(const RowModel& rows, double v) {
  Presence presence = rows.presence;
  if (rows.counts_rows && presence == Presence::complete) presence = Presence::rows;
  return {.weights = weights_at(rows, v),
          .dimension = rows.dimension,
          .presence = presence,
          .adjacency = rows.adjacency,
          .norm_bound = square(rows.norm_bound) < static_cast<double>(rows.dimension)
                            ? rows.norm_bound
                            : std::numeric_limits<double>::infinity()};
}

double gain_at(const RowModel& rows, double v) {
  return squared_gain(rows, v * free_diagonal_weight(rows));
}

TEST(EntryWeights, AreThoseOfTheFreePoint) {
  for (std::size_t d : {2U, 3U, 5U, 10U}) {
    const auto n = static_cast<double>(d);
    const EntryWeights complete = entry_weights(box(d));
    EXPECT_EQ(free_diagonal_weight(box(d)), 2);
    EXPECT_DOUBLE_EQ(complete.off_diagonal, 1 / (2 * (n - 1)));
    EXPECT_EQ(complete.row, 0);
    EXPECT_EQ(complete.cells, 0);
    const RowModel counted = box(d, SecondMoment::full, Presence::complete, true);
    EXPECT_EQ(free_diagonal_weight(counted), 2);
    EXPECT_DOUBLE_EQ(entry_weights(counted).row, n / 2);
    const RowModel gaps = box(d, SecondMoment::full, Presence::cells, true);
    EXPECT_EQ(free_diagonal_weight(gaps), 1);
    EXPECT_DOUBLE_EQ(entry_weights(gaps).off_diagonal, 1 / (n - 1));
    EXPECT_DOUBLE_EQ(entry_weights(gaps).pairs, 0.5 / (n - 1));
    EXPECT_EQ(entry_weights(gaps).cells, 0.5);
    EXPECT_DOUBLE_EQ(entry_weights(gaps).row, 0.75 * n);
    EXPECT_EQ(entry_weights(box(d, SecondMoment::diagonal)).off_diagonal, 0);
    EXPECT_EQ(free_diagonal_weight(box(d, SecondMoment::none)), 0);
    EXPECT_EQ(entry_weights(box(d, SecondMoment::none, Presence::cells)).cells, 1.5);
    // The ball: both halves of the matrix count.
    EXPECT_EQ(entry_weights({.dimension = d, .norm_bound = 3}).off_diagonal, 2);
    EXPECT_DOUBLE_EQ(entry_weights({.dimension = d, .norm_bound = 3, .counts_rows = true}).row, 2.5 * 9);
  }
}

// Squared error of the whole matrix at the free weight, against the ball that contains the box.
TEST(EntryWeights, MakeTheSecondMomentsErrorSmallerThanInTheBall) {
  const auto error = [](const RowModel& rows) {
    const auto d = static_cast<double>(rows.dimension);
    const double lambda = free_diagonal_weight(rows);
    return squared_gain(rows, lambda) *
           (d / lambda + d * (d - 1) / (lambda * entry_weights(rows).off_diagonal));
  };
  const std::vector<std::pair<std::size_t, double>> ratios{
      {2, 4.0}, {3, 8.0 / 3}, {5, 20 / 11.0}, {10, 1.35}};
  for (const auto& [d, ratio] : ratios) {
    const RowModel ball{.dimension = d, .norm_bound = std::sqrt(static_cast<double>(d))};
    EXPECT_NEAR(error(ball) / error(box(d)), ratio, d == 10 ? 0.005 : 1e-12) << d;
  }
}

TEST(SquaredGain, OfTheBallIsTheJointGain) {
  for (Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    for (std::size_t d : {1U, 2U, 7U}) {
      const RowModel rows{.adjacency = adjacency, .dimension = d, .norm_bound = 1.7};
      for (double lambda : {0.0, 0.1, 1.0, 30.0}) {
        EXPECT_EQ(squared_gain(rows, lambda), 1.7 * 1.7 * joint_gain(adjacency, d, lambda * 1.7 * 1.7));
      }
    }
  }
}

using Digits50 = boost::multiprecision::cpp_bin_float_50;

/// f_2 of two complete cells with |x_i - y_i| = 1 + a, 1 + b, on a grid of the whole square, and then
/// climbed.
Digits50 pair_supremum(double diagonal, double off_diagonal) {
  const auto f = [&](const auto& a, const auto& b) {
    using T = std::decay_t<decltype(a)>;
    const T p = 1 - a * a, q = 1 - b * b, r = 1 - a * b;
    return T((1 + a) * (1 + a) + (1 + b) * (1 + b) + diagonal * (p * p + q * q) + off_diagonal * r * r);
  };
  double best_a = 0, best_b = 0;
  const int steps = 400;
  for (int i = -steps; i <= steps; ++i) {
    for (int j = -steps; j <= i; ++j) {
      const double a = i / static_cast<double>(steps), b = j / static_cast<double>(steps);
      if (f(a, b) > f(best_a, best_b)) {
        best_a = a;
        best_b = b;
      }
    }
  }
  Digits50 a = best_a, b = best_b, best = f(a, b);
  for (Digits50 step = 1.0 / steps; step > 1e-12; step /= 2) {
    for (bool moved = true; moved;) {
      moved = false;
      for (int direction = 0; direction < 9; ++direction) {
        Digits50 x = a + (direction % 3 - 1) * step, y = b + (direction / 3 - 1) * step;
        if (abs(x) > 1 || abs(y) > 1 || !(f(x, y) > best)) continue;
        a = x;
        b = y;
        best = f(x, y);
        moved = true;
      }
    }
  }
  return best;
}

TEST(SquaredGain, OfTwoCellsIsTheSupremumAtFiftyDigits) {
  for (double v : {1.0, 1.05, 1.1, 1.25, 1.4, 1.5, 2.0, 3.0, 4.0, 20.0}) {
    const double truth = static_cast<double>(pair_supremum(2 * v, v));
    EXPECT_NEAR(gain_at(box(2), v), truth, 1e-14 * truth) << v;
  }
}

std::vector<SecondMoment> second_moments(std::size_t d) {
  if (d == 1) return {SecondMoment::diagonal};
  return {SecondMoment::diagonal, SecondMoment::full};
}

TEST(SquaredGain, OfTheBoxIsNeverBelowWhatRowsReach) {
  for (std::size_t d = 1; d <= 6; ++d) {
    for (const SecondMoment second : second_moments(d)) {
      for (const Presence presence : {Presence::complete, Presence::rows, Presence::cells}) {
        for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
          RowModel rows = box(d, second, presence, presence != Presence::complete && d % 2 == 0);
          rows.adjacency = adjacency;
          for (double v : {0.5, 1.0, 1.1, 1.25, 1.5, 2.0, 4.0}) {
            SCOPED_TRACE(::testing::Message() << d << " " << name(second) << " " << static_cast<int>(presence)
                                              << " " << name(adjacency) << " " << v);
            const double found = largest_found(problem_of(rows, v), 12, 5);
            const double gain = gain_at(rows, v);
            EXPECT_LE(found, gain * (1 + 1e-12));  // sums of some hundred terms
            // Exact: add-remove, up to the free weight, separate cells, and two complete cells.
            const bool exact = adjacency == Adjacency::add_remove || v <= 1 ||
                               second == SecondMoment::diagonal || (d == 2 && presence != Presence::cells);
            EXPECT_GE(found, gain * (exact ? 1 - 1e-6 : 0.8));
          }
        }
      }
    }
  }
}

TEST(SquaredGain, IsFlatUpToTheFreeWeightAndRisesBeyondIt) {
  for (std::size_t d : {1U, 2U, 3U, 8U}) {
    for (const SecondMoment second : second_moments(d)) {
      for (const Presence presence : {Presence::complete, Presence::rows, Presence::cells}) {
        const RowModel rows = box(d, second, presence, presence != Presence::complete);
        for (double v : {0.0, 0.3, 1.0}) EXPECT_EQ(gain_at(rows, v), 4.0 * static_cast<double>(d));
        EXPECT_GT(gain_at(rows, 1.01), 4.0 * static_cast<double>(d));
        // Nor is that caution: rows really are farther apart there.
        EXPECT_GT(largest_found(problem_of(rows, 1.01), 24, 3), 4.0 * static_cast<double>(d) * (1 + 1e-6));
      }
    }
  }
}

TEST(SquaredGain, OfTheBoxWithANormBoundIsNeverBelowWhatRowsReach) {
  for (std::size_t d = 1; d <= 6; ++d) {
    for (const double share : {0.2, 0.5, 0.9}) {
      for (const SecondMoment second : second_moments(d)) {
        for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
          for (const bool counts : {false, true}) {
            RowModel rows = box(d, second, counts ? Presence::rows : Presence::complete, counts);
            rows.adjacency = adjacency;
            rows.norm_bound = std::sqrt(share * static_cast<double>(d));
            const double z2 = share * static_cast<double>(d);
            for (double v : {0.5, 1.0, 1.1, 1.5, 2.0, 4.0}) {
              const double found = largest_found(problem_of(rows, v), 12, 9);
              EXPECT_LE(found, gain_at(rows, v) * (1 + 1e-12)) << d << " " << share << " " << v;
              if (adjacency == Adjacency::add_remove || v > 1) continue;
              EXPECT_NEAR(gain_at(rows, v), 4 * z2, 1e-14 * z2);
              EXPECT_NEAR(found, 4 * z2, 1e-12 * z2);
            }
          }
        }
      }
    }
  }
}

TEST(SquaredGain, WithANormBoundHasTheLeastErrorOnItsBorder) {
  for (std::size_t d : {2U, 5U, 30U, 200U}) {
    const auto n = static_cast<double>(d);
    for (const double share : {0.01, 0.1, 0.5, 0.99}) {
      RowModel rows = box(d);
      rows.norm_bound = std::sqrt(share * n);
      const double z2 = rows.norm_bound * rows.norm_bound;
      const double diagonal = free_diagonal_weight(rows);
      const double product = diagonal * entry_weights(rows).off_diagonal / 2;
      EXPECT_GE(diagonal, product * (1 - 1e-15));
      EXPECT_LE(2 * z2 * product + 4 * (diagonal - product), 1 + 1e-14);
      const auto error = [&](double ld, double lo) { return n / ld + n * (n - 1) / (2 * lo); };
      const double chosen = error(diagonal, product);
      for (int i = 1; i <= 1000; ++i) {
        const double lo = i / (2000 * z2);
        const double ld = lo + (1 - 2 * z2 * lo) / 4;
        EXPECT_GE(error(ld, lo), chosen * (1 - 1e-12)) << d << " " << share;
      }
    }
  }
}

TEST(SquaredGain, OfACountedRowInTheBallIsTheLargerOfReplacingAndRemoving) {
  for (std::size_t d : {1U, 2U, 4U}) {
    const double z2 = 1.44;
    RowModel rows{.dimension = d, .norm_bound = 1.2, .counts_rows = true};
    const double row = entry_weights(rows).row;
    const double free = free_diagonal_weight(rows);
    EXPECT_NEAR(free * z2, d == 1 ? 2 : 0.5, 1e-15);
    for (double v : {0.5, 1.0, 1.3, 1.9, 5.0}) {
      const double removed = z2 + v * free * z2 * z2 + row;
      const double replaced = z2 * joint_gain(Adjacency::replace_one, d, v * free * z2);
      EXPECT_NEAR(squared_gain(rows, v * free), std::max(replaced, removed), 1e-14 * removed);
    }
    EXPECT_NEAR(squared_gain(rows, free), 4 * z2, 1e-14);
    EXPECT_GT(squared_gain(rows, 1.01 * free), 4 * z2);
    rows.adjacency = Adjacency::add_remove;
    EXPECT_NEAR(squared_gain(rows, 0.7), z2 + 0.7 * z2 * z2 + row, 1e-14);
  }
}

TEST(RowGain, InvertsItselfAndKnowsItsSlopeAndLimit) {
  for (const Presence presence : {Presence::complete, Presence::cells}) {
    for (const SecondMoment second : {SecondMoment::diagonal, SecondMoment::full}) {
      const sensitivity::RowGain gain(box(4, second, presence, true));
      const double free = gain.flat();
      EXPECT_EQ(gain.inverse(16), free);
      for (double rho : {16.5, 20.0, 100.0}) {
        const double nu = gain.inverse(rho);
        EXPECT_LE(gain.at(nu), rho);
        EXPECT_GT(gain.at(nu * (1 + 1e-13)), rho);
      }
      EXPECT_EQ(gain.slope(0.5 * free), 0);
      EXPECT_NEAR(gain.slope(1e6 * free), gain.limit(), 1e-6 * gain.limit());
    }
  }
}

TEST(LargestFreeLambda, OfTheBoxIsFreeAndNothingBeyondIt) {
  for (const Presence presence : {Presence::complete, Presence::rows, Presence::cells}) {
    const RowModel rows = box(3, SecondMoment::full, presence, presence != Presence::complete);
    const double free = free_diagonal_weight(rows);
    EXPECT_DOUBLE_EQ(largest_free_lambda(rows, single_exposure({4.0, 1.0}, {9.0, 2.0})), free * 4 / 9);
    for (const Exposure& exposure :
         {single_exposure({4, 1}, {1, 4}), single_exposure({4, 3.9, 1}, {1, 1.1, 40}),
          Exposure{.patterns = {{{.first = 1, .second = 4}, {.first = 1, .second = 2}},
                                {{.first = 3, .second = 0.3}, {.first = 3, .second = 0.3}}}}}) {
      const double lambda = largest_free_lambda(rows, exposure);
      const double first = first_sensitivity(rows, exposure);
      EXPECT_LE(joint_sensitivity(rows, exposure, lambda), first * (1 + 1e-15));
      EXPECT_GT(joint_sensitivity(rows, exposure, lambda * 1.001), first);
    }
  }
}

TEST(WeightedLambda, OfTheBoxMinimisesTheGoal) {
  const Exposure exposure = single_exposure({4, 1, 0.5}, {1, 4, 5});
  for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    RowModel rows = box(3);
    rows.adjacency = adjacency;
    for (double ratio : {1e-3, 1.0, 50.0}) {
      const auto goal = [&](double lambda) {
        const double s = joint_sensitivity(rows, exposure, lambda);
        return s * s * (1 + ratio / lambda);
      };
      const double least = goal(weighted_lambda(rows, exposure, ratio));
      // The slope is taken over a millionth of lambda, so a kink may be missed by that much.
      for (double lambda = 1e-4; lambda < 1e4; lambda *= 1.01) EXPECT_GE(goal(lambda), least * (1 - 1e-6));
    }
  }
}

TEST(RowModel, RefusesWhatHasNoMeaning) {
  const Exposure exposure = single_exposure({1}, {1});
  RowModel rows = box(3);
  rows.geometry = Geometry::automatic;
  EXPECT_THROW((void)joint_sensitivity(rows, exposure, 1), InvalidParameter);
  rows = box(3, SecondMoment::full, Presence::cells);
  rows.norm_bound = 1.5;
  EXPECT_THROW((void)entry_weights(rows), InvalidParameter);
  rows.geometry = Geometry::ball;
  EXPECT_THROW((void)entry_weights(rows), InvalidParameter);
  EXPECT_THROW((void)joint_sensitivity(box(3, SecondMoment::none), exposure, 1), InvalidParameter);
  EXPECT_EQ(joint_sensitivity(box(3, SecondMoment::none), exposure, 0), std::sqrt(12.0));
}

}  // namespace
}  // namespace jme
