// Rows of one person that may be anywhere: at most m of them in a step.
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/sensitivity/participation.hpp>

#include "sensitivity/box_rows.hpp"

namespace jme {
namespace {
namespace full_steps {

using Eigen::Index;
using Eigen::MatrixXd;
using Long = long double;

MatrixXd random_matrix(Index n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatrixXd c = MatrixXd::NullaryExpr(n, n, [&] { return uniform(random); });
  c = c.triangularView<Eigen::Lower>();
  c.diagonal().array() = 1;
  return c;
}

/// G(l) from all entries of C'C, in extended precision.
std::vector<Long> lag_maxima(const MatrixXd& c) {
  const Eigen::Matrix<Long, -1, -1> gram = c.cast<Long>().transpose() * c.cast<Long>();
  std::vector<Long> largest(static_cast<std::size_t>(c.rows()), 0);
  for (Index i = 0; i < c.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      for (Index l = 0; l <= i - j; ++l) {
        Long& at = largest[static_cast<std::size_t>(l)];
        at = std::max(at, std::abs(gram(i, j)));
      }
    }
  }
  return largest;
}

/// Calls `use` with every way to put at most `rows` rows into n steps, at most m into each.
void for_each_placement(std::size_t n, std::size_t rows, std::size_t m,
                        const std::function<void(const std::vector<std::size_t>&)>& use) {
  std::vector<std::size_t> counts(n, 0);
  const std::function<void(std::size_t, std::size_t)> extend = [&](std::size_t step, std::size_t left) {
    if (step == n) return use(counts);
    for (std::size_t count = 0; count <= std::min(left, m); ++count) {
      counts[step] = count;
      extend(step + 1, left - count);
    }
    counts[step] = 0;
  };
  extend(0, rows);
}

template <class Entry>
Long weighted_sum(const std::vector<std::size_t>& counts, const Entry& entry) {
  Long sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (std::size_t j = 0; j < counts.size(); ++j) {
      sum += static_cast<Long>(counts[i] * counts[j]) * entry(i, j);
    }
  }
  return sum;
}

struct Case {
  std::size_t steps, every, rows;
};
const std::vector<Case> cases{{5, 1, 2}, {5, 1, 4}, {5, 2, 3}, {5, 2, 4}, {4, 2, 5},
                              {5, 3, 4}, {4, 3, 7}, {3, 4, 4}, {3, 5, 7}, {2, 9, 4}};

// The bound is the largest value of sum c_i c_j G(|i-j|) over all placements, or the square of `rows` times
// G(0) where that is less: nothing is lost beside G.
TEST(FullSteps, AreTheWorstOfAllPlacementsByLag) {
  std::mt19937_64 random(5);
  for (const Case& at : cases) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      const MatrixXd c = random_matrix(static_cast<Index>(at.steps), random);
      const std::vector<Long> g = lag_maxima(c);
      Long worst = 0;
      for_each_placement(at.steps, at.rows, at.every, [&](const std::vector<std::size_t>& counts) {
        worst = std::max(worst, weighted_sum(counts, [&](std::size_t i, std::size_t j) {
                           return g[i < j ? j - i : i - j];
                         }));
      });
      const Filter filter = Filter::dense(c);
      const Exposure bound =
          exposure(filter, filter, Horizon(at.steps * at.every, at.every), {.rows = at.rows});
      // Sums of at most 5 products in double, and as many roundings upwards.
      EXPECT_NEAR(std::pow(first_column_norm(bound), 2), static_cast<double>(worst),
                  1e-14 * static_cast<double>(worst));
      EXPECT_EQ(bound.blocks_touched, std::min(at.rows, at.steps));
    }
  }
}

TEST(FullSteps, BoundEveryPlacementOfTheGramMatrixAndAreExactWhereOneStepHoldsAllRows) {
  std::mt19937_64 random(6);
  for (const Case& at : cases) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      const MatrixXd c = random_matrix(static_cast<Index>(at.steps), random);
      const MatrixXd gram = (c.transpose() * c).cwiseAbs();
      Long worst = 0;
      for_each_placement(at.steps, at.rows, at.every, [&](const std::vector<std::size_t>& counts) {
        worst = std::max(worst, weighted_sum(counts, [&](std::size_t i, std::size_t j) {
                           return static_cast<Long>(gram(static_cast<Index>(i), static_cast<Index>(j)));
                         }));
      });
      const Filter filter = Filter::dense(c);
      const Exposure bound =
          exposure(filter, filter, Horizon(at.steps * at.every, at.every), {.rows = at.rows});
      const double found = std::pow(first_column_norm(bound), 2);
      EXPECT_GE(found * (1 + 1e-14), static_cast<double>(worst));
      if (at.rows <= at.every) {
        EXPECT_NEAR(found, static_cast<double>(worst), 1e-14 * found);
      }
    }
  }
}

