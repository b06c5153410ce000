// Rows of one person in each window of steps.
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/participation.hpp>

#include "sensitivity/full_steps.hpp"

namespace jme {
namespace {
namespace windows {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd window_matrix(Index n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatrixXd c = MatrixXd::NullaryExpr(n, n, [&] { return uniform(random); });
  c = c.triangularView<Eigen::Lower>();
  c.diagonal().array() = 1;
  return c;
}

/// Calls `use` with every way to put at most m rows into each step and at most `rows` into each window.
void for_each_window_placement(std::size_t n, std::size_t rows, std::size_t m, std::size_t window,
                               const std::function<void(const Eigen::VectorXd&)>& use) {
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(static_cast<Index>(n));
  const std::function<void(std::size_t, std::size_t)> extend = [&](std::size_t step, std::size_t left) {
    if (step == n) return use(counts);
    if (step % window == 0) left = rows;
    for (std::size_t count = 0; count <= std::min(left, m); ++count) {
      counts(static_cast<Index>(step)) = static_cast<double>(count);
      extend(step + 1, left - count);
    }
    counts(static_cast<Index>(step)) = 0;
  };
  extend(0, rows);
}

struct Case {
  std::size_t steps, window, rows, in_step;
};
const std::vector<Case> cases{{6, 2, 1, 1}, {6, 2, 2, 1}, {6, 3, 2, 1}, {6, 3, 2, 2}, {6, 2, 3, 2},
                              {5, 2, 2, 2}, {6, 1, 2, 2}, {6, 6, 3, 1}, {7, 3, 3, 3}, {6, 1, 1, 1}};

// Where the rows of a step change alike and steps have the signs that suit C'C, the square of the change is
// the sum of c_i c_j |(C'C)_ij|, times that of one row: no change of these rows does more.
TEST(RowsInWindows, MoveNoMoreThanTheBoundWhereverTheyAre) {
  std::mt19937_64 random(11);
  for (const Case& at : cases) {
    for (int repeat = 0; repeat < 8; ++repeat) {
      const MatrixXd c = window_matrix(static_cast<Index>(at.steps), random);
      const MatrixXd gram = (c.transpose() * c).cwiseAbs();
      double worst = 0;
      for_each_window_placement(at.steps, at.rows, at.in_step, at.window, [&](const Eigen::VectorXd& counts) {
        worst = std::max(worst, counts.dot(gram * counts));
      });
      const Filter filter = Filter::dense(c, "shape");
      const Exposure moved = sensitivity::windows_exposure(filter, filter, at.rows, at.in_step, at.window);
      const double bound = std::pow(first_column_norm(moved), 2);
      EXPECT_GE(bound, worst * (1 - 1e-12)) << at.steps << ' ' << at.window << ' ' << at.rows;
    }
  }
}

TEST(RowsInWindows, ReachTheBoundForTheIdentityAndForOneColumnThatAllStepsShare) {
  const Filter identity = Filter::identity(12);
  const auto squared = [](const Exposure& moved) { return std::pow(first_column_norm(moved), 2); };
  // Steps do not touch each other: 4 windows of 3 steps, 2 rows in each, one or both in a step.
  EXPECT_NEAR(squared(sensitivity::windows_exposure(identity, identity, 2, 1, 3)), 8, 1e-9);
  EXPECT_NEAR(squared(sensitivity::windows_exposure(identity, identity, 2, 2, 3)), 16, 1e-9);
  // Every step has nearly the same column: all rows add up.
  MatrixXd c = MatrixXd::Zero(6, 6);
  c.diagonal().array() = 1e-9;
  c.row(5).array() = 1;
  const Filter shared = Filter::dense(c, "shape");
  EXPECT_NEAR(squared(sensitivity::windows_exposure(shared, shared, 2, 1, 3)), 16, 1e-6);
}

TEST(RowsInWindows, OfOneWindowAreRowsAnywhere) {
  std::mt19937_64 random(12);
  const Filter c = Filter::dense(window_matrix(6, random), "shape");
  const Horizon horizon(12, 2);
  for (const std::size_t rows : {2u, 4u, 6u}) {
    EXPECT_NEAR(first_column_norm(sensitivity::windows_exposure(c, c, rows, 2, 6)),
                first_column_norm(sensitivity::full_steps_exposure(c, c, horizon, rows)), 1e-9);
  }
}

/// Calls `use` with every way to put at most `rows` into each window, the first of which has `first` steps,
/// and at most `in_all` in all.
void for_each_limited_placement(std::size_t n, const RowWindows& windows, std::size_t first,
                                std::size_t in_all, const std::function<void(const Eigen::VectorXd&)>& use) {
  Eigen::VectorXd counts = Eigen::VectorXd::Zero(static_cast<Index>(n));
  const std::function<void(std::size_t, std::size_t, std::size_t)> extend =
      [&](std::size_t step, std::size_t left, std::size_t left_in_all) {
        if (step == n) return use(counts);
        if (step >= first && (step - first) % windows.steps == 0) left = windows.rows;
        for (std::size_t count = 0; count <= std::min(left, left_in_all); ++count) {
          counts(static_cast<Index>(step)) = static_cast<double>(count);
          extend(step + 1, left - count, left_in_all - count);
        }
        counts(static_cast<Index>(step)) = 0;
      };
  extend(0, windows.rows, in_all);
}

TEST(RowsInWindows, WithALimitInAllMoveNoMoreThanTheBoundWhereverTheFirstWindowBegins) {
  std::mt19937_64 random(13);
  struct Limited {
    std::size_t steps, window, rows, in_all;
  };
  for (const Limited& at :
       {Limited{6, 1, 1, 3}, Limited{6, 1, 2, 3}, Limited{6, 2, 1, 2}, Limited{6, 2, 2, 4},
        Limited{7, 3, 2, 3}, Limited{6, 3, 2, 99}, Limited{5, 2, 1, 99}, Limited{6, 4, 2, 3}}) {
    const RowWindows windows{
        .rows = at.rows, .steps = at.window, .count = windows_touched(at.steps, at.window)};
    for (int repeat = 0; repeat < 4; ++repeat) {
      const MatrixXd c = window_matrix(static_cast<Index>(at.steps), random);
      const MatrixXd gram = (c.transpose() * c).cwiseAbs();
      double worst = 0;
      for (std::size_t first = 1; first <= at.window; ++first) {
        for_each_limited_placement(at.steps, windows, first, at.in_all, [&](const Eigen::VectorXd& counts) {
          worst = std::max(worst, counts.dot(gram * counts));
        });
      }
      const Filter filter = Filter::dense(c, "shape");
      const Exposure moved = exposure(filter, filter, Horizon(at.steps).of_slots(),
                                      {.rows = std::max(at.in_all, at.rows), .windows = windows});
      EXPECT_GE(std::pow(first_column_norm(moved), 2), worst * (1 - 1e-12))
          << at.steps << ' ' << at.window << ' ' << at.rows << ' ' << at.in_all;
    }
  }
}

// A limit for each slot is what lets a shape help: with all rows in one slot a person costs P times one row.
TEST(RowsInWindows, OfOneSlotCostLessThanAllRowsInOneSlotWhereColumnsDoNotAddUp) {
  const Filter identity = Filter::identity(100);
  const auto norm = [&](std::size_t rows, std::size_t in_all) {
    const RowWindows windows{.rows = rows, .steps = 1, .count = 100};
    return first_column_norm(
        exposure(identity, identity, Horizon(100).of_slots(), {.rows = in_all, .windows = windows}));
  };
  EXPECT_NEAR(norm(1, 30), std::sqrt(30), 1e-9);
  EXPECT_NEAR(norm(3, 30), std::sqrt(10) * 3, 1e-9);
  EXPECT_NEAR(norm(30, 30), 30, 1e-9);
  const RowWindows day{.rows = 3, .steps = 24, .count = 5, .are_units = true};
  EXPECT_NEAR(
      first_column_norm(exposure(identity, identity, Horizon(100).of_slots(), {.rows = 3, .windows = day})),
      3, 1e-9);
}

TEST(RowsInWindows, NeedStepsThatAreSlots) {
  const Filter c = Filter::identity(4);
  const RowWindows windows{.rows = 2, .steps = 2, .count = 2};
  const auto moved = [&](const Horizon& horizon, std::size_t rows) {
    return first_column_norm(exposure(c, c, horizon, {.rows = rows, .windows = windows}));
  };
  EXPECT_NO_THROW(static_cast<void>(moved(Horizon(4).of_slots(), 3)));
  EXPECT_THROW(static_cast<void>(moved(Horizon(4), 3)), InvalidParameter);
  EXPECT_THROW(static_cast<void>(moved(Horizon(4).of_slots(), 1)), InvalidParameter);
}

TEST(RowsInWindows, AreInAsManyWindowsAsStepsCanTouch) {
  for (std::size_t window = 1; window <= 5; ++window) {
    for (std::size_t steps = 1; steps <= 12; ++steps) {
      std::size_t most = 0;
      for (std::size_t offset = 0; offset < window; ++offset) {
        most = std::max(most, (offset + steps - 1) / window + 1);
      }
      EXPECT_EQ(windows_touched(steps, window), most) << steps << ' ' << window;
    }
  }
}

TEST(RowsInWindows, ThatAreNoneAreRefused) {
  const Filter c = Filter::identity(4);
  EXPECT_THROW(static_cast<void>(sensitivity::windows_exposure(c, c, 0, 1, 2)), InvalidParameter);
  EXPECT_THROW(static_cast<void>(sensitivity::windows_exposure(c, c, 1, 1, 0)), InvalidParameter);
}

}  // namespace windows
}  // namespace
}  // namespace jme
