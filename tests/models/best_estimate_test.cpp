// The projection's values of high precision: mpmath with 40 digits, the dual's gradient
// (A + Y)_+ - A + Y/(w - 1) brought below 1e-40 by gradient steps and Newton's method.
#include <cmath>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/models/best_estimate.hpp>
#include <jme/models/covariance.hpp>

#include "dense_algebra.hpp"

namespace jme {
namespace {

constexpr BestOptions exactly{.tolerance = 1e-13};

class Drawn {
 public:
  explicit Drawn(unsigned seed) : bits_(seed) {}
  double normal() { return normal_(bits_); }
  Eigen::MatrixXd square(Eigen::Index d) {
    return Eigen::MatrixXd::NullaryExpr(d, d, [&] { return normal(); });
  }
  Eigen::MatrixXd symmetric(Eigen::Index d) {
    const Eigen::MatrixXd a = square(d);
    return (a + a.transpose()) / 2;
  }
  /// Noise with these variances of the entries.
  Eigen::MatrixXd noise(Eigen::Index d, const EntryVariances& variances) {
    Eigen::MatrixXd e(d, d);
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = i; j < d; ++j) {
        const double variance = variances.each.size() > 0 ? variances.each(i, j)
                                : i == j                  ? variances.diagonal
                                                          : variances.off;
        e(i, j) = e(j, i) = std::sqrt(variance) * normal();
      }
    }
    return e;
  }

 private:
  std::mt19937_64 bits_;
  std::normal_distribution<double> normal_;
};

EntryVariances box(double diagonal, Eigen::Index d) {
  return {.off = 2 * static_cast<double>(d - 1) * diagonal, .diagonal = diagonal};
}

double smallest_eigenvalue(const Eigen::MatrixXd& matrix) {
  return test::eigenvalues(matrix)(0);
}

/// The squared length of M in the metric of the noise.
double squared_in_noise(const Eigen::MatrixXd& m, const EntryVariances& noise) {
  double sum = 0;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = i; j < m.rows(); ++j) {
      const double variance = noise.each.size() > 0 ? noise.each(i, j) : i == j ? noise.diagonal : noise.off;
      sum += m(i, j) * m(i, j) / variance;
    }
  }
  return sum;
}

EntryVariances own_variances() {
  EntryVariances noise{.off = 1};
  noise.each =
      (Eigen::Matrix3d() << 2.0 / 10, 1, 1.0 / 3, 1, 2.0 / 5, 1.0 / 2, 1.0 / 3, 1.0 / 2, 2.0 / 4).finished();
  return noise;
}

const Eigen::Matrix3d indefinite =
    (Eigen::Matrix3d() << 1, 0.9, -0.7, 0.9, 0.7, 0.5, -0.7, 0.5, 0.6).finished();

