#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/batch.hpp>

namespace jme {
namespace {

/// A batch of m rows of which one is x or y; the m - 1 others enter only through their sum, anywhere in the
/// ball of radius m - 1. `shrink` is 1 for the sum, 1/m for the mean.
struct Batch {
  Eigen::VectorXd others, x, y;
};

double squared_change(const Batch& batch, double shrink, double lambda, SecondMoment second) {
  const Eigen::VectorXd p = shrink * (batch.others + batch.x);
  const Eigen::VectorXd q = shrink * (batch.others + batch.y);
  const double squares = second == SecondMoment::full ? (p * p.transpose() - q * q.transpose()).squaredNorm()
                                                      : (p.cwiseProduct(p) - q.cwiseProduct(q)).squaredNorm();
  return (p - q).squaredNorm() + lambda * squares;
}

void clip(Eigen::VectorXd& v, double radius) {
  if (v.norm() > radius) v *= radius / v.norm();
}

/// Ascent with a numerical gradient: it uses only the definition, not the formula.
double worst_batch(std::size_t dimension, double m, double shrink, double lambda, SecondMoment second,
                   Adjacency adjacency) {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  const auto d = static_cast<Eigen::Index>(dimension);
  const auto draw = [&](double radius) {
    Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(d, [&] { return radius * normal(engine); });
    clip(v, radius);
    return v;
  };
  double worst = 0;
  for (int start = 0; start < 10; ++start) {
    Batch batch{draw(m - 1), draw(1), draw(1)};
    if (adjacency == Adjacency::add_remove) batch.y.setZero();
    double value = squared_change(batch, shrink, lambda, second);
    for (double step = 1; step > 1e-9;) {
      Batch next = batch;
      const auto climb = [&](Eigen::VectorXd Batch::*part, double radius) {
        Eigen::VectorXd gradient(d);
        for (Eigen::Index i = 0; i < d; ++i) {
          Batch up = batch;
          Batch down = batch;
          (up.*part)[i] += 1e-6 * radius;
          (down.*part)[i] -= 1e-6 * radius;
          gradient[i] =
              squared_change(up, shrink, lambda, second) - squared_change(down, shrink, lambda, second);
        }
        if (gradient.norm() > 0) next.*part += step * radius * gradient.normalized();
        clip(next.*part, radius);
      };
      if (m > 1) climb(&Batch::others, m - 1);
      climb(&Batch::x, 1);
      if (adjacency == Adjacency::replace_one) climb(&Batch::y, 1);
      const double next_value = squared_change(next, shrink, lambda, second);
      if (next_value > value) {
        // An increase below rounding would keep the step from shrinking.
        step = next_value > value * (1 + 1e-13) ? std::min(1.0, step * 1.5) : step / 2;
        value = next_value;
        batch = next;
      } else {
        step /= 2;
      }
    }
    worst = std::max(worst, value);
  }
  return std::sqrt(worst);
}

TEST(BatchSensitivity, OfSumAndMeanIsTheWorstBatch) {
  for (Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    for (std::size_t dimension : {1U, 2U, 3U}) {
      for (std::size_t batch : {1U, 2U, 4U, 256U}) {
        for (double lambda : {0.1, 1.0, 5.0}) {
          for (SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
            SCOPED_TRACE(::testing::Message() << "d " << dimension << " m " << batch << " lambda " << lambda);
            const RowModel rows{.adjacency = adjacency, .dimension = dimension, .norm_bound = 1};
            const double m = static_cast<double>(batch);
            // The ascent uses numerical gradients: it stops within 1e-4 of the maximum, and never above it
            // except for rounding.
            const double sum = batch_sensitivity(Squares::paper, rows, batch, lambda);
            const double found = worst_batch(dimension, m, 1, lambda, second, adjacency);
            EXPECT_LE(found, sum * (1 + 1e-12));
            EXPECT_GE(found, sum * (1 - 1e-4));
            const double mean = batch_sensitivity(Squares::batch_mean, rows, batch, lambda);
            const double found_mean = worst_batch(dimension, m, 1 / m, lambda, second, adjacency);
            EXPECT_LE(found_mean, mean * (1 + 1e-12));
            EXPECT_GE(found_mean, mean * (1 - 1e-4));
          }
        }
      }
    }
  }
}

TEST(BatchSensitivity, HasTheFiguresOfTheDesign) {
  // docs/theory/batches.md#squares-of-a-batch at m = 256, lambda = 1: 1020 for the sum, 4.458/m for the mean,
  // against a single row's 2.121.
  const RowModel rows{.dimension = 10};
  EXPECT_NEAR(batch_sensitivity(Squares::paper, rows, 256, 1), 1020, 0.5);
  EXPECT_NEAR(256 * batch_sensitivity(Squares::batch_mean, rows, 256, 1), 4.458, 0.5e-3);
  EXPECT_NEAR(batch_sensitivity(Squares::per_example, rows, 256, 1), 2.121, 0.5e-3);
}

TEST(BatchSensitivity, OfPerExampleSquaresIsASingleRowsForEveryBatch) {
  for (Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    const RowModel rows{.adjacency = adjacency, .dimension = 3, .norm_bound = 0.7};
    const double one = joint_sensitivity(rows, single_exposure({1}, {1}), 2);
    for (std::size_t batch : {1U, 2U, 1000U}) {
      EXPECT_EQ(batch_sensitivity(Squares::per_example, rows, batch, 2), one);
    }
  }
  EXPECT_DOUBLE_EQ(
      batch_sensitivity(Squares::per_example, {.adjacency = Adjacency::add_remove, .norm_bound = 2}, 8, 3),
      2 * std::sqrt(1 + 3.0 * 4));
}

TEST(BatchSensitivity, OfOneRowIsTheRows) {
  const RowModel rows{.dimension = 2, .norm_bound = 3};
  const double one = 3 * std::sqrt(joint_gain(Adjacency::replace_one, 2, 0.2 * 9));
  for (Squares squares : {Squares::per_example, Squares::batch_mean, Squares::paper}) {
    EXPECT_DOUBLE_EQ(batch_sensitivity(squares, rows, 1, 0.2), one);
  }
}

TEST(BatchSensitivity, RefusesNonsense) {
  EXPECT_THROW((void)batch_sensitivity(Squares::paper, {}, 0, 1), InvalidParameter);
  EXPECT_THROW((void)batch_sensitivity(Squares::paper, {}, 2, -1), InvalidParameter);
  EXPECT_THROW((void)batch_sensitivity(Squares::paper, {.norm_bound = -1}, 2, 1), InvalidParameter);
}

TEST(Squares, AreSpelledAsOnTheCommandLine) {
  EXPECT_EQ(parse_squares("per-example"), Squares::per_example);
  EXPECT_EQ(parse_squares("batch-mean"), Squares::batch_mean);
  EXPECT_EQ(parse_squares("paper"), Squares::paper);
  EXPECT_THROW((void)parse_squares("sum"), InvalidParameter);
}

}  // namespace
}  // namespace jme
