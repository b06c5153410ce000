// Models of releases with too much noise: indefinite covariances, directions that the noise hides.
#include <array>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/regression.hpp>

#include "dense_algebra.hpp"
#include "models/rows.hpp"

namespace jme {
namespace {

using test::some_units;
using test::three_column_config;
using test::three_columns;

Eigen::MatrixXd random_symmetric(std::mt19937_64& bits, Eigen::Index d) {
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd a = Eigen::MatrixXd::NullaryExpr(d, d, [&] { return normal(bits); });
  return (a + a.transpose()) / 2;
}

double least_eigenvalue(const Eigen::MatrixXd& symmetric) {
  return test::eigenvalues(symmetric)(0);
}

// The nearest point of a convex set is the one that sees the whole set at an angle of 90 degrees or more:
// <A - P, X - P> <= 0 for every X of the set. Extreme members: floor I + multiples of vv'.
TEST(NearestSemidefinite, SatisfiesTheConditionThatOnlyTheNearestDoes) {
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal;
  for (const Eigen::Index d : {1, 2, 5, 70}) {
    for (const double floor : {0.0, 0.3}) {
      const Eigen::MatrixXd a = random_symmetric(bits, d);
      const Eigen::MatrixXd p = nearest_semidefinite(a, floor);
      EXPECT_EQ(p, p.transpose());
      const double size = a.norm() + 1;
      EXPECT_GE(least_eigenvalue(p), floor - 1e-12 * size);
      const Eigen::MatrixXd away = a - p;
      for (int trial = 0; trial < 100; ++trial) {
        const Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(d, [&] { return normal(bits); });
        const Eigen::MatrixXd x =
            floor * Eigen::MatrixXd::Identity(d, d) + std::abs(normal(bits)) * v * v.transpose();
        EXPECT_LE(away.cwiseProduct(x - p).sum(), 1e-11 * size * (size + x.norm()));
      }
    }
  }
}

TEST(NearestSemidefinite, LeavesAloneWhatNeedsNothing) {
  std::mt19937_64 bits(6);
  const Eigen::MatrixXd a = random_symmetric(bits, 4);
  const Eigen::MatrixXd definite = a * a + Eigen::MatrixXd::Identity(4, 4);
  EXPECT_EQ(nearest_semidefinite(definite), definite);
  EXPECT_EQ(nearest_semidefinite(definite, 0.9), definite);
  EXPECT_NE(nearest_semidefinite(definite, 100), definite);
}

class Drowned : public testing::Test {
 protected:
  // Four rows under a noise of their own size.
  Drowned() : stream(Mechanism(three_column_config(1, 4)), InsecureTestSeed{2}) {
    test::run(stream, three_columns(4));
  }
  MomentStream stream;
};

TEST_F(Drowned, EigenvaluesEndAtTheNoiseLevel) {
  const RunningMoments moments(stream.release(), some_units(), Bias::removed, Estimator::raw);
  ASSERT_LT(least_eigenvalue(moments.covariance()), 0) << "this seed shows nothing";
  const double level = moments.noise().level();
  EXPECT_NEAR(least_eigenvalue(moments.definite_covariance()), level, 1e-12 * moments.covariance().norm());
  EXPECT_EQ(moments.definite_covariance(), nearest_semidefinite(moments.covariance(), level));
  const Eigen::MatrixXd one = moments.definite_covariance() * moments.inverse();
  EXPECT_LT((one - Eigen::MatrixXd::Identity(3, 3)).norm(), 1e-10);
  EXPECT_NEAR(moments.log_det(), std::log(test::determinant(moments.definite_covariance())), 1e-9);
}

TEST_F(Drowned, TheNoiseLevelIsTheNoiseOnAVarianceInARandomDirection) {
  const RunningMoments moments(stream.release(), some_units(), Bias::removed, Estimator::raw);
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal;
  double mean_square = 0;
  constexpr int directions = 20000;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(3);
  for (int i = 0; i < directions; ++i) {
    const Eigen::VectorXd u = Eigen::VectorXd::NullaryExpr(3, [&] { return normal(bits); }).normalized();
    mean_square += std::pow(moments.noise().std_of(zero, Eigen::MatrixXd(u * u.transpose())), 2) / directions;
  }
  // The squares spread by less than their mean: 6.5/sqrt(20000) = 5%.
  EXPECT_NEAR(mean_square / std::pow(moments.noise().level(), 2), 1, 0.05);
}

TEST_F(Drowned, EveryNumberIsFiniteAndInItsRange) {
  const Release& release = stream.release();
  const RunningMoments moments(release, some_units(), Bias::removed, Estimator::raw);
  const auto cor = correlation(moments);
  EXPECT_TRUE(cor.value.allFinite());
  EXPECT_TRUE(cor.noise_std.allFinite());
  EXPECT_LE(cor.value.cwiseAbs().maxCoeff(), 1);
  EXPECT_GE(least_eigenvalue(cor.value), 0);
  EXPECT_EQ(cor.value.diagonal(), Eigen::Vector3d::Ones());
  EXPECT_TRUE(precision(moments).noise_std.allFinite());
  for (std::size_t target = 0; target < 3; ++target) {
    const auto line = linear_regression(moments, target);
    EXPECT_TRUE(line.coefficients.value.allFinite());
    EXPECT_TRUE(line.coefficients.noise_std.allFinite());
    // H's eigenvalues are at most 1/(2 sqrt r): directions that the noise hides do not grow without bound.
    const auto y = static_cast<Eigen::Index>(target);
    std::vector<Eigen::Index> others;
    for (Eigen::Index i = 0; i < 3; ++i) {
      if (i != y) others.push_back(i);
    }
    const double ridge = moments.noise().squared_level(others);
    const Eigen::VectorXd b = moments.covariance()(others, y);
    const Eigen::VectorXd unit =
        line.coefficients.value.cwiseProduct(some_units().half_width(others)) / some_units().half_width(y);
    EXPECT_LE(unit.norm(), b.norm() / (2 * std::sqrt(ridge)) * (1 + 1e-12));
  }
  EXPECT_TRUE(std::isfinite(GaussianDensity(moments).log_det().value));
}

TEST(Ridge, ShrinksByTheSquareOfNoiseOverVariance) {
  // Well above the noise the coefficients are those of least squares, except for a second-order factor.
  const Eigen::MatrixXd x = three_columns(20);
  MomentStream stream(Mechanism(three_column_config(0.002, 20)), InsecureTestSeed{2});
  const RunningMoments moments(test::run(stream, x), Units::identity(3), Bias::removed, Estimator::raw);
  const Eigen::MatrixXd a = moments.covariance().topLeftCorner(2, 2);
  const Eigen::VectorXd b = moments.covariance().topRightCorner(2, 1);
  const Eigen::VectorXd plain = test::solve(a, b);
  const Eigen::VectorXd ridged = linear_regression(moments, 2).coefficients.value;
  const double r = moments.noise().squared_level(std::array<Eigen::Index, 2>{0, 1});
  const double least = least_eigenvalue(a);
  EXPECT_LT(std::sqrt(r) / least, 0.1);
  EXPECT_LE((ridged - plain).norm(), r / (least * least) * plain.norm());
  EXPECT_GT((ridged - plain).norm(), 0);
}

TEST(Ridge, SquaredLevelIsTheMeanSquareOfTheNoise) {
  // E[dC^2] summed entry by entry from each entry's own noise.
  MomentStream stream(Mechanism(three_column_config(0.3, 20)), InsecureTestSeed{2});
  const Release& release = test::run(stream, three_columns(20));
  const RunningMoments moments(release, Units::identity(3), Bias::removed, Estimator::raw);
  const double all = running_covariance(release, Units::identity(3)).noise_std.squaredNorm() / 3;
  EXPECT_NEAR(moments.noise().squared_level(std::array<Eigen::Index, 3>{0, 1, 2}), all, 1e-12 * all);
}

}  // namespace
}  // namespace jme
