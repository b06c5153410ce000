// Bands of 95%: value +- 1.96 noise_std covers the rows' own number in 95% of the streams. The share is
// binomial, so its limits are derived (Chernoff, false alarm below 1e-9 per number), and the number of runs
// is the least at which bands 10% too narrow, or too wide, are rejected with the same certainty.
#include <cmath>
#include <map>
#include <string>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>

#include "dense_algebra.hpp"
#include "models/binomial.hpp"
#include "models/rows.hpp"

namespace jme {
namespace {

using test::covariance_of;
using test::limit;
using test::natural;
using test::some_units;
using test::three_column_config;
using test::three_columns;

constexpr double wanted = 0.95;
constexpr double quantile = 1.959963984540054;
// Second-order effects of the noise may move a share by this much: a bias of b deviations changes it by
// z phi(z) b^2 = 0.11 b^2, and b stays below 0.1 here (noise over gaps of eigenvalues is below 1/50).
constexpr double second_order = 0.0012;

double covered_share(double band) {
  return std::erf(quantile * band / std::sqrt(2.0));
}

std::size_t runs_for_power() {
  std::size_t runs = 1000;
  while (limit(covered_share(0.9), runs, true) + second_order >= limit(wanted, runs, false) - second_order ||
         limit(covered_share(1.1), runs, false) - second_order <= limit(wanted, runs, true) + second_order) {
    runs += runs / 16;
  }
  return runs;
}

struct Number {
  double value, noise_std, truth;
};

// The numbers that models publish, and their truth from the rows themselves.
std::map<std::string, Number> numbers(const Release& release, const Eigen::MatrixXd& x) {
  const Units units = some_units();
  const Eigen::MatrixXd rows = natural(x, units);
  const Eigen::VectorXd mean = rows.colwise().mean().transpose();
  const Eigen::MatrixXd c = covariance_of(rows);
  const Eigen::VectorXd eigenvalues = test::eigenvalues(c);
  const Eigen::Vector2d slope = test::solve(c.topLeftCorner(2, 2), c.topRightCorner(2, 1));

  const auto first = running_mean(release, units);
  const auto second = running_covariance(release, units);
  const RunningMoments moments(release, units, Bias::removed, Estimator::raw);
  const auto pca = ComponentTracker().next(moments, 3);
  const auto line = linear_regression(moments, 2);
  const auto cor = correlation(moments);
  std::map<std::string, Number> all;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const std::string at = " " + std::to_string(i);
    all["mean" + at] = {first.value(i), first.noise_std(i), mean(i)};
    all["eigenvalue" + at] = {pca.values.value(i), pca.values.noise_std(i), eigenvalues(2 - i)};
    all["share" + at] = {pca.shares.value(i), pca.shares.noise_std(i), eigenvalues(2 - i) / c.trace()};
    for (Eigen::Index j = i; j < 3; ++j) {
      all["covariance" + at + std::to_string(j)] = {second.value(i, j), second.noise_std(i, j), c(i, j)};
      if (j > i)
        all["correlation" + at + std::to_string(j)] = {cor.value(i, j), cor.noise_std(i, j),
                                                       c(i, j) / std::sqrt(c(i, i) * c(j, j))};
    }
  }
  for (Eigen::Index i = 0; i < 2; ++i) {
    all["coefficient " + std::to_string(i)] = {line.coefficients.value(i), line.coefficients.noise_std(i),
                                               slope(i)};
  }
  all["intercept"] = {line.intercept.value, line.intercept.noise_std, mean(2) - slope.dot(mean.head(2))};
  const Estimate log_det = GaussianDensity(moments).log_det();
  all["log_det"] = {log_det.value, log_det.noise_std, std::log(test::determinant(c))};
  return all;
}

void expect_covered(const StreamConfig& config) {
  const Mechanism mechanism(config);
  const Eigen::MatrixXd x = three_columns(static_cast<Eigen::Index>(*config.rows));
  const std::size_t runs = runs_for_power();
  std::map<std::string, Eigen::Array3d> covered;  // by bands of 0.9, 1 and 1.1 times the width
  for (std::size_t r = 0; r < runs; ++r) {
    MomentStream stream(mechanism, InsecureTestSeed{r});
    for (const auto& [name, number] : numbers(test::run(stream, x), x)) {
      auto& share = covered.try_emplace(name, Eigen::Array3d::Zero()).first->second;
      const double off = std::abs(number.value - number.truth) / (quantile * number.noise_std);
      share += Eigen::Array3d(off <= 0.9 ? 1 : 0, off <= 1 ? 1 : 0, off <= 1.1 ? 1 : 0) /
               static_cast<double>(runs);
    }
  }
  const double low = limit(wanted, runs, false) - second_order;
  const double high = limit(wanted, runs, true) + second_order;
  for (const auto& [name, share] : covered) {
    EXPECT_GE(share(1), low) << name;
    EXPECT_LE(share(1), high) << name;
    EXPECT_LT(share(0), low) << name << ": bands 10% too narrow must be rejected";
    EXPECT_GT(share(2), high) << name << ": bands 10% too wide must be rejected";
  }
}

TEST(Coverage, OfMeanCovarianceEigenvaluesAndRegressionIsNinetyFivePercent) {
  expect_covered(three_column_config(0.002, 20));
}

TEST(Coverage, IsNinetyFivePercentForShapedNoiseOverSeveralReleases) {
  StreamConfig config = three_column_config(0.002, 20);
  config.every = 6;  // a partial last block
  config.shape = Shape::blt({.poles = {0.9, 0.5}, .zeros = {0.7, 0.2}});
  config.method = Method::lambda_jme;
  expect_covered(config);
}

}  // namespace
}  // namespace jme