// Ascent over the rows themselves, in the box, with counts of rows, absent cells and rows that do not exist:
// it knows the definition alone. C1 and C2 differ.
TEST(FullSteps, AreNeverExceededByRowsInTheBoxThroughTwoShapes) {
  std::mt19937_64 random(7);
  for (const Case& at : {Case{4, 1, 3}, Case{4, 2, 3}, Case{3, 2, 4}, Case{2, 3, 3}}) {
    const auto n = static_cast<Index>(at.steps);
    const MatrixXd c1 = random_matrix(n, random), c2 = random_matrix(n, random);
    const Exposure bound = exposure(Filter::dense(c1), Filter::dense(c2),
                                    Horizon(at.steps * at.every, at.every), {.rows = at.rows});
    for (const Presence presence : {Presence::rows, Presence::cells}) {
      const RowModel rows{.dimension = 2,
                          .norm_bound = std::sqrt(2.0),
                          .geometry = Geometry::box,
                          .presence = presence,
                          .counts_rows = true};
      const BoxWeights weights = free_weights(SecondMoment::full, 2, presence);
      const double largest = std::pow(joint_sensitivity(rows, bound, weights.diagonal), 2);
      for_each_placement(at.steps, at.rows, at.every, [&](const std::vector<std::size_t>& counts) {
        std::vector<Index> places;
        for (std::size_t step = 0; step < counts.size(); ++step) {
          places.insert(places.end(), counts[step], static_cast<Index>(step));
        }
        if (places.size() != at.rows) return;
        const auto p = static_cast<Index>(places.size());
        const auto gram_of = [&](const MatrixXd& c) -> MatrixXd {
          const MatrixXd gram = c.transpose() * c;
          return MatrixXd::NullaryExpr(p, p, [&](Index i, Index j) {
            return gram(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(j)]);
          });
        };
        const testing::BoxProblem problem{.weights = weights,
                                          .dimension = 2,
                                          .presence = presence,
                                          .gram_first = gram_of(c1),
                                          .gram_second = gram_of(c2)};
        EXPECT_LE(testing::largest_found(problem, 6, 3), largest * (1 + 1e-12));
      });
    }
  }
}

// All rows flipped alike in the step with the largest column reach `rows` times a single row's sensitivity.
TEST(FullSteps, OfOneStepCostExactlyAsManyTimesOneRow) {
  std::mt19937_64 random(8);
  const MatrixXd c1 = random_matrix(4, random), c2 = random_matrix(4, random);
  const RowModel rows{.dimension = 3, .norm_bound = 1.5};
  for (const std::size_t many : {2UL, 7UL, 30UL}) {
    const auto at = [&](std::size_t count) {
      return joint_sensitivity(
          rows, exposure(Filter::dense(c1), Filter::dense(c2), Horizon(120, 30), {.rows = count}), 0.7);
    };
    EXPECT_NEAR(at(many), static_cast<double>(many) * at(1), 1e-14 * at(many));
  }
}

TEST(FullSteps, ThroughTheIdentityAddTheSquaresOfFullSteps) {
  const Filter c = Filter::identity(10);
  const auto squared = [&](std::size_t rows, std::size_t every) {
    return std::pow(first_column_norm(exposure(c, c, Horizon(10 * every, every), {.rows = rows})), 2);
  };
  EXPECT_NEAR(squared(4, 2), 8, 1e-13);    // 2 steps of 2 rows
  EXPECT_NEAR(squared(5, 2), 9, 1e-13);    // and one row more
  EXPECT_NEAR(squared(7, 10), 49, 1e-12);  // one step
  EXPECT_NEAR(squared(7, 1), 7, 1e-13);
}

/// The scaled BLT for the running mean at n = 1000 (docs/theory/shaping.md#scaled-blt), with unit columns.
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
      c(t, j) = (t == j ? 1 : tails[0] + tails[1]) * std::pow(static_cast<double>(t + 1), -.9183037);
      if (t == j) continue;
      for (int i = 0; i < 2; ++i) tails[i] *= poles[i];
    }
    c.col(j).normalize();
  }
  return c;
}

// Values computed elsewhere (a search over placements at n = 1000): 22.6 at 30 rows and 65 at 100, one row
// per step, where 30 and 100 rows of one step cost 30 and 100. A run of neighbouring steps is a lower bound
// of the truth, and the bound is within 0.1% of the best run here.
TEST(FullSteps, OfAScaledShapeCostLessThanAllRowsInOneStep) {
  const MatrixXd c = scaled_blt_for_the_mean();
  const MatrixXd gram = c.transpose() * c;
  const Filter shape = Filter::dense(c);
  const auto cost = [&](std::size_t rows) {
    return first_column_norm(exposure(shape, shape, Horizon(1000), {.rows = rows}));
  };
  EXPECT_NEAR(cost(30), 22.6, 0.05);
  EXPECT_NEAR(cost(100), 65, 0.5);
  double best_run = 0;
  for (Index start = 0; start + 30 <= 1000; ++start) {
    best_run = std::max(best_run, gram.block(start, start, 30, 30).cwiseAbs().sum());
  }
  EXPECT_GE(cost(30), std::sqrt(best_run));
  EXPECT_LE(cost(30), std::sqrt(best_run) * 1.001);
}

// Where the two channels have different bounds, the last step counts as full, and never more than the
// triangle inequality allows.
TEST(FullSteps, NeverCostMoreThanAsManyTimesOneRow) {
  std::mt19937_64 random(9);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const std::size_t every = 1 + random() % 6, rows = 2 + random() % 9;
    const Filter c1 = Filter::dense(random_matrix(4, random)), c2 = Filter::dense(random_matrix(4, random));
    const Horizon horizon(4 * every, every);
    const RowModel model{.dimension = 2};
    const std::size_t fit = rows_that_fit(horizon, {.rows = rows});
    const double one = first_sensitivity(model, exposure(c1, c2, horizon, {}));
    const double all = first_sensitivity(model, exposure(c1, c2, horizon, {.rows = rows}));
    EXPECT_LE(all, static_cast<double>(fit) * one * (1 + 1e-14));
    EXPECT_GE(all, one);
  }
}

}  // namespace full_steps
}  // namespace
}  // namespace jme
