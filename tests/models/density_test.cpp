#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/models/density.hpp>
#include <jme/models/regression.hpp>

#include "models/rows.hpp"

namespace jme {
namespace {

using test::some_units;
using test::three_column_config;
using test::three_columns;

RunningMoments some_moments(double sigma, std::uint64_t seed = 4) {
  MomentStream stream(Mechanism(three_column_config(sigma, 20)), InsecureTestSeed{seed});
  return {test::run(stream, three_columns(20)), some_units()};
}

// Values from the textbook formulas in exact arithmetic: N((1,2), [[4,2],[2,3]]), det 8, at (3,1):
// inverse [[3,-2],[-2,4]]/8, (2,-1) -> (12+8+4)/8 = 3.
TEST(GaussianDensity, OfAPublicGaussianHasTheTextbooksValues) {
  const GaussianDensity density(Eigen::Vector2d(1, 2), (Eigen::Matrix2d() << 4, 2, 2, 3).finished());
  EXPECT_NEAR(density.log_det().value, std::log(8.0), 1e-14);
  const std::vector<double> point{3, 1};
  EXPECT_NEAR(density.outlier_score(point).value, std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(density.log_density(point).value, -std::log(2 * M_PI) - std::log(8.0) / 2 - 1.5, 1e-14);
  EXPECT_EQ(density.log_density(point).noise_std, 0);
  EXPECT_EQ(density.outlier_score(point).noise_std, 0);
  EXPECT_TRUE(density.mean().value.isApprox(Eigen::Vector2d(1, 2)));
  EXPECT_NEAR(density.covariance().value(0, 1), 2, 1e-14);
}

TEST(GaussianDensity, IntegratesToOne) {
  const GaussianDensity density(Eigen::Vector2d(1, 2), (Eigen::Matrix2d() << 4, 2, 2, 3).finished());
  double sum = 0;
  const double step = 0.1;
  for (double x = -15; x < 17; x += step) {
    for (double y = -12; y < 16; y += step) {
      sum += std::exp(density.log_density(std::vector{x, y}).value) * step * step;
    }
  }
  // The trapezoidal rule on a Gaussian: errors are exponentially small; the tails left out are 8 deviations.
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(GaussianDensity, SamplesHaveItsMeanAndCovariance) {
  const GaussianDensity density(some_moments(0.05));
  std::mt19937_64 generator(9);
  constexpr int runs = 20000;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(3);
  Eigen::MatrixXd second = Eigen::MatrixXd::Zero(3, 3);
  for (int r = 0; r < runs; ++r) {
    const Eigen::VectorXd x = density.sample(generator) - density.mean().value;
    mean += x / runs;
    second += x * x.transpose() / runs;
  }
  const Eigen::MatrixXd c = density.covariance().value;
  for (Eigen::Index i = 0; i < 3; ++i) {
    // 6.5 standard errors, false alarm below 1e-10 each; entries of a sample covariance have variance
    // (c_ii c_jj + c_ij^2)/runs. A covariance 10% off is 10 of them on the diagonal.
    EXPECT_LT(std::abs(mean(i)), 6.5 * std::sqrt(c(i, i) / runs));
    for (Eigen::Index j = 0; j < 3; ++j) {
      EXPECT_LT(std::abs(second(i, j) - c(i, j)),
                6.5 * std::sqrt((c(i, i) * c(j, j) + c(i, j) * c(i, j)) / runs));
    }
  }
}

TEST(GaussianDensity, OutlierScoreAtTheMeanIsZeroWithTheMeansOwnNoise) {
  const RunningMoments moments = some_moments(0.05);
  const GaussianDensity density(moments);
  const Eigen::VectorXd mean = density.mean().value;
  const Estimate score = density.outlier_score({mean.data(), 3});
  EXPECT_NEAR(score.value, 0, 1e-7);
  const GaussianDensity exact(Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity());
  EXPECT_EQ(exact.outlier_score(std::vector{0.0, 0.0}).value, 0);
  EXPECT_EQ(exact.outlier_score(std::vector{0.0, 0.0}).noise_std, 0);
}

TEST(GaussianDensity, RefusesWhatIsNone) {
  EXPECT_THROW(GaussianDensity(Eigen::Vector2d::Zero(), Eigen::Matrix3d::Identity()), InvalidParameter);
  EXPECT_THROW(GaussianDensity(Eigen::Vector2d::Zero(), -Eigen::Matrix2d::Identity()), InvalidParameter);
  EXPECT_THROW(GaussianDensity(Eigen::Vector2d::Zero(), Eigen::Matrix2d::Ones()), InvalidParameter);
  const GaussianDensity density(Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity());
  EXPECT_THROW((void)density.log_density(std::vector{1.0}), InvalidParameter);
  const GaussianDensity line(Eigen::VectorXd::Zero(1), Eigen::MatrixXd::Identity(1, 1));
  EXPECT_THROW((void)kl_divergence(density, line), InvalidParameter);
}

// KL(N(0,1) || N(1,4)) = log 2 + (1 + 1)/8 - 1/2.
TEST(KlDivergence, HasTheTextbooksValueAndIsZeroForTheSame) {
  const auto normal = [](double mean, double variance) {
    return GaussianDensity(Eigen::VectorXd::Constant(1, mean), Eigen::MatrixXd::Constant(1, 1, variance));
  };
  EXPECT_NEAR(kl_divergence(normal(0, 1), normal(1, 4)).value, std::log(2.0) + 0.25 - 0.5, 1e-14);
  const GaussianDensity density(some_moments(0.05));
  EXPECT_NEAR(kl_divergence(density, density).value, 0, 1e-12);
  EXPECT_GE(kl_divergence(density, density).value, 0);
}

TEST(KlDivergence, DoesNotDependOnTheUnits) {
  const auto moments_in = [](const Units& units, std::uint64_t seed) {
    MomentStream stream(Mechanism(three_column_config(0.05, 20)), InsecureTestSeed{seed});
    return RunningMoments(test::run(stream, three_columns(20)), units, Bias::removed, Estimator::raw);
  };
  const Estimate natural = kl_divergence(GaussianDensity(moments_in(some_units(), 1)),
                                         GaussianDensity(moments_in(some_units(), 2)));
  const Estimate unit = kl_divergence(GaussianDensity(moments_in(Units::identity(3), 1)),
                                      GaussianDensity(moments_in(Units::identity(3), 2)));
  EXPECT_NEAR(natural.value, unit.value, 1e-9);
  EXPECT_NEAR(natural.noise_std, unit.noise_std, 1e-9);
  // One of the two in other units, and the same Gaussian as a public one.
  const GaussianDensity q(moments_in(some_units(), 2));
  const GaussianDensity p(moments_in(some_units(), 1));
  const GaussianDensity copy(p.mean().value, p.covariance().value);
  EXPECT_NEAR(kl_divergence(copy, q).value, natural.value, 1e-9);
  EXPECT_LT(kl_divergence(copy, q).noise_std, natural.noise_std);
}

TEST(LinearRegression, NeedsAColumnAndAnother) {
  const RunningMoments moments = some_moments(0.05);
  EXPECT_THROW((void)linear_regression(moments, 3), InvalidParameter);
  StreamConfig config = three_column_config(0.05, 4);
  config.dimension = 1;
  MomentStream stream(config);
  EXPECT_THROW(
      (void)linear_regression({test::run(stream, Eigen::MatrixXd::Zero(4, 1)), Units::identity(1)}, 0),
      InvalidParameter);
}

// A column that is a line of the others: y = 1 + 2a - 3b in natural units.
TEST(LinearRegression, FindsAPlantedLine) {
  Eigen::MatrixXd x = three_columns(20);
  const Units units = some_units();
  Eigen::MatrixXd natural = test::natural(x, units);
  natural.col(2) = (1 + 2 * natural.col(0).array() - 3 * natural.col(1).array()).matrix();
  x.col(2) = (natural.col(2).array() - units.centre(2)) / units.half_width(2);
  MomentStream stream(three_column_config(1e-9, 20));
  const auto line = linear_regression({test::run(stream, x), units}, 2);
  // Lattice and noise: 1e-6 in the unit box, where y's half-width is 150 times x's and eigenvalues are 0.05.
  EXPECT_NEAR(line.coefficients.value(0), 2, 0.02);
  EXPECT_NEAR(line.coefficients.value(1), -3, 0.02);
  EXPECT_NEAR(line.intercept.value, 1, 1.5);
}

}  // namespace
}  // namespace jme
