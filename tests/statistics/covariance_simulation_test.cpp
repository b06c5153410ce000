// The covariance theorems of docs/theory/errors.md#running-covariance against the simulated mechanism: d = 1,
// 2, 5, biased and debiased, JME and PP, the identity and shaped noise, blocks.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <jme/models/covariance.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/theory/expected_error.hpp>

#include "statistics/oracle.hpp"

namespace jme {
namespace {

struct Sample {
  double mean = 0, variance = 0;    // of the squared error summed over releases
  double bias = 0, bias_error = 0;  // mean error of a diagonal entry at the last release, its standard error
};

constexpr std::size_t covariance_runs = 4000;

// Covariance of the rows of every release, by the workload's definition.
std::vector<Eigen::MatrixXd> truth(const Mechanism& mechanism, const Eigen::MatrixXd& x) {
  Eigen::MatrixXd v = oracle::workload_over_rows(mechanism.workload_first(), mechanism.horizon());
  std::vector<Eigen::MatrixXd> result;
  for (Eigen::Index s = 0; s < v.rows(); ++s) {
    const Eigen::VectorXd weights = v.row(s).transpose() / v.row(s).sum();
    const Eigen::VectorXd mean = x.transpose() * weights;
    result.emplace_back(x.transpose() * weights.asDiagonal() * x - mean * mean.transpose());
  }
  return result;
}

Sample simulate(const Mechanism& mechanism, const Eigen::MatrixXd& x, Bias bias, std::uint64_t seed) {
  const std::vector<Eigen::MatrixXd> exact = truth(mechanism, x);
  const Units units = Units::identity(static_cast<std::size_t>(x.cols()));
  std::vector<double> row(static_cast<std::size_t>(x.cols()));
  double sum = 0, squares = 0, off = 0, off_squares = 0;
  for (std::size_t r = 0; r < covariance_runs; ++r) {
    MomentStream stream(mechanism, InsecureTestSeed{seed + r});
    double error = 0, last = 0;
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = x(t, static_cast<Eigen::Index>(j));
      const Release& release = stream.push(row);
      if (!release.is_new()) continue;
      const Eigen::MatrixXd difference =
          running_covariance(release, units, bias).value - exact[release.steps() - 1];
      error += difference.squaredNorm();
      last = difference(0, 0);
    }
    sum += error;
    squares += error * error;
    off += last;
    off_squares += last * last;
  }
  const auto n = static_cast<double>(covariance_runs);
  return {.mean = sum / n,
          .variance = squares / n - sum / n * (sum / n),
          .bias = off / n,
          .bias_error = std::sqrt((off_squares / n - off / n * (off / n)) / n)};
}

// Squared errors here are quartic in Gaussians: 6.5 empirical standard errors (normal tail 8e-11; what is
// left of the skewness after 4000 runs moves that by less than a factor of ten).
constexpr double standard_errors = 6.5;

bool agrees(const Sample& sample, double expected) {
  return std::abs(sample.mean - expected) <=
         standard_errors * std::sqrt(sample.variance / static_cast<double>(covariance_runs));
}

StreamConfig config_for(std::size_t dimension, Method method, const Shape& shape, std::size_t every = 1) {
  return {.budget = {.sigma = 0.4},
          .rows = 10 * every,
          .every = every,
          .dimension = dimension,
          .norm_bound = 1.5,
          .workload = mean(),
          .method = method,
          .shape = shape};
}

StreamConfig weaker(StreamConfig config) {
  *config.budget.sigma *= 0.9;
  return config;
}

std::vector<Shape> plain_and_shaped() {
  return {Shape::identity(), Shape::blt({.poles = {0.95, 0.6}, .zeros = {0.8, 0.3}})};
}

std::string description(const StreamConfig& config, Bias bias) {
  return std::string(name(config.method)) + " d = " + std::to_string(config.dimension) + " " +
         config.shape.name() + " " + config.workload.name() + " every " + std::to_string(config.every) +
         (bias == Bias::removed ? " debiased" : " biased");
}

void expect_joint_theorem(const StreamConfig& config, Bias bias) {
  SCOPED_TRACE(description(config, bias));
  const Mechanism mechanism(config);
  // The stream zeta e1, zeta e1, .. attains the supremum at all releases at once.
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(*config.rows),
                                            static_cast<Eigen::Index>(config.dimension));
  x.col(0).setConstant(config.norm_bound);
  const double expected = covariance_error(mechanism, bias == Bias::removed);
  const Sample sample = simulate(mechanism, x, bias, 1000);
  EXPECT_TRUE(agrees(sample, expected)) << sample.mean << " against " << expected;
  EXPECT_FALSE(agrees(simulate(Mechanism(weaker(config)), x, bias, 900000), expected))
      << "the test must reject noise 10% too small";
  // docs/theory/errors.md#running-covariance: the bias is -v1 I, so that removing it adds.
  const ReleaseVariance variance = release_variance(mechanism);
  const double weight = mechanism.workload_first().weight_sum(mechanism.horizon().steps() - 1, *config.rows,
                                                              mechanism.horizon());
  const double v1 = variance.first.back() / (weight * weight);
  EXPECT_NEAR(sample.bias, bias == Bias::removed ? 0 : -v1, standard_errors * sample.bias_error);
}

