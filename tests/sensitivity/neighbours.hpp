#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Dense>

#include <jme/base/values.hpp>
#include <jme/sensitivity/joint.hpp>

namespace jme::testing {

/// Two neighbouring streams where they differ: row i is `before.col(i)` in one and `after.col(i)` in the
/// other.
struct Neighbours {
  Eigen::MatrixXd before, after;
};

/// How one person changes the two noisy channels. Columns i and j of the Gram matrices C'C belong to the
/// person's i-th and j-th rows; a block that holds two of them appears twice.
struct ChangeProblem {
  Eigen::MatrixXd gram_first, gram_second;
  double weight_first = 1, weight_second = 1;  ///< 1 and lambda, or 1/std1^2 and 1/std2^2
  RowModel rows;
  SecondMoment second = SecondMoment::full;
};

inline Eigen::MatrixXd second_moment_change(const ChangeProblem& problem, const Neighbours& n,
                                            Eigen::Index i) {
  const Eigen::VectorXd x = n.before.col(i);
  const Eigen::VectorXd y = n.after.col(i);
  const Eigen::MatrixXd change = x * x.transpose() - y * y.transpose();
  if (problem.second == SecondMoment::full) return change;
  return change.diagonal().asDiagonal();
}

/// weight_first ||C1 (X - X')||^2 + weight_second ||C2 (S - S')||^2, S the rows' outer products or their
/// diagonals.
inline double squared_change(const ChangeProblem& problem, const Neighbours& n) {
  const Eigen::Index p = n.before.cols();
  std::vector<Eigen::MatrixXd> second;
  for (Eigen::Index i = 0; i < p; ++i) second.push_back(second_moment_change(problem, n, i));
  const Eigen::MatrixXd first = n.before - n.after;
  double sum = 0;
  for (Eigen::Index i = 0; i < p; ++i) {
    for (Eigen::Index j = 0; j < p; ++j) {
      sum += problem.weight_first * problem.gram_first(i, j) * first.col(i).dot(first.col(j));
      const auto a = static_cast<std::size_t>(i);
      const auto b = static_cast<std::size_t>(j);
      sum += problem.weight_second * problem.gram_second(i, j) * second[a].cwiseProduct(second[b]).sum();
    }
  }
  return sum;
}

inline Neighbours gradient(const ChangeProblem& problem, const Neighbours& n) {
  Neighbours g{Eigen::MatrixXd::Zero(n.before.rows(), n.before.cols()),
               Eigen::MatrixXd::Zero(n.before.rows(), n.before.cols())};
  for (Eigen::Index i = 0; i < n.before.cols(); ++i) {
    Eigen::VectorXd first = Eigen::VectorXd::Zero(n.before.rows());
    Eigen::MatrixXd second = Eigen::MatrixXd::Zero(n.before.rows(), n.before.rows());
    for (Eigen::Index j = 0; j < n.before.cols(); ++j) {
      first += problem.weight_first * problem.gram_first(i, j) * (n.before.col(j) - n.after.col(j));
      second += problem.weight_second * problem.gram_second(i, j) * second_moment_change(problem, n, j);
    }
    g.before.col(i) = 2 * first + 4 * second * n.before.col(i);
    g.after.col(i) = -2 * first - 4 * second * n.after.col(i);
  }
  if (problem.rows.adjacency == Adjacency::add_remove) g.after.setZero();
  return g;
}

inline void clip(Eigen::MatrixXd& rows, double norm_bound) {
  for (Eigen::Index i = 0; i < rows.cols(); ++i) {
    const double norm = rows.col(i).norm();
    if (norm > norm_bound) rows.col(i) *= norm_bound / norm;
  }
}

/// The worst change that projected gradient ascent finds from `starts` random neighbours: a lower bound on
/// the squared sensitivity that uses nothing but its definition.
inline double worst_change(const ChangeProblem& problem, int starts, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  const auto d = static_cast<Eigen::Index>(problem.rows.dimension);
  const Eigen::Index p = problem.gram_first.cols();
  const double zeta = problem.rows.norm_bound;
  double worst = 0;
  for (int start = 0; start < starts; ++start) {
    Neighbours n{Eigen::MatrixXd::NullaryExpr(d, p, [&] { return zeta * normal(engine); }),
                 Eigen::MatrixXd::NullaryExpr(d, p, [&] { return zeta * normal(engine); })};
    // Half of the starts use the same pair in every row, where the rows' changes add up.
    if (start % 2 == 0) {
      n.before = n.before.col(0).eval().replicate(1, p);
      n.after = n.after.col(0).eval().replicate(1, p);
    }
    if (problem.rows.adjacency == Adjacency::add_remove) n.after.setZero();
    clip(n.before, zeta);
    clip(n.after, zeta);
    double value = squared_change(problem, n);
    double step = zeta;
    for (int i = 0; i < 3000 && step > 1e-14; ++i) {
      const Neighbours g = gradient(problem, n);
      const double length = std::sqrt(g.before.squaredNorm() + g.after.squaredNorm());
      if (length == 0) break;
      Neighbours next{n.before + step * zeta / length * g.before, n.after + step * zeta / length * g.after};
      clip(next.before, zeta);
      clip(next.after, zeta);
      const double next_value = squared_change(problem, next);
      if (next_value > value) {
        value = next_value;
        n = next;
        step *= 1.5;
      } else {
        step /= 2;
      }
    }
    worst = std::max(worst, value);
  }
  return worst;
}

/// One row through one column of squared norms a2 and b2.
inline ChangeProblem one_row(const RowModel& rows, SecondMoment second, double a2, double b2, double lambda) {
  return {.gram_first = Eigen::MatrixXd::Constant(1, 1, a2),
          .gram_second = Eigen::MatrixXd::Constant(1, 1, b2),
          .weight_second = lambda,
          .rows = rows,
          .second = second};
}

}  // namespace jme::testing
