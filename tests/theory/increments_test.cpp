#include <cmath>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/theory/increments.hpp>
#include <jme/workload/workload.hpp>

namespace jme {
namespace {

struct Case {
  std::string name;
  Filter c;
};

std::vector<Case> cases() {
  constexpr std::size_t steps = 96;
  const Horizon horizon(steps);
  std::vector<Case> result;
  for (const char* text :
       {"identity", "sqrt", "banded:5", "banded-inverse:4", "blt:3", "scaled-blt:4", "dense"}) {
    for (const Workload& workload : {mean(), prefix(), decay(0.9)}) {
      result.push_back(
          {std::string(text) + " for " + workload.name(), Shape::parse(text).filter(workload, horizon)});
    }
  }
  result.push_back({"scaled-blt:2 for a window", Shape::parse("scaled-blt:2").filter(window(24), horizon)});
  result.push_back({"scaled-blt:3 without an end",
                    leading_steps(Shape::parse("scaled-blt:3").filter(mean(), Horizon::unbounded()), steps)});
  return result;
}

// A sequence without structure; the same in every run.
std::vector<double> numbers(std::size_t count, double seed) {
  std::vector<double> result;
  for (std::size_t t = 0; t < count; ++t) result.push_back(std::sin(seed + 1.7 * static_cast<double>(t * t)));
  return result;
}

Eigen::VectorXd to_eigen(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Cholesky's factor by its definition, entry by entry.
Eigen::MatrixXd lower_factor(const Eigen::MatrixXd& k) {
  Eigen::MatrixXd l = Eigen::MatrixXd::Zero(k.rows(), k.cols());
  for (Eigen::Index i = 0; i < k.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      const double rest = k(i, j) - l.row(i).head(j).dot(l.row(j).head(j));
      l(i, j) = i == j ? std::sqrt(rest) : rest / l(j, j);
    }
  }
  return l;
}

Eigen::VectorXd forward(const Eigen::MatrixXd& l, const Eigen::VectorXd& y) {
  Eigen::VectorXd x(y.size());
  for (Eigen::Index i = 0; i < y.size(); ++i) x(i) = (y(i) - l.row(i).head(i).dot(x.head(i))) / l(i, i);
  return x;
}

/// The inverse of a lower triangular matrix, column by column.
Eigen::MatrixXd lower_inverse(const Eigen::MatrixXd& l) {
  Eigen::MatrixXd inverse(l.rows(), l.cols());
  for (Eigen::Index j = 0; j < l.cols(); ++j) inverse.col(j) = forward(l, Eigen::VectorXd::Unit(l.rows(), j));
  return inverse;
}

// Condition numbers of K are below 1e4 here, so that both ways agree to parts in 1e11.
constexpr double digits_kept = 1e-10;

TEST(IncrementWhitening, IsTheDenseCholeskyFactorForEveryShape) {
  for (const Case& c : cases()) {
    const auto n = static_cast<Eigen::Index>(c.c.steps());
    constexpr double std = 1.7;
    const std::vector<double> y = numbers(c.c.steps(), 0.3);
    Eigen::VectorXd v(n);
    for (Eigen::Index t = 0; t < n; ++t) v(t) = 0.2 + 0.1 * std::cos(static_cast<double>(t));
    const Eigen::MatrixXd inverse = lower_inverse(c.c.to_dense());
    const Eigen::MatrixXd k = std * std * inverse * inverse.transpose() + Eigen::MatrixXd(v.asDiagonal());
    // A step at 40 is a series that begins there.
    Eigen::VectorXd step = Eigen::VectorXd::Zero(n);
    step.tail(n - 40).setConstant(3);
    const Eigen::MatrixXd factor = lower_factor(k);
    const Eigen::VectorXd of_y = forward(factor, to_eigen(y)), of_step = forward(factor, step);

    IncrementWhitening whitening(c.c, std);
    whitening.add_series();
    for (Eigen::Index t = 0; t < n; ++t) {
      if (t == 40) whitening.add_series();
      std::vector<double> values{y[static_cast<std::size_t>(t)]};
      if (t >= 40) values.push_back(3);
      whitening.next(v(t), values);
      EXPECT_NEAR(values[0], of_y(t), digits_kept) << c.name << " at " << t;
      if (t >= 40) {
        EXPECT_NEAR(values[1], of_step(t), digits_kept) << c.name << " at " << t;
      }
    }
  }
}

TEST(ContrastNoise, IsTheNormOfTheTransposedSolution) {
  for (const Case& c : cases()) {
    const std::vector<double> b = numbers(60, 0.8);
    const Eigen::MatrixXd inverse = lower_inverse(c.c.to_dense());
    const double expected = (inverse.topLeftCorner(60, 60).transpose() * to_eigen(b)).norm();
    EXPECT_NEAR(contrast_noise(c.c, b), expected, digits_kept * expected) << c.name;
  }
}

// A contrast without the noise of its last blocks would be too sure of itself.
TEST(ContrastNoise, NeedsTheBlocksUpToItsLastWeightAlone) {
  const Filter c = Shape::parse("sqrt").filter(mean(), Horizon(64));
  std::vector<double> b = numbers(30, 0.1);
  const double alone = contrast_noise(c, b);
  b.resize(64);
  EXPECT_NEAR(contrast_noise(c, b), alone, digits_kept * alone);
}

TEST(IncrementWhitening, RefusesWhatItCannotFactorise) {
  const Filter long_sqrt = Shape::parse("sqrt").filter(prefix(), Horizon(4096));
  EXPECT_THROW(IncrementWhitening(long_sqrt, 1), InvalidParameter);
  IncrementWhitening none(Filter::identity(3), 0);
  none.add_series();
  std::vector<double> values{1};
  EXPECT_THROW(none.next(0, values), InvalidParameter);   // no variance at all
  EXPECT_THROW(none.next(-1, values), InvalidParameter);  // a variance below 0
}

}  // namespace
}  // namespace jme
