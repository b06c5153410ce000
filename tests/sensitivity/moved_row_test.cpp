#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/moved_row.hpp>

#include "sensitivity/box_rows.hpp"

namespace jme {
namespace {

using testing::BoxProblem;
using testing::largest_found;

constexpr double no_slack = 0;

RowModel counted_box(std::size_t d, SecondMoment second = SecondMoment::full,
                     Presence presence = Presence::complete) {
  return {.dimension = d,
          .norm_bound = 2 * std::sqrt(static_cast<double>(d)),
          .geometry = Geometry::box,
          .second = second,
          .presence = presence,
          .counts_rows = true};
}

RowModel counted_ball(std::size_t d, SecondMoment second, Geometry geometry = Geometry::ball) {
  return {.dimension = d,
          .norm_bound = geometry == Geometry::box ? 0.8 * std::sqrt(static_cast<double>(d)) : 1,
          .geometry = geometry,
          .second = second,
          .counts_rows = true};
}

double lambda_at(const RowModel& rows, double v) {
  return v * free_diagonal_weight(rows);
}

ColumnProducts products(double g) {
  return {.against = std::max(0.0, -g), .along = std::max(0.0, g)};
}

double claimed(const RowModel& rows, double v, double g1, double g2) {
  const MovedColumns columns{.of_first = products(g1), .of_second = products(g2), .are_equal = g1 == g2};
  return std::pow(moved_row_sensitivity(rows, columns, lambda_at(rows, v), no_slack), 2);
}

/// The definition: a row x against none in one step, and none against a row y in the other, whose columns
/// have these products. A change of sign of y's step makes both of them rows that are taken away.
BoxProblem problem_of(const RowModel& rows, double v, double g1, double g2) {
  const EntryWeights entries = entry_weights(rows);
  const double lambda = lambda_at(rows, v);
  const auto others = static_cast<double>(rows.dimension - 1);
  const bool is_cut = rows.norm_bound * rows.norm_bound < static_cast<double>(rows.dimension);
  BoxProblem problem{
      .weights = {.diagonal = lambda,
                  .off_diagonal = lambda * entries.off_diagonal * others,
                  .cells = entries.cells,
                  .pairs = lambda * entries.pairs * others,
                  .row = entries.row},
      .dimension = rows.dimension,
      .presence = rows.presence == Presence::cells ? Presence::cells : Presence::rows,
      .adjacency = Adjacency::add_remove,
      .norm_bound = is_cut || rows.dimension == 1 ? rows.norm_bound : std::numeric_limits<double>::infinity(),
      .gram_first = Eigen::MatrixXd::Ones(2, 2),
      .gram_second = Eigen::MatrixXd::Ones(2, 2)};
  problem.gram_first(0, 1) = problem.gram_first(1, 0) = -g1;
  problem.gram_second(0, 1) = problem.gram_second(1, 0) = -g2;
  return problem;
}

double found_within_one_step(const RowModel& rows, double v) {
  BoxProblem problem = problem_of(rows, v, 0, 0);
  problem.adjacency = Adjacency::replace_one;
  problem.gram_first = problem.gram_second = Eigen::MatrixXd::Ones(1, 1);
  return largest_found(problem, 24, 3);
}

std::vector<RowModel> row_models() {
  std::vector<RowModel> models;
  for (const std::size_t d : {1U, 2U, 3U, 4U}) {
    for (const SecondMoment second : {SecondMoment::none, SecondMoment::diagonal, SecondMoment::full}) {
      models.push_back(counted_box(d, second));
      models.push_back(counted_box(d, second, Presence::cells));
      models.push_back(counted_ball(d, second));
      if (d > 1) models.push_back(counted_ball(d, second, Geometry::box));
    }
  }
  return models;
}

// Ascent over values, presence and existence knows the definition and no formula.
TEST(MovedRow, IsNeverBelowWhatRowsReachForEveryRowModelLambdaAndPairOfShapes) {
  for (const RowModel& rows : row_models()) {
    for (const double v : {0.01, 0.3, 1.0, 2.5}) {
      if (rows.second == SecondMoment::none && v != 1) continue;
      const double within = found_within_one_step(rows, v);
      for (const double g1 : {-0.25, 0.0, 0.6, 0.95}) {
        for (const double g2 : {-0.25, 0.0, 0.6, 0.95}) {
          if (rows.second == SecondMoment::none && g1 != g2) continue;
          const double found = largest_found(problem_of(rows, v, g1, g2), 12, 7);
          EXPECT_LE(std::max(found, within), claimed(rows, v, g1, g2) * (1 + 1e-9))
              << "d=" << rows.dimension << " geometry " << static_cast<int>(rows.geometry) << " second "
              << static_cast<int>(rows.second) << " presence " << static_cast<int>(rows.presence)
              << " v=" << v << " g1=" << g1 << " g2=" << g2;
        }
      }
    }
  }
}

// Where the products of both channels are the worst ones at once, some pair of rows has it all: opposite
// corners where the first channel's columns point the same way, else the same corner twice.
TEST(MovedRow, IsReachedWhereOneShapeIsOrthogonalOrPointsAgainstItself) {
  for (const Presence presence : {Presence::complete, Presence::cells}) {
    for (const std::size_t d : {2U, 3U, 5U}) {
      const RowModel rows = counted_box(d, SecondMoment::full, presence);
      for (const double v : {0.01, 0.3, 1.0, 2.5}) {
        const double within = found_within_one_step(rows, v);
        for (const double g1 : {-0.25, 0.0, 0.6, 0.95}) {
          for (const double g2 : {-0.25, 0.0}) {
            if (g1 == g2) continue;
            // Counts of cells take what opposite corners gain.
            if (presence == Presence::cells && g1 > 0) continue;
            const double found = std::max(within, largest_found(problem_of(rows, v, g1, g2), 12, 7));
            EXPECT_GE(found, claimed(rows, v, g1, g2) * (1 - 1e-9))
                << d << " " << v << " " << g1 << " " << g2;
          }
        }
        const double h = 0.25, apart = largest_found(problem_of(rows, v, -h, -h), 12, 7);
        EXPECT_GE(std::max(apart, within), claimed(rows, v, -h, -h) * (1 - 1e-9));
      }
    }
  }
}

// Squared distances by another program, which knows the embedding of a row and no closed form: mpmath with 50
// digits for two corners of the box in two steps with these products, or in one step, and numpy with L-BFGS
// from 80 starts over all cells of both rows, which found the same to twelve digits.
TEST(MovedRow, HasTheValuesOfAnotherProgram) {
  struct Known {
    std::size_t dimension;
    SecondMoment second;
    double v, g1, g2, squared;
  };
  const SecondMoment full = SecondMoment::full, diagonal = SecondMoment::diagonal;
  for (const Known& k : {Known{2, full, 0.01, 0.95, 0, 8.0}, Known{3, full, 0.3, 0.6, -0.25, 16.425},
                         Known{5, full, 1, 0.95, 0, 44.75}, Known{5, full, 2.5, -0.25, 0, 81.25},
                         Known{3, full, 1, 0, -0.25, 27.75}, Known{3, diagonal, 0.5, 0.8, 0, 18.0},
                         Known{4, diagonal, 1, -0.125, -0.25, 38.0},
                         Known{3, full, 0.7, -0.25, -0.25, 24.375}, Known{5, full, 0.05, 0, 0, 20.0}}) {
    EXPECT_NEAR(claimed(counted_box(k.dimension, k.second), k.v, k.g1, k.g2), k.squared, 1e-11 * k.squared)
        << k.dimension << " " << k.v << " " << k.g1 << " " << k.g2;
  }
}

// A row is replaced within one step: for a small lambda this moves the first channel more than a row that
// leaves and comes.
TEST(MovedRow, IncludesTheRowThatIsReplacedWithinItsStep) {
  const RowModel rows = counted_box(3);
  EXPECT_DOUBLE_EQ(claimed(rows, 0.01, 0, 0), 4 * 3);
  EXPECT_GE(found_within_one_step(rows, 0.01), 4 * 3 * (1 - 1e-12));
  EXPECT_DOUBLE_EQ(claimed(rows, 1, 0, 0), 2 * 4 * 3);
}

TEST(MovedRow, OfTheTraceIncludesIt) {
  const RowModel rows{.dimension = 3, .norm_bound = 1, .geometry = Geometry::ball_trace};
  const double lambda = free_diagonal_weight(rows), trace = entry_weights(rows).trace;
  EXPECT_GT(trace, 1);
  const MovedColumns apart{.of_first = products(0), .of_second = products(0), .are_equal = true};
  // Two rows of length 1 at orthogonal columns: each adds its values, its products and its trace.
  EXPECT_NEAR(std::pow(moved_row_sensitivity(rows, apart, lambda, no_slack), 2),
              std::max(4.0, 2 * (1 + lambda * (1 + trace))), 1e-12);
}

// The columns of both channels scale it, and what one step is rounded by counts in both of them.
TEST(MovedRow, GrowsWithColumnsAndWithRounding) {
  const RowModel rows = counted_box(2);
  const auto at = [&](const MovedColumns& columns, double slack) {
    return moved_row_sensitivity(rows, columns, 0.8, slack);
  };
  const MovedColumns apart{.first = 4, .second = 9, .of_first = products(0.5), .of_second = products(-0.5)};
  const double v = 0.8 / 2 * 9 / 4;
  EXPECT_NEAR(at(apart, 0), 2 * std::sqrt(claimed(rows, v, 0.5, -0.5)), 1e-12);
  EXPECT_NEAR(at(apart, 0.5), at(apart, 0) + 1, 1e-12);
  const MovedColumns equal{.of_first = products(0), .are_equal = true};
  EXPECT_NEAR(at(equal, 0.5), at(equal, 0) + std::sqrt(2) * 0.5, 1e-12);
  EXPECT_THROW((void)at({.first = 0}, 0), InvalidParameter);
}

}  // namespace
}  // namespace jme
