// High-precision values: mpmath with 40 digits, H(u) = (u - sgn(u) sqrt(u^2 - 4))/2, the sum over all other
// eigenvalues with w = sqrt(vo d)/cbrt(d), and pooled by the definition of isotonic regression.
#include "models/shrinkage.hpp"

#include <cmath>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "dense_algebra.hpp"

namespace jme::models {
namespace {

constexpr double rounding = 4e-16;

TEST(SmoothedReciprocal, HasItsValuesOfHighPrecision) {
  EXPECT_EQ(smoothed_reciprocal(0), 0);
  EXPECT_EQ(smoothed_reciprocal(0.5), 0.25);
  EXPECT_EQ(smoothed_reciprocal(2), 1);
  EXPECT_NEAR(smoothed_reciprocal(2.5), 0.5, rounding);
  EXPECT_NEAR(smoothed_reciprocal(-3), -0.3819660112501051518, rounding);
  EXPECT_NEAR(smoothed_reciprocal(40) / 0.02501564456182108422, 1, rounding);
  EXPECT_NEAR(smoothed_reciprocal(1e6) / 1.000000000001e-6, 1, rounding);
  EXPECT_NEAR(smoothed_reciprocal(-1e9) / -1.000000000000000001e-9, 1, rounding);
}

TEST(SmoothedReciprocal, IsTheHilbertTransformOfTheSemicircle) {
  // rho(s) = sqrt(4 - s^2)/(2 pi), s = 2 cos: the integral of rho(s)/(u - s) over angles by the midpoint
  // rule, which is exact up to rounding for a periodic analytic function.
  constexpr int parts = 400;
  for (const double u : {2.3, 3.0, -5.0, 17.0}) {
    double sum = 0;
    for (int k = 0; k < parts; ++k) {
      const double angle = M_PI * (k + 0.5) / parts;
      sum += 2 * std::pow(std::sin(angle), 2) / (u - 2 * std::cos(angle)) / parts;
    }
    EXPECT_NEAR(smoothed_reciprocal(u), sum, 1e-14) << u;
  }
}

TEST(Shrunk, HasItsValuesOfHighPrecision) {
  const Eigen::VectorXd close =
      shrunk((Eigen::VectorXd(6) << -0.3, -0.1, 0.05, 0.4, 0.45, 2).finished(), 0.02);
  const Eigen::VectorXd expected =
      (Eigen::VectorXd(6) << 0.106515891709609413, 0.106515891709609413, 0.121344749837450571,
       0.121344749837450571, 0.153285567984086689, 1.89099314892179334)
          .finished();
  EXPECT_LT((close - expected).cwiseAbs().maxCoeff(), 4e-15);
  const Eigen::VectorXd apart = shrunk(Eigen::Vector3d(0, 1, 3), 0.0001);
  EXPECT_LT((apart - Eigen::Vector3d(0.000266696588348665796, 0.999899974752569217, 2.99983332865908212))
                .cwiseAbs()
                .maxCoeff(),
            4e-15);
}

TEST(Shrunk, KeepsTheSumAndTheOrder) {
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 50; ++trial) {
    Eigen::VectorXd values = Eigen::VectorXd::NullaryExpr(8, [&] { return normal(bits); });
    std::sort(values.begin(), values.end());
    const Eigen::VectorXd result = shrunk(values, 0.3);
    // H is odd, so the corrections cancel in the sum.
    EXPECT_NEAR(result.sum(), values.sum(), 1e-13);
    EXPECT_TRUE(std::is_sorted(result.begin(), result.end()));
  }
}

TEST(Shrunk, LeavesEigenvaluesThatAreFarApartAsSecondOrderPerturbationSays) {
  // E y_i = l_i + vo sum_j 1/(l_i - l_j) to second order, so half of the correction 2 vo/(l_i - l_j) is bias
  // and half is shrinkage. Far apart H(u) -> 1/u.
  const double vo = 1e-8;
  const Eigen::Vector3d values(0.1, 1, 4);
  const Eigen::VectorXd moved = shrunk(values, vo) - values;
  for (Eigen::Index i = 0; i < 3; ++i) {
    double expected = 0;
    for (Eigen::Index j = 0; j < 3; ++j) {
      if (j != i) expected -= 2 * vo / (values(i) - values(j));
    }
    // The next term of H is 1/u^3, u = gap/w > 0.9/1.2e-4.
    EXPECT_NEAR(moved(i) / expected, 1, 1e-6);
  }
}

TEST(Pooled, IsTheNearestSequenceThatDoesNotFall) {
  EXPECT_EQ(pooled(Eigen::Vector4d(1, 3, 2, 4)), Eigen::Vector4d(1, 2.5, 2.5, 4));
  EXPECT_EQ(pooled(Eigen::Vector3d(3, 2, 1)), Eigen::Vector3d(2, 2, 2));
  EXPECT_EQ(pooled(Eigen::Vector3d(1, 2, 3)), Eigen::Vector3d(1, 2, 3));
  // Conditions of the projection on a convex cone: <x - p, p> = 0, and <x - p, q> <= 0 for its rays q.
  std::mt19937_64 bits(4);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 100; ++trial) {
    const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(7, [&] { return normal(bits); });
    const Eigen::VectorXd p = pooled(x), off = x - p;
    EXPECT_NEAR(off.dot(p), 0, 1e-14);
    EXPECT_NEAR(off.sum(), 0, 1e-14);
    for (Eigen::Index k = 1; k < 7; ++k) EXPECT_LE(off.tail(7 - k).sum(), 1e-14);
  }
}

TEST(OnSimplex, IsTheNearestVectorWithTheSum) {
  EXPECT_EQ(on_simplex(Eigen::Vector3d(0, 0.5, 0.5), 1), Eigen::Vector3d(0, 0.5, 0.5));
  EXPECT_EQ(on_simplex(Eigen::Vector3d(-1, 1, 2), 0), Eigen::Vector3d(0, 0, 0));
  EXPECT_EQ(on_simplex(Eigen::Vector3d(-1, 1, 2), 2), Eigen::Vector3d(0, 0.5, 1.5));
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 100; ++trial) {
    Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(7, [&] { return normal(bits); });
    std::sort(x.begin(), x.end());
    const Eigen::VectorXd p = on_simplex(x, 1.5);
    EXPECT_NEAR(p.sum(), 1.5, 1e-14);
    EXPECT_GE(p.minCoeff(), 0);
    // Where p > 0, x - p is one number; elsewhere it is not larger.
    const double moved = x(6) - p(6);
    for (Eigen::Index i = 0; i < 7; ++i) {
      if (p(i) > 0) {
        EXPECT_NEAR(x(i) - p(i), moved, 1e-14);
      }
      EXPECT_LE(x(i) - p(i), moved + 1e-14);
    }
  }
}

}  // namespace
}  // namespace jme::models
