#include <cmath>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/theory/expected_error.hpp>

#include "dense_algebra.hpp"
#include "theory/dense_reference.hpp"

namespace jme {
namespace {

StreamConfig stream(Workload workload, std::size_t rows, std::size_t dimension, Method method) {
  StreamConfig config;
  config.budget.sigma = 0.5;
  config.rows = rows;
  config.dimension = dimension;
  config.norm_bound = 1;
  config.geometry = Geometry::ball;  // as in the paper
  config.workload = std::move(workload);
  config.shape = Shape::identity();
  config.method = method;
  return config;
}

double harmonic(std::size_t n, double power) {
  double sum = 0;
  for (std::size_t k = n; k > 0; --k) sum += std::pow(static_cast<double>(k), -power);
  return sum;
}

// The paper's case of docs/theory/errors.md#running-covariance, c_d = 2: its only deviation is the lattice's
// slack of 1e-6 d in the sensitivity.
TEST(CovarianceError, OfTheMeanIsTheHarmonicFormula) {
  const std::size_t n = 1000;
  for (const std::size_t dimension : {2U, 10U}) {
    const auto d = static_cast<double>(dimension);
    const Mechanism mechanism(stream(mean(), n, dimension, Method::jme));
    const double sg = 2 * 0.5, h1 = harmonic(n, 1), h2 = harmonic(n, 2);
    const auto formula = [&](double counted, double last) {
      return (2 * counted + 2 * d + 2) * sg * sg * h1 + last * std::pow(sg, 4) * h2;
    };
    const double slack = 1e-5 * d;
    const double debiased = formula(d * (d + 1) / 2, d * (d + 1));
    EXPECT_NEAR(covariance_error(mechanism, true), debiased, slack * debiased);
    const double biased = formula(d * (d + 1) / 2, d * (d + 2));
    EXPECT_NEAR(covariance_error(mechanism, false), biased, slack * biased);
    const double paper = formula(d * d, d * (d + 1));
    EXPECT_NEAR(covariance_error(mechanism, true, Count::paper), paper, slack * paper);
  }
}

// The paper's theorem for PP with the tighter T_n of docs/theory/errors.md#running-covariance.
TEST(CovarianceError, OfPostprocessingLiesInTheCorrectedInterval) {
  const std::size_t n = 1000;
  const double d = 10, sg = 2 * 0.5, h1 = harmonic(n, 1), h2 = harmonic(n, 2);
  double odd = 0;
  for (std::size_t k = 1; k <= n; k += 2) odd += std::pow(static_cast<double>(k), -3);
  const double fixed = d * (d + 1) * std::pow(sg, 4) * (h1 - h2), cross = 2 * (d + 1) * sg * sg;
  const Mechanism mechanism(stream(mean(), n, 10, Method::pp_debiased));
  const Interval debiased = covariance_error_bounds(mechanism, true);
  EXPECT_NEAR(debiased.low, fixed + cross * (h1 - odd), 1e-9 * fixed);
  EXPECT_NEAR(debiased.high, fixed + cross * (h1 - 1), 1e-9 * fixed);
  EXPECT_EQ(covariance_error(mechanism, true), debiased.high);
  // The bias of every release is sg^2 (1 - 1/k) on d diagonal entries.
  const double bias = d * std::pow(sg, 4) * (static_cast<double>(n) - 2 * h1 + h2);
  EXPECT_NEAR(covariance_error_bounds(mechanism, false).low, debiased.low + bias, 1e-9 * bias);
}

// Every stream of six scalars +-1; rows inside the interval are never worse, the error being convex in each.
TEST(CovarianceError, OfPostprocessedScalarsIsThatOfTheAlternatingStream) {
  for (const Workload& workload : {mean(), window(3), window(4)}) {
    const std::size_t n = 6;
    const Eigen::MatrixXd a = workload.filter(Horizon(n)).to_dense();
    const auto cross = [&](unsigned signs) {
      double sum = 0;
      for (Eigen::Index k = 0; k < a.rows(); ++k) {
        const Eigen::VectorXd v = a.row(k) / a.row(k).sum();
        const Eigen::MatrixXd diagonal = v.asDiagonal();
        const Eigen::MatrixXd centred = diagonal - v * v.transpose();
        Eigen::VectorXd x(a.rows());
        for (Eigen::Index t = 0; t < x.size(); ++t) x(t) = (signs >> t & 1U) != 0 ? 1 : -1;
        sum += (centred * x).squaredNorm();
      }
      return sum;
    };
    double worst = 0;
    for (unsigned signs = 0; signs < 64; ++signs) worst = std::max(worst, cross(signs));
    EXPECT_NEAR(cross(0b010101), worst, 1e-12);
    const Interval error =
        covariance_error_bounds(Mechanism(stream(workload, n, 1, Method::pp_debiased)), true);
    EXPECT_EQ(error.low, error.high);
  }
}

// Row weights normalised to sum to 1, then the general formula of docs/theory/errors.md#running-covariance as
// matrices.
TEST(CovarianceError, OfNoisyMomentsIsTheGeneralFormulaForEveryWorkload) {
  for (const auto& c : reference::cases()) {
    for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
      StreamConfig config = stream(c.workload, c.horizon.rows(), 3, Method::jme);
      config.every = c.horizon.every();
      config.second = second;
      config.norm_bound = 2;
      config.shape = Shape::banded_inverse(3);
      const Mechanism mechanism(config);
      const Eigen::MatrixXd inverse = test::inverse(mechanism.c1().to_dense());
      const Eigen::MatrixXd rows = mechanism.a1().to_dense() * inverse;
      // A window over blocks ends with its partial block: weights are the blocks', not a window's over rows.
      Eigen::VectorXd block(rows.rows());
      for (Eigen::Index s = 0; s < block.size(); ++s) {
        block(s) = 0;
        for (std::size_t r = 0; r < c.horizon.rows_in_step(static_cast<std::size_t>(s)); ++r)
          block(s) += c.workload.weight_in_block(r);
      }
      const Eigen::VectorXd weight = mechanism.a1().to_dense() * block;
      const bool full = second == SecondMoment::full;
      double expected = 0;
      for (Eigen::Index s = 0; s < rows.rows(); ++s) {
        const double b = rows.row(s).squaredNorm() / (weight(s) * weight(s));
        const double v1 = b * std::pow(mechanism.calibration().std_first, 2);
        const double v2 = b * std::pow(mechanism.calibration().std_second, 2);
        expected += (full ? 6 : 3) * v2 + (full ? 8 : 4) * 4 * v1 + (full ? 12 : 6) * v1 * v1;
      }
      EXPECT_NEAR(covariance_error(mechanism, true), expected, 1e-10 * expected) << c.name;
    }
  }
}

// PP's covariance is a quadratic form (X+G)'K(X+G); its moments as traces of dense matrices, release by
// release.
TEST(CovarianceError, OfPostprocessingIsTheQuadraticFormsForEveryWorkloadAndShape) {
  for (const auto& c : reference::cases()) {
    for (const Shape& shape : {Shape::identity(), Shape::square_root(), Shape::blt(2)}) {
      StreamConfig config = stream(c.workload, c.horizon.rows(), 2, Method::pp_debiased);
      config.every = c.horizon.every();
      config.shape = shape;
      const Mechanism mechanism(config);
      const Eigen::MatrixXd q = reference::q_matrix(mechanism.c1());
      const Eigen::MatrixXd b = reference::release_weights(c.workload, c.horizon);
      const double w = std::pow(mechanism.calibration().std_first, 2);
      double quartic = 0, bias = 0;
      Eigen::MatrixXd m = Eigen::MatrixXd::Zero(q.rows(), q.cols());
      for (Eigen::Index s = 0; s < b.rows(); ++s) {
        const Eigen::VectorXd v = b.row(s).transpose() / b.row(s).sum();
        const Eigen::MatrixXd k = Eigen::MatrixXd(v.asDiagonal()) - v * v.transpose();
        quartic += (k * q * k * q).trace();
        bias += std::pow((k * q).trace(), 2);
        m += k * q * k;
      }
      Eigen::VectorXd x(q.rows());
      for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = i % 2 == 0 ? 1 : -1;
      const double fixed = 6 * w * w * quartic, attained = fixed + 6 * w * x.dot(m * x);
      const double most = fixed + 6 * w * m.cwiseAbs().sum();
      const Interval debiased = covariance_error_bounds(mechanism, true);
      EXPECT_GE(debiased.low, attained * (1 - 1e-9)) << c.name << shape.name();
      EXPECT_LE(debiased.low, debiased.high * (1 + 1e-12)) << c.name << shape.name();
      EXPECT_LE(debiased.low, most * (1 + 1e-9)) << c.name << shape.name();
      if (shape.kind() == Shape::Kind::identity) {
        EXPECT_NEAR(debiased.low, attained, 1e-9 * (attained + 1e-3)) << c.name;
        EXPECT_LT(debiased.high, 1.3 * attained + 1e-12 + 6 * w) << c.name;
      }
      const double with_bias = 2 * w * w * bias;
      EXPECT_NEAR(covariance_error_bounds(mechanism, false).low - debiased.low, with_bias,
                  1e-9 * (with_bias + fixed));
    }
  }
}

// The closed-form upper bound for decay must hold for every stream, not only the alternating one: random
// signs, random directions and the ascent of pp_cross_term's kind (block by block) stay below it.
TEST(CovarianceError, UpperBoundOfGeometricWeightsHoldsForSignsByExhaustion) {
  for (const double beta : {0.3, 0.7, 0.95}) {
    const std::size_t n = 12;
    StreamConfig config = stream(decay(beta), n, 1, Method::pp_debiased);
    const Mechanism mechanism(config);
    const Eigen::MatrixXd b = reference::release_weights(decay(beta), Horizon(n));
    const double w = std::pow(mechanism.calibration().std_first, 2);
    double quartic = 0;
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(12, 12);
    for (Eigen::Index s = 0; s < 12; ++s) {
      const Eigen::VectorXd v = b.row(s).transpose() / b.row(s).sum();
      const Eigen::MatrixXd k = Eigen::MatrixXd(v.asDiagonal()) - v * v.transpose();
      quartic += (k * k).trace();
      m += k * k;
    }
    double best = 0;
    Eigen::VectorXd x(12);
    for (unsigned bits = 0; bits < 1U << 11U; ++bits) {
      for (Eigen::Index i = 0; i < 12; ++i) x(i) = bits >> i & 1U ? 1 : -1;
      best = std::max(best, x.dot(m * x));
    }
    const Interval bounds = covariance_error_bounds(mechanism, true);
    const double truth = 2 * w * w * quartic + 4 * w * best;
    EXPECT_LE(bounds.low, truth * (1 + 1e-12)) << beta;
    EXPECT_GE(bounds.high, truth * (1 - 1e-12)) << beta;
  }
}

TEST(CovarianceError, RefusesWhatHasNoCovariance) {
  StreamConfig none = stream(mean(), 20, 2, Method::jme);
  none.second = SecondMoment::none;
  EXPECT_THROW((void)covariance_error(Mechanism(none), true), InvalidParameter);
  StreamConfig two = stream(mean(), 20, 2, Method::jme);
  two.workload_second = prefix();
  EXPECT_THROW((void)covariance_error(Mechanism(two), true), InvalidParameter);
  StreamConfig longer = stream(mean(), 2000, 2, Method::pp);
  longer.shape = Shape::square_root();
  EXPECT_THROW((void)covariance_error(Mechanism(longer), true), InvalidParameter);
  Eigen::MatrixXd negative(2, 2);
  negative << 1, 0, -2, 1;
  EXPECT_THROW((void)covariance_error(Mechanism(stream(custom(negative), 2, 2, Method::jme)), true),
               InvalidParameter);
}

// docs/theory/errors.md#running-covariance: squared error (unit sensitivity) of the mean at n = 1000 for
// three shapes.
TEST(CovarianceShapes, DecayRootIsTwiceAsGoodAsIdentityAndPrefixRoot) {
  const Horizon horizon(1000);
  const Filter v = mean().filter(horizon);
  const auto squared = [&](const Filter& c) { return 1000 * std::pow(shape_quality(v, c).rmse, 2); };
  EXPECT_NEAR(squared(Filter::identity(1000)), 7.49, 5e-3);
  EXPECT_NEAR(squared(Shape::square_root().filter(prefix(), horizon)), 6.42, 5e-3);
  EXPECT_NEAR(squared(Shape::square_root().filter(decay(0.9), horizon)), 3.55, 5e-3);
}

TEST(CovarianceShapes, PrefixRootIsWorseThanIdentityUpTo38Steps) {
  for (const std::size_t n : {37U, 38U, 39U, 40U}) {
    const Horizon horizon(n);
    const Filter v = mean().filter(horizon);
    const double identity = shape_quality(v, Filter::identity(n)).rmse;
    const double root = shape_quality(v, Shape::square_root().filter(prefix(), horizon)).rmse;
    EXPECT_EQ(root > identity, n <= 38) << n;
  }
}

}  // namespace
}  // namespace jme