TEST(NearestInNoise, HasItsValuesOfHighPrecision) {
  const Eigen::Matrix3d box_of_rho_8 =
      (Eigen::Matrix3d() << 1.03625831500963492, 0.592169036779772508, -0.414839198370499291,
       0.592169036779772508, 0.740835418498105407, 0.197375194438381639, -0.414839198370499291,
       0.197375194438381639, 0.635042256326398496)
          .finished();
  const Eigen::MatrixXd x = nearest_in_noise(indefinite, {.off = 4, .diagonal = 1}, exactly).matrix;
  EXPECT_LT((x - box_of_rho_8).cwiseAbs().maxCoeff(), 1e-12);
  const Eigen::Matrix3d each_its_own =
      (Eigen::Matrix3d() << 1.04426109927097503, 0.470445722745686103, -0.53919172869949081,
       0.470445722745686103, 0.783376545158911619, 0.265903190749590543, -0.53919172869949081,
       0.265903190749590543, 0.731454993719814034)
          .finished();
  const Eigen::MatrixXd own = nearest_in_noise(indefinite, own_variances(), exactly).matrix;
  EXPECT_LT((own - each_its_own).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(NearestInNoise, IsTheNearestInFrobeniusNormWhereTheNoiseIsIsotropic) {
  Drawn drawn(1);
  const Eigen::MatrixXd a = drawn.symmetric(6);
  const Eigen::MatrixXd x = nearest_in_noise(a, {.off = 0.3, .diagonal = 0.6}, exactly).matrix;
  EXPECT_LT((x - nearest_semidefinite(a)).norm(), 1e-13);
}

TEST(NearestInNoise, ObeysTheConditionsOfAProjectionOnACone) {
  // X is the projection of A if and only if X is semidefinite, W(X - A) is, and the two are orthogonal.
  Drawn drawn(2);
  for (const Eigen::Index d : {2, 5, 12}) {
    const Eigen::MatrixXd a = drawn.symmetric(d);
    const EntryVariances noise = box(0.01, d);
    const Eigen::MatrixXd x = nearest_in_noise(a, noise, exactly).matrix;
    Eigen::MatrixXd pull = (x - a) / noise.off;
    pull.diagonal() *= 2 * noise.off / noise.diagonal;
    // The dual's gradient is below 1e-13 deviations of the noise, times weights up to 1/variance.
    const double small = 1e-13 * std::sqrt(noise.off) / noise.diagonal * static_cast<double>(d) * 4;
    EXPECT_GE(smallest_eigenvalue(x), -1e-13);
    EXPECT_GE(smallest_eigenvalue(pull), -small);
    EXPECT_NEAR(pull.cwiseProduct(x).sum(), 0, small * x.norm());
  }
}

TEST(NearestInNoise, IsIdempotent) {
  Drawn drawn(3);
  for (const EntryVariances& noise : {box(0.1, 3), own_variances()}) {
    const Eigen::MatrixXd once = nearest_in_noise(drawn.symmetric(3), noise, exactly).matrix;
    EXPECT_LT((nearest_in_noise(once, noise, exactly).matrix - once).norm(), 1e-12);
  }
}

TEST(NearestInNoise, NeverIncreasesTheErrorInItsMetric) {
  Drawn drawn(4);
  int moved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Eigen::MatrixXd root = drawn.square(3);
    const Eigen::MatrixXd truth = root * root.transpose() / 10;
    for (const EntryVariances& noise :
         {box(0.02, 3), EntryVariances{.off = 0.05, .diagonal = 0.1}, own_variances()}) {
      const Eigen::MatrixXd a = truth + drawn.noise(3, noise);
      const Eigen::MatrixXd x = nearest_in_noise(a, noise).matrix;
      EXPECT_LE(squared_in_noise(x - truth, noise), squared_in_noise(a - truth, noise) * (1 + 1e-6));
      if ((x - a).norm() > 1e-6) ++moved;
    }
  }
  EXPECT_GT(moved, 100) << "this shows nothing";
}

TEST(NearestInNoise, FromMultipliersOfASimilarProblemIsTheSame) {
  Drawn drawn(5);
  const Eigen::MatrixXd a = drawn.symmetric(8);
  const EntryVariances noise = box(0.01, 8);
  const BestEstimate near = nearest_in_noise(a + 0.01 * drawn.symmetric(8), noise);
  const Eigen::MatrixXd fresh = nearest_in_noise(a, noise, exactly).matrix;
  const Eigen::MatrixXd warm =
      nearest_in_noise(a, noise, {.tolerance = 1e-13, .start = &near.multipliers}).matrix;
  EXPECT_LT((warm - fresh).norm(), 1e-11);
}

TEST(BestEstimate, IsSemidefiniteForEveryKindOfNoise) {
  Drawn drawn(6);
  for (int trial = 0; trial < 50; ++trial) {
    for (const EntryVariances& noise :
         {box(1, 3), EntryVariances{.off = 1, .diagonal = 2}, own_variances()}) {
      const Eigen::MatrixXd x = best_estimate(drawn.symmetric(3), noise).matrix;
      EXPECT_EQ(x, x.transpose());
      EXPECT_GE(smallest_eigenvalue(x), -1e-13);
    }
  }
}

TEST(BestEstimate, DoesNotDependOnTheOrderOfTheColumns) {
  Drawn drawn(7);
  const std::vector<Eigen::Index> order{3, 0, 4, 1, 2};
  const Eigen::MatrixXd a = drawn.symmetric(5);
  EntryVariances own = box(0.1, 5), permuted = own;
  own.each = drawn.symmetric(5).cwiseAbs().array() + 0.1;
  permuted.each = own.each(order, order);
  const auto expect_same = [&](const EntryVariances& noise, const EntryVariances& of_permuted) {
    const Eigen::MatrixXd x = best_estimate(a, noise, exactly).matrix;
    const Eigen::MatrixXd y = best_estimate(a(order, order), of_permuted, exactly).matrix;
    EXPECT_LT((x(order, order) - y).norm(), 1e-11);
  };
  expect_same(own, permuted);
  expect_same(box(0.1, 5), box(0.1, 5));
  expect_same({.off = 0.2, .diagonal = 0.4}, {.off = 0.2, .diagonal = 0.4});
}

TEST(BestEstimate, ScalesWithItsUnit) {
  Drawn drawn(8);
  const Eigen::MatrixXd a = drawn.symmetric(6);
  const EntryVariances noise = box(0.05, 6);
  const Eigen::MatrixXd x = best_estimate(a, noise, exactly).matrix;
  const Eigen::MatrixXd thousand =
      best_estimate(1000 * a, {.off = 1e6 * noise.off, .diagonal = 1e6 * noise.diagonal}, exactly).matrix;
  EXPECT_LT((thousand / 1000 - x).norm(), 1e-11);
}

TEST(BestEstimate, KeepsTheTraceInTheBallAndAlmostTheDiagonalInTheBox) {
  Drawn drawn(9);
  const Eigen::Index d = 10;
  const Eigen::MatrixXd truth = Eigen::MatrixXd::Identity(d, d);
  const EntryVariances ball{.off = 0.5, .diagonal = 1};
  const Eigen::MatrixXd a = truth + drawn.noise(d, ball);
  EXPECT_NEAR(best_estimate(a, ball).matrix.trace(), a.trace(), 1e-12);
  const EntryVariances cube = box(0.01, d);
  const Eigen::MatrixXd b = truth + drawn.noise(d, cube);
  const Eigen::VectorXd moved = best_estimate(b, cube).matrix.diagonal() - b.diagonal();
  EXPECT_LT(moved.norm(), (b.diagonal() - truth.diagonal()).norm());
}

TEST(BestEstimate, OfAFlatSpectrumIsAlmostFlat) {
  // Entries off the diagonal carry nothing but noise, and almost all of it goes.
  Drawn drawn(10);
  const Eigen::Index d = 30;
  const EntryVariances noise = box(0.001, d);
  const Eigen::MatrixXd a = Eigen::MatrixXd::Identity(d, d) + drawn.noise(d, noise);
  const auto off_norm = [](Eigen::MatrixXd m) {
    m.diagonal().setZero();
    return m.norm();
  };
  EXPECT_LT(off_norm(best_estimate(a, noise).matrix), 0.2 * off_norm(a));
  // Numbers that are all alike stay alike.
  const Eigen::MatrixXd flat = 0.7 * Eigen::MatrixXd::Identity(d, d);
  EXPECT_LT((best_estimate(flat, noise).matrix - flat).norm(), 1e-12);
}

TEST(BestEstimate, WithoutNoiseIsTheNearestSemidefiniteMatrix) {
  Drawn drawn(11);
  const Eigen::MatrixXd a = drawn.symmetric(4);
  EXPECT_LT((best_estimate(a, {}).matrix - nearest_semidefinite(a)).norm(), 1e-14);
  EXPECT_EQ(best_estimate(Eigen::MatrixXd::Constant(1, 1, -2), {.off = 1, .diagonal = 1}).matrix(0, 0), 0);
}

TEST(BestEstimate, HasAThirdOfTheErrorOfTheNearestOnAverageWhereNoiseIsLarge) {
  // d = 20, a flat spectrum, noise on an entry as large as a third of a variance. The ratio of root mean
  // square errors is .21 (experiments), and the limit is 1.5 times that: over 40 draws its standard error is
  // below 3%.
  Drawn drawn(12);
  const Eigen::Index d = 20;
  const EntryVariances noise = box(0.1 / (2 * (d - 1)), d);
  const Eigen::MatrixXd truth = Eigen::MatrixXd::Identity(d, d);
  double best = 0, nearest = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Eigen::MatrixXd a = truth + drawn.noise(d, noise);
    best += (best_estimate(a, noise).matrix - truth).squaredNorm();
    nearest += (nearest_semidefinite(a) - truth).squaredNorm();
  }
  EXPECT_LT(std::sqrt(best / nearest), 1.0 / 3);
}

}  // namespace
}  // namespace jme
