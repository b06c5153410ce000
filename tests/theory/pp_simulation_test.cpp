#include <cmath>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/theory/expected_error.hpp>

#include "dense_algebra.hpp"
#include "theory/dense_reference.hpp"

// The PP formulas of docs/theory/errors.md are moments of a quadratic form in Gaussians. Here the form itself
// is drawn.
namespace jme {
namespace {

struct Sample {
  double mean, standard_error;
};

// A statistic of heavy tail (degree 4 in Gaussians): the sample's standard error estimates its own scale well
// at 40000 draws, and 7 standard errors leave less than 1e-9 by the central limit theorem (2 Phi(-7)
// = 2.6e-12; the rest of the allowance is for the skewness of the mean, of order 1/sqrt(draws)).
constexpr int draws = 40000;
constexpr double errors_allowed = 7;

template <class Draw>
Sample sample(Draw draw) {
  double sum = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    const double value = draw();
    sum += value;
    squares += value * value;
  }
  const double mean = sum / draws;
  return {mean, std::sqrt((squares / draws - mean * mean) / draws)};
}

struct Setting {
  Mechanism mechanism;
  Eigen::MatrixXd inverse, x;            // x: the alternating stream, norm zeta
  std::vector<Eigen::MatrixXd> forms;    // the release is (X+G)'K(X+G), one K per release
  std::vector<Eigen::Matrix2d> centres;  // what is compared with: X'KX plus the bias that is taken out
};

Setting setting(const Shape& shape, Method method, bool covariance) {
  StreamConfig config;
  config.budget.sigma = 0.3;
  config.rows = 11;
  config.every = 2;
  config.dimension = 2;
  config.norm_bound = 1.5;
  config.workload = decay(0.8);
  config.shape = shape;
  config.method = method;
  Mechanism mechanism(config);
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(11, 2);
  for (Eigen::Index t = 0; t < 11; ++t) x(t, 0) = t % 2 == 0 ? 1.5 : -1.5;
  Setting result{mechanism, test::inverse(mechanism.c1().to_dense()), x, {}, {}};
  const Eigen::MatrixXd weights = reference::release_weights(config.workload, mechanism.horizon());
  const double w = std::pow(mechanism.calibration().std_first, 2);
  for (Eigen::Index b = 0; b < weights.rows(); ++b) {
    Eigen::VectorXd v = weights.row(b);
    Eigen::MatrixXd k = v.asDiagonal();
    if (covariance) {
      v /= v.sum();
      k = Eigen::MatrixXd(v.asDiagonal()) - v * v.transpose();
    }
    Eigen::Matrix2d centre = x.transpose() * k * x;
    if (method == Method::pp_debiased) {
      centre += w * (result.inverse.transpose() * k * result.inverse).trace() * Eigen::Matrix2d::Identity();
    }
    result.forms.push_back(k);
    result.centres.push_back(centre);
  }
  return result;
}

double squared_error(const Setting& s, std::mt19937_64& random, double scale) {
  std::normal_distribution<double> normal(0, scale * s.mechanism.calibration().std_first);
  const Eigen::Matrix<double, 11, 2> z =
      Eigen::Matrix<double, 11, 2>::NullaryExpr([&] { return normal(random); });
  const Eigen::Matrix<double, 11, 2> noisy = s.x + s.inverse * z;
  double error = 0;
  for (std::size_t b = 0; b < s.forms.size(); ++b) {
    error += (noisy.transpose() * s.forms[b] * noisy - s.centres[b]).squaredNorm();
  }
  return error;
}

double predicted(const Setting& s, bool covariance) {
  const bool debiased = s.mechanism.config().method == Method::pp_debiased;
  return covariance ? covariance_error_bounds(s.mechanism, debiased).low
                    : expected_error(s.mechanism).second.low;
}

TEST(PpSimulation, HasThePredictedErrorAndTheTestHasPower) {
  std::mt19937_64 random(7);
  for (const Shape& shape : {Shape::identity(), Shape::square_root()}) {
    for (const Method method : {Method::pp, Method::pp_debiased}) {
      for (const bool covariance : {false, true}) {
        const Setting s = setting(shape, method, covariance);
        const double expected = predicted(s, covariance);
        const Sample right = sample([&] { return squared_error(s, random, 1.0); });
        EXPECT_NEAR(right.mean, expected, errors_allowed * right.standard_error)
            << shape.name() << covariance;
        // Power: noise 10% too small must be seen.
        const Sample small = sample([&] { return squared_error(s, random, 0.9); });
        EXPECT_LT(small.mean + errors_allowed * small.standard_error, expected) << shape.name() << covariance;
      }
    }
  }
}

}  // namespace
}  // namespace jme