// PP's error for one stream: the moments of the quadratic form (X+G)'K(X+G), from dense matrices.
struct PpMoments {
  double error, bias_at_end;
};
PpMoments pp_moments(const Mechanism& mechanism, const Eigen::MatrixXd& x, Bias bias) {
  const auto d = static_cast<double>(x.cols());
  const double w = std::pow(mechanism.calibration().std_first, 2);
  const Eigen::MatrixXd inverse = oracle::inverse(mechanism.c1().to_dense());
  const Eigen::MatrixXd q = inverse * inverse.transpose();
  const Eigen::MatrixXd a = oracle::workload_over_rows(mechanism.workload_first(), mechanism.horizon());
  PpMoments result{};
  for (Eigen::Index s = 0; s < a.rows(); ++s) {
    const Eigen::VectorXd v = a.row(s).transpose() / a.row(s).sum();
    const Eigen::MatrixXd k = Eigen::MatrixXd(v.asDiagonal()) - v * v.transpose();
    const Eigen::MatrixXd kq = k * q;
    result.error +=
        d * (d + 1) * w * w * (kq * kq).trace() + 2 * (d + 1) * w * (x.transpose() * kq * k * x).trace();
    // docs/theory/errors.md#running-covariance: sum_t V_kt Q_tt - b_k is the trace of KQ.
    result.bias_at_end = bias == Bias::kept ? w * kq.trace() : 0;
    result.error += d * std::pow(result.bias_at_end, 2);
  }
  return result;
}

void expect_postprocessing_theorem(const StreamConfig& config, Bias bias) {
  SCOPED_TRACE(description(config, bias));
  const Mechanism mechanism(config);
  const Eigen::MatrixXd x = oracle::alternating_stream(*config.rows, config.dimension, config.norm_bound);
  const PpMoments expected = pp_moments(mechanism, x, bias);
  const Interval bounds = covariance_error_bounds(mechanism, bias == Bias::removed);
  EXPECT_LE(expected.error, bounds.high * (1 + 1e-9));
  EXPECT_GE(bounds.low, expected.error * (1 - 1e-9)) << "the theorem's low end is attained by some stream";
  const Sample sample = simulate(mechanism, x, bias, 1000);
  EXPECT_TRUE(agrees(sample, expected.error)) << sample.mean << " against " << expected.error;
  EXPECT_FALSE(agrees(simulate(Mechanism(weaker(config)), x, bias, 900000), expected.error))
      << "the test must reject noise 10% too small";
  EXPECT_NEAR(sample.bias, expected.bias_at_end, standard_errors * sample.bias_error);
}

class CovarianceTheorem : public testing::TestWithParam<std::size_t> {};

TEST_P(CovarianceTheorem, OfJmeHoldsBiasedAndDebiasedWithAndWithoutAShape) {
  for (const Shape& shape : plain_and_shaped()) {
    for (const Bias bias : {Bias::removed, Bias::kept}) {
      expect_joint_theorem(config_for(GetParam(), Method::jme, shape), bias);
    }
  }
}

TEST_P(CovarianceTheorem, OfJmeHoldsForBlocksAndOtherWeights) {
  for (const Workload& workload : {mean(), decay(0.9), window(6)}) {
    StreamConfig config = config_for(GetParam(), Method::jme, plain_and_shaped()[1], 3);
    config.workload = workload;
    expect_joint_theorem(config, Bias::removed);
  }
}

TEST_P(CovarianceTheorem, OfPostprocessingHoldsBiasedAndDebiasedWithAndWithoutAShape) {
  for (const Shape& shape : plain_and_shaped()) {
    expect_postprocessing_theorem(config_for(GetParam(), Method::pp, shape), Bias::kept);
    expect_postprocessing_theorem(config_for(GetParam(), Method::pp, shape), Bias::removed);
    expect_postprocessing_theorem(config_for(GetParam(), Method::pp_debiased, shape), Bias::removed);
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, CovarianceTheorem, testing::Values(1U, 2U, 5U));

}  // namespace
}  // namespace jme
