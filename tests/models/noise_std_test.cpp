// The noise beside every number, against numerical derivatives of formulas that are written again here, and
// against the spread over repetitions of the whole mechanism.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "models/claims.hpp"
#include "models/rows.hpp"

namespace jme {
namespace {

using test::claims;
using test::covariance_of;
using test::Function;
using test::some_units;
using test::three_column_config;
using test::three_columns;

// First-order standard deviation by central differences, each independent draw of noise on its own: e_i
// moves the mean and, through -mm', the covariance; F_ij moves the two entries of the second moment. Plus the
// variance 2 v1^2 ||G||^2 of -ee', and what entries of the diagonal have in common.
double numeric_std(const Function& f, const RunningMoments& moments, const Release& release) {
  const Eigen::VectorXd m = moments.mean();
  const Eigen::MatrixXd c = moments.covariance();
  const double v1 = std::pow(moments.noise().std_of_mean(0), 2);
  // The entries of the diagonal have the covariance c: variance v2 + c.
  const double c2 = release.diagonal_covariance() / std::pow(release.weight_second(), 2);
  const double v2 = std::pow(release.std_second() / release.weight_second(), 2) - c2;
  const Eigen::MatrixXd s = c + m * m.transpose();
  const Eigen::Index d = m.size();
  const double step = 1e-6;
  const auto at = [&](const Eigen::VectorXd& mean, const Eigen::MatrixXd& second) {
    return f(mean, second - mean * mean.transpose());
  };
  double variance = 0, norm = 0, along_trace = 0;
  for (Eigen::Index i = 0; i < d; ++i) {
    const Eigen::VectorXd e = step * Eigen::VectorXd::Unit(d, i);
    variance += v1 * std::pow((at(m + e, s) - at(m - e, s)) / (2 * step), 2);
    for (Eigen::Index j = i; j < d; ++j) {
      Eigen::MatrixXd direction = Eigen::MatrixXd::Zero(d, d);
      direction(i, j) = direction(j, i) = step;
      const double slope = (at(m, s + direction) - at(m, s - direction)) / (2 * step);
      variance += (i == j ? v2 : v2 / 2) * slope * slope;
      norm += (i == j ? 1 : 0.5) * slope * slope;
      if (i == j) along_trace += slope;
    }
  }
  return std::sqrt(variance + c2 * along_trace * along_trace + 2 * v1 * v1 * norm);
}

class EveryModel : public testing::Test {
 protected:
  static constexpr Eigen::Index rows = 20;
};

TEST_F(EveryModel, HasTheValueOfItsDefinition) {
  MomentStream stream(Mechanism(three_column_config(0.01, rows)), InsecureTestSeed{3});
  const Release& release = test::run(stream, three_columns(rows));
  const RunningMoments moments(release, some_units(), Bias::removed, Estimator::raw);
  ASSERT_EQ(moments.definite_covariance(), moments.covariance()) << "a projection would blur the comparison";
  for (const auto& [name, claim] : claims(moments, release)) {
    const double defined = claim.definition(moments.mean(), moments.covariance());
    // Rounding through a condition number of 1e6 in natural units.
    EXPECT_NEAR(claim.value, defined, 1e-9 * (std::abs(defined) + std::abs(claim.noise_std))) << name;
  }
}

TEST_F(EveryModel, HasTheNoiseOfItsDerivative) {
  MomentStream stream(Mechanism(three_column_config(0.01, rows)), InsecureTestSeed{3});
  const Release& release = test::run(stream, three_columns(rows));
  const RunningMoments moments(release, some_units(), Bias::removed, Estimator::raw);
  ASSERT_EQ(moments.definite_covariance(), moments.covariance());
  for (const auto& [name, claim] : claims(moments, release)) {
    const double numeric = numeric_std(claim.definition, moments, release);
    // Central differences of step 1e-6: truncation 1e-12 times third derivatives (below 1e6 of the first
    // here), rounding 1e-16 / 1e-6 times the condition of natural units.
    EXPECT_NEAR(claim.noise_std, numeric, 1e-4 * numeric + 1e-12) << name;
  }
}

TEST_F(EveryModel, HasTheNoiseSeenOverRepetitions) {
  // Noise small beside the covariance, so that first order is all there is (the largest second-order
  // effect here, on the inverse, is 1% of the first).
  const Mechanism mechanism(three_column_config(0.001, rows));
  const Eigen::MatrixXd x = three_columns(rows);
  constexpr int runs = 3000;
  std::map<std::string, Eigen::Vector3d> sums;
  for (int r = 0; r < runs; ++r) {
    MomentStream stream(mechanism, InsecureTestSeed{static_cast<std::uint64_t>(r)});
    const Release& release = test::run(stream, x);
    for (const auto& [name, claim] :
         claims(RunningMoments(release, some_units(), Bias::removed, Estimator::raw), release)) {
      auto& sum = sums.try_emplace(name, Eigen::Vector3d::Zero()).first->second;
      const double shifted = claim.value - claim.definition(x.colwise().mean().transpose(), covariance_of(x));
      sum += Eigen::Vector3d(shifted, shifted * shifted, claim.noise_std) / runs;
    }
  }
  for (const auto& [name, sum] : sums) {
    if (name.starts_with("correlation") && sum(2) == 0) continue;  // 1 on the diagonal, always
    const double spread = std::sqrt(sum(1) - sum(0) * sum(0));
    // A standard deviation from 3000 runs is good to 1.3%: 6.5 of that (false alarm 1e-10), plus the 1%.
    // Noise 10% too small or large is seen.
    EXPECT_NEAR(spread / sum(2), 1, 6.5 / std::sqrt(2.0 * runs) + 0.01) << name;
  }
}

TEST(SharedNoise, OfPpIsBoundedByWhatIsClaimed) {
  for (const Shape& shape : {Shape::identity(), Shape::blt({.poles = {0.9, 0.5}, .zeros = {0.7, 0.2}})}) {
    StreamConfig config = three_column_config(0.02, 16);
    config.every = 4;
    config.method = Method::pp_debiased;
    config.shape = shape;
    const Mechanism mechanism(config);
    const Eigen::MatrixXd x = three_columns(16);
    constexpr int runs = 2000;
    std::map<std::string, Eigen::Vector3d> sums;
    for (int r = 0; r < runs; ++r) {
      MomentStream stream(mechanism, InsecureTestSeed{static_cast<std::uint64_t>(r)});
      const Release& release = test::run(stream, x);
      const auto cov = running_covariance(release, some_units());
      const auto second = natural_second(release, some_units());
      const auto add = [&](const std::string& name, double value, double noise) {
        auto& sum = sums.try_emplace(name, Eigen::Vector3d::Zero()).first->second;
        sum += Eigen::Vector3d(value, value * value, noise) / runs;
      };
      for (Eigen::Index i = 0; i < 3; ++i) {
        for (Eigen::Index j = i; j < 3; ++j) {
          const std::string entry = " " + std::to_string(i) + " " + std::to_string(j);
          add("covariance" + entry, cov.value(i, j), cov.noise_std(i, j));
          add("second" + entry, second.value(i, j), second.noise_std(i, j));
        }
      }
    }
    for (const auto& [name, sum] : sums) {
      const double spread = std::sqrt(std::max(0.0, sum(1) - sum(0) * sum(0)));
      EXPECT_LE(spread, sum(2) * (1 + 6.5 / std::sqrt(2.0 * runs))) << name << shape.name();
    }
  }
}

}  // namespace
}  // namespace jme
