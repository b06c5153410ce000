// Theory against the simulated mechanism: every method, workload, shape and kind of second moment, and
// blocks. Methods that add noise to both moments: the squared error is a weighted chi-square, so its limits
// are exact inequalities (ChiSquareLimits; false alarm below 1e-9 per comparison) and the number of runs is
// the least at which noise 10% too small is rejected with the same certainty; that is run too.
#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <jme/theory/expected_error.hpp>

#include "statistics/error_simulation.hpp"
#include "statistics/oracle.hpp"

namespace jme {
namespace {

using oracle::ChiSquareLimits;
using oracle::simulate_many;

BltParameters some_blt() {
  return {.poles = {0.95, 0.6}, .zeros = {0.8, 0.3}};
}

std::vector<Shape> shapes() {
  return {Shape::identity(), Shape::square_root(), Shape::banded_inverse(3), Shape::blt(some_blt())};
}

StreamConfig config_for(Method method, const Workload& workload, const Shape& shape, SecondMoment second) {
  return {.budget = {.sigma = 0.7},
          .rows = 12,
          .dimension = 4,
          .norm_bound = 1.5,
          .workload = workload,
          .method = method,
          .shape = shape,
          .second = second};
}

StreamConfig with_sigma(StreamConfig config, double factor) {
  *config.budget.sigma *= factor;
  return config;
}

// Squared singular values of A C^-1 over steps. As eigenvalues: a singular value decomposition compiles for
// long.
Eigen::VectorXd squared_singular_values(const Filter& a, const Filter& c) {
  const Eigen::MatrixXd product = a.to_dense() * oracle::inverse(c.to_dense());
  const Eigen::MatrixXd gram = product * product.transpose();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram, Eigen::EigenvaluesOnly).eigenvalues();
}

// What every draw of the second moment adds to its squared Frobenius error: an entry off the diagonal counts
// twice.
Eigen::VectorXd second_weights(const Mechanism& mechanism) {
  const Eigen::VectorXd values = squared_singular_values(mechanism.a2(), mechanism.c2());
  const Calibration& noise = mechanism.calibration();
  const auto d = static_cast<Eigen::Index>(mechanism.config().dimension);
  const Eigen::Index pairs = mechanism.config().second == SecondMoment::full ? d * (d - 1) / 2 : 0;
  Eigen::VectorXd entries(d + pairs);
  // Where a trace corrects the diagonal, the direction of the trace keeps less: the eigenvalues of its
  // covariance.
  entries.head(d).setConstant(noise.std_second * noise.std_second);
  if (noise.std_trace > 0) {
    const double of_sum = static_cast<double>(d) * noise.std_second * noise.std_second;
    entries(0) = of_sum / (1 + of_sum / (noise.std_trace * noise.std_trace)) / static_cast<double>(d);
  }
  entries.tail(pairs).setConstant(2 * noise.std_off_diagonal * noise.std_off_diagonal);
  const Eigen::MatrixXd weights = values * entries.transpose();
  return weights.reshaped();
}

void expect_gaussian_error_as_predicted(const StreamConfig& config) {
  const Mechanism mechanism(config);
  const Mechanism weaker(with_sigma(config, 0.9));
  const auto d = static_cast<double>(config.dimension);
  const Calibration& noise = mechanism.calibration();
  const ChiSquareLimits first(
      noise.std_first * noise.std_first * squared_singular_values(mechanism.a1(), mechanism.c1()), d);
  const ChiSquareLimits second(second_weights(mechanism), 1);

  // Theory's recursions and the singular values are two ways to the same number.
  const ExpectedError expected = expected_error(mechanism);
  EXPECT_NEAR(expected.first / first.mean(), 1, 1e-9);
  EXPECT_NEAR(expected.second.low / second.mean(), 1, 1e-9);
  EXPECT_EQ(expected.second.low, expected.second.high);

  const std::size_t runs = std::max(first.runs_for_power(), second.runs_for_power());
  const double length = mechanism.geometry() == Geometry::box ? 1 : config.norm_bound;
  const Eigen::MatrixXd x = oracle::alternating_stream(*config.rows, config.dimension, length);
  const auto sample = simulate_many(mechanism, x, runs, 1000);
  EXPECT_GE(sample.mean.first, first.lower(runs));
  EXPECT_LE(sample.mean.first, first.upper(runs));
  EXPECT_GE(sample.mean.second, second.lower(runs));
  EXPECT_LE(sample.mean.second, second.upper(runs));

  const auto weak = simulate_many(weaker, x, runs, 5000000);
  EXPECT_LT(weak.mean.first, first.lower(runs)) << "the test must reject noise 10% too small";
  EXPECT_LT(weak.mean.second, second.lower(runs)) << "the test must reject noise 10% too small";
}

// PP's error for one stream X, from dense matrices: docs/theory/errors.md#squared-noisy-rows with tr(M XX')
// in place of its supremum.
double pp_error(const Mechanism& mechanism, const Eigen::MatrixXd& x) {
  const auto d = static_cast<double>(mechanism.config().dimension);
  const double w = mechanism.calibration().std_first * mechanism.calibration().std_first;
  const Eigen::MatrixXd inverse = oracle::inverse(mechanism.c1().to_dense());
  const Eigen::MatrixXd q = inverse * inverse.transpose();
  const Eigen::MatrixXd a = oracle::workload_over_rows(mechanism.workload_second(), mechanism.horizon());
  const Eigen::MatrixXd gram = a.transpose() * a;
  const bool full = mechanism.config().second == SecondMoment::full;
  const double squared = gram.cwiseProduct(q.cwiseProduct(q)).sum();
  const double cross = gram.cwiseProduct(q).cwiseProduct(x * x.transpose()).sum();
  double error = (full ? d * (d + 1) : 2 * d) * w * w * squared;
  // Diagonal: only coordinates with data have a cross term; this stream has all its norm in the first.
  error += (full ? 2 * (d + 1) : 4) * w * cross;
  if (mechanism.config().method == Method::pp) error += d * w * w * (a * q.diagonal()).squaredNorm();
  return error;
}

void expect_pp_error_as_predicted(const StreamConfig& config) {
  const Mechanism mechanism(config);
  const Eigen::MatrixXd x = oracle::alternating_stream(*config.rows, config.dimension, config.norm_bound);
  const double second = pp_error(mechanism, x);
  const ExpectedError expected = expected_error(mechanism);
  // This stream is one of those the supremum ranges over.
  EXPECT_LE(second, expected.second.high * (1 + 1e-9));
  EXPECT_LE(expected.second.low, expected.second.high * (1 + 1e-12));
  EXPECT_GE(expected.second.low, second * (1 - 1e-9));

  // Quartic in Gaussians, so no sharp inequality: 6.5 empirical standard errors (two-sided normal tail 8e-11;
  // the skewness left after averaging 4000 runs moves that by less than a factor of ten).
  constexpr std::size_t runs = 4000;
  constexpr double z = 6.5;
  const auto check = [&](const Mechanism& simulated, std::uint64_t seed) {
    const auto sample = simulate_many(simulated, x, runs, seed);
    return std::pair{
        std::abs(sample.mean.first - expected.first) <= z * std::sqrt(sample.variance.first / runs),
        std::abs(sample.mean.second - second) <= z * std::sqrt(sample.variance.second / runs)};
  };
  EXPECT_EQ(check(mechanism, 1000), (std::pair{true, true}));
  EXPECT_EQ(check(Mechanism(with_sigma(config, 0.9)), 5000000), (std::pair{false, false}))
      << "the test must reject noise 10% too small";
}

void expect_error_as_predicted(const StreamConfig& config) {
  SCOPED_TRACE(std::string(name(config.method)) + " " + config.workload.name() + " " + config.shape.name() +
               (config.second == SecondMoment::full ? " full" : " diagonal") + " every " +
               std::to_string(config.every));
  if (squares_noisy_rows(config.method)) {
    expect_pp_error_as_predicted(config);
  } else {
    expect_gaussian_error_as_predicted(config);
  }
}

constexpr Method methods[] = {Method::jme, Method::lambda_jme, Method::ime, Method::cs};

std::string method_name(const testing::TestParamInfo<Method>& info) {
  std::string text(name(info.param));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

class MonteCarlo : public testing::TestWithParam<Method> {};

TEST_P(MonteCarlo, ErrorsAgreeWithTheoryForEveryWorkloadAndShapeOfTheFullSecondMoment) {
  for (const Workload& workload : {prefix(), mean(), decay(0.8), window(4)}) {
    for (const Shape& shape : shapes())
      expect_error_as_predicted(config_for(GetParam(), workload, shape, SecondMoment::full));
  }
}

TEST_P(MonteCarlo, ErrorsAgreeWithTheoryForEveryWorkloadAndShapeOfTheDiagonal) {
  for (const Workload& workload : {prefix(), mean(), decay(0.8), window(4)}) {
    for (const Shape& shape : shapes()) {
      expect_error_as_predicted(config_for(GetParam(), workload, shape, SecondMoment::diagonal));
    }
  }
}

TEST_P(MonteCarlo, ErrorsAgreeWithTheoryForBlocksOfRowsWithAPartialLastOne) {
  for (const std::size_t every : {1U, 7U, 50U}) {
    const std::size_t rows = every == 1 ? 20 : 103;
    for (const Workload& workload : {prefix(), mean(), decay(0.97), window(every == 1 ? 10 : 2 * every)}) {
      StreamConfig config = config_for(GetParam(), workload, Shape::blt(some_blt()), SecondMoment::full);
      config.rows = rows;
      config.every = every;
      expect_error_as_predicted(config);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, MonteCarlo, testing::ValuesIn(methods), method_name);
// Their errors are quartic, which takes many more runs.
INSTANTIATE_TEST_SUITE_P(SlowMethods, MonteCarlo, testing::Values(Method::pp, Method::pp_debiased),
                         method_name);

TEST(MonteCarlo, ErrorsAgreeWithTheoryForRowsInABoxAndInTheBallAroundIt) {
  for (const std::size_t d : {2U, 5U, 10U}) {
    for (const Workload& workload : {prefix(), mean(), decay(0.9), window(4)}) {
      for (const Geometry geometry : {Geometry::box, Geometry::ball}) {
        StreamConfig config = config_for(Method::jme, workload, Shape::blt(some_blt()), SecondMoment::full);
        config.dimension = d;
        config.norm_bound = std::sqrt(static_cast<double>(d));
        config.unit_box = true;
        config.geometry = geometry;
        expect_gaussian_error_as_predicted(config);
        config.second = SecondMoment::diagonal;
        if (d == 5) expect_gaussian_error_as_predicted(config);
      }
    }
  }
}

// Total squared error of the second moment in the ball over that in the box: d(d+1)/(1/2 + (d-1)^2).
TEST(ExpectedErrorOfTheBox, HasTheRatiosOfTheTheorem) {
  for (const std::size_t d : {2U, 3U, 5U, 10U}) {
    StreamConfig config = config_for(Method::jme, prefix(), Shape::identity(), SecondMoment::full);
    config.dimension = d;
    config.norm_bound = std::sqrt(static_cast<double>(d));
    config.geometry = Geometry::ball;
    const double ball = expected_error(Mechanism(config)).second.high;
    config.geometry = Geometry::box;
    const double box = expected_error(Mechanism(config)).second.high;
    const auto n = static_cast<double>(d);
    // Up to what both pay for the rounding of block sums, at most d 2^-20 of the noise.
    EXPECT_NEAR(ball / box, n * (n + 1) / (0.5 + (n - 1) * (n - 1)), 1e-4);
  }
}

TEST(MonteCarloMixed, ChannelsMayDifferInWorkloadAndShape) {
  StreamConfig config = config_for(Method::jme, mean(), Shape::square_root(), SecondMoment::full);
  config.workload_second = decay(0.8);
  config.shape_second = Shape::banded(3);
  expect_error_as_predicted(config);
  config.method = Method::ime;
  config.adjacency = Adjacency::add_remove;
  expect_error_as_predicted(config);
}

}  // namespace
}  // namespace jme
