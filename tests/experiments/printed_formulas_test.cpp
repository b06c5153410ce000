// What the paper prints, evaluated beside what is right: numeric proofs for docs/errata.md.
#include <cmath>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/privacy/gaussian.hpp>
#include <jme/sensitivity/joint.hpp>
#include <jme/theory/expected_error.hpp>

#include "dense_algebra.hpp"
#include "filter/norms.hpp"

namespace jme {
namespace {

// Errata 2: "zeta^2 alpha_1 r_d(...) sigma" at alpha_1 = beta_1 = 1 and the free lambda is 4 zeta^2. The rows
// +zeta e1 and -zeta e1 are 2 zeta apart.
TEST(PrintedNoiseStrength, IsAFifthOfWhatTwoRowsNeedAtNormBoundOneTenth) {
  const double zeta = 0.1, needed = 2 * zeta;
  const double printed = zeta * zeta * joint_gain(Adjacency::replace_one, 10, 0.5);
  EXPECT_NEAR(printed / needed, 0.2, 1e-12);
  const RowModel rows{.adjacency = Adjacency::replace_one, .dimension = 10, .norm_bound = zeta};
  EXPECT_NEAR(joint_sensitivity(rows, single_exposure({1}, {1}), 0.5 / (zeta * zeta)), needed, 1e-12);
}

// Errata 9: no shape helps PP. (C'C)^-1 has a diagonal of at least the inverse of C'C's, which is at most
// norm(C)^2, so norm(C)^2 Q_tt >= 1; the error's terms grow with Q_tt (all of them for workloads without
// negative weights). Here over shapes in use and random ones, near the identity and far from it.
TEST(PpShaping, HelpsWithNoMatrixAtAll) {
  const std::size_t n = 10;
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  std::vector<Shape> shapes{Shape::square_root(), Shape::blt(2), Shape::scaled_blt(2), Shape::banded(3)};
  for (const double far : {0.01, 0.1, 1.0}) {
    for (int i = 0; i < 12; ++i) {
      Eigen::MatrixXd c = Eigen::MatrixXd::Identity(n, n);
      for (Eigen::Index row = 0; row < c.rows(); ++row)
        for (Eigen::Index column = 0; column < row; ++column) c(row, column) = far * normal(random);
      for (Eigen::Index column = 0; column < c.cols(); ++column)
        c.col(column) *= (i % 2 == 0 ? 1.0 : 1 + 0.3 * std::abs(normal(random))) / c.col(column).norm();
      shapes.push_back(Shape::custom(c));
    }
  }
  for (const Workload& workload : {prefix(), mean(), decay(0.7), window(3)}) {
    for (const Method method : {Method::pp, Method::pp_debiased}) {
      for (const double sigma : {0.01, 0.5, 20.0}) {
        StreamConfig config{.budget = {.sigma = sigma},
                            .rows = n,
                            .dimension = 4,
                            .norm_bound = 1,
                            .workload = workload,
                            .method = method,
                            .shape = Shape::identity()};
        const double best = expected_error(Mechanism(config)).second.high;
        for (const Shape& shape : shapes) {
          config.shape = shape;
          // What some stream attains: already that is not less than what the identity has at worst.
          EXPECT_GE(expected_error(Mechanism(config)).second.low, best * (1 - 1e-12))
              << workload.name() << " " << shape.name() << " " << sigma;
        }
      }
    }
  }
}

// Errata 10: noise of PP has variance std1^2 Q_tt on row t. The printed term subtracts something else, and
// leaves most of the bias where it was, or more.
TEST(PrintedBiasTerm, LeavesPpBiased) {
  const std::size_t n = 64;
  const double zeta = 1.5, sigma = 0.7;
  const Horizon horizon(n);
  const Filter a = prefix().filter(horizon), c = Shape::square_root().filter(prefix(), horizon);
  const Eigen::MatrixXd inverse = test::inverse(c.to_dense()), workload = a.to_dense();
  const double norm2 = squared_column_norms(c)[0], w = 4 * zeta * zeta * sigma * sigma * norm2;
  const Eigen::VectorXd rows = inverse.rowwise().squaredNorm(), columns = inverse.colwise().squaredNorm();
  const Eigen::VectorXd bias = workload * (w * rows);
  const Eigen::VectorXd printed = sigma * sigma * norm2 * (workload * columns);
  const Eigen::VectorXd left = bias - workload * printed;
  const auto last = static_cast<Eigen::Index>(n - 1);
  EXPECT_GT(std::abs(left(last)), bias(last)) << "worse than not debiasing at all";
  // The three mistakes one by one. Without the factor, and without the second workload, the columns remain:
  const Eigen::VectorXd repaired = bias - workload * (w * columns);
  EXPECT_GT(std::abs(repaired(0)), 0.1 * bias(0)) << "norms of columns reach into later steps";
  EXPECT_NEAR((bias - workload * (w * rows)).norm(), 0, 1e-12);
}

// Errata 11: for C = I the middle term is 8 (d+1) sigma^2 zeta^4 ||A||^2; with the printed zeta^2 the
// corollary misses the lemma that it is a case of.
TEST(PrintedCorollary, MissesTheLemmaUnlessRowsHaveNormOne) {
  const double d = 3, sigma = 0.4;
  for (const double zeta : {0.5, 1.0, 2.0}) {
    const Mechanism mechanism({.budget = {.sigma = sigma},
                               .rows = 20,
                               .dimension = 3,
                               .norm_bound = zeta,
                               .workload = prefix(),
                               .method = Method::pp_debiased,
                               .shape = Shape::identity()});
    const double norm = 20 * 21 / 2.0, first = 16 * d * (d + 1) * std::pow(zeta, 4) * std::pow(sigma, 4);
    const double printed = (first + 8 * (d + 1) * sigma * sigma * zeta * zeta) * norm;
    const double right = (first + 8 * (d + 1) * sigma * sigma * std::pow(zeta, 4)) * norm;
    const double theory = expected_error(mechanism).second.high;
    EXPECT_NEAR(theory, right, 1e-9 * right);
    EXPECT_EQ(std::abs(theory - printed) < 1e-9 * right, zeta == 1) << zeta;
  }
}

// Errata 12: Lemma D.2's two bounds for the square root of a thousand prefix sums, and the stream that
// attains the supremum between them.
TEST(PrintedCrossTermBounds, LieFarFromTheSupremum) {
  const Eigen::Index n = 1000;
  const Horizon horizon(static_cast<std::size_t>(n));
  const auto c = Shape::square_root().filter(prefix(), horizon).core().inverse_coefficients(1000);
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) inverse(i, j) = c[static_cast<std::size_t>(i - j)];
  const Eigen::MatrixXd q = inverse.triangularView<Eigen::Lower>() * inverse.transpose();
  double lower = 0, upper = 0, alternating = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      const double m = static_cast<double>(n - std::max(i, j)) * q(i, j);  // A'A o Q
      lower += m;
      upper += std::abs(m);
      alternating += (i + j) % 2 == 0 ? m : -m;
    }
  }
  EXPECT_NEAR(lower, 2948, 1);
  EXPECT_NEAR(upper, 1270929, 1);
  EXPECT_NEAR(alternating, 1000181.548, 1e-3);
}

// Errata 14: taking sigma for a variance means using sqrt(sigma).
TEST(NoiseTakenForAVariance, LosesPrivacyWhereItIsAboveOne) {
  const double delta = 1e-9, sigma = noise_multiplier({.epsilon = 0.1, .delta = delta});
  EXPECT_NEAR(sigma, 50.2098, 5e-5);
  EXPECT_GT(gaussian_epsilon(std::sqrt(sigma), delta), 7 * 0.1);
}

}  // namespace
}  // namespace jme
