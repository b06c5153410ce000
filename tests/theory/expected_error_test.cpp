#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/theory/expected_error.hpp>

#include "dense_algebra.hpp"
#include "theory/dense_reference.hpp"

namespace jme {
namespace {

StreamConfig config(Workload workload, std::size_t rows, std::size_t dimension, double sigma) {
  StreamConfig config;
  config.budget.sigma = sigma;
  config.rows = rows;
  config.dimension = dimension;
  config.norm_bound = 1;
  config.geometry = Geometry::ball;  // as in the paper
  config.workload = std::move(workload);
  config.shape = Shape::identity();
  return config;
}

ExpectedError error_of(StreamConfig stream, Method method, const Shape& shape,
                       Count count = Count::symmetric) {
  stream.method = method;
  stream.shape = shape;
  return expected_error(Mechanism(stream), count);
}

// The reference inverts matrices of 40 rows whose condition is below 1e3.
constexpr double agreement = 1e-11;

// docs/theory/errors.md#squared-noisy-rows: all three terms as matrix traces; the sup over data as
// [alternating stream, sum of |M_ij|].
struct PpReference {
  double fixed, cross_factor, alternating, gershgorin, first;
};
PpReference pp_reference(const Mechanism& mechanism, const Eigen::MatrixXd& custom_matrix = {}) {
  const StreamConfig& stream = mechanism.config();
  const Eigen::MatrixXd b =
      reference::release_weights(mechanism.workload_second(), mechanism.horizon(), custom_matrix);
  const Eigen::MatrixXd b1 =
      reference::release_weights(mechanism.workload_first(), mechanism.horizon(), custom_matrix);
  const Eigen::MatrixXd q = reference::q_matrix(mechanism.c1());
  const Eigen::MatrixXd h = b.transpose() * b;
  const double w = std::pow(mechanism.calibration().std_first, 2), d = static_cast<double>(stream.dimension);
  const bool full = stream.second == SecondMoment::full;
  const double quartic = (h * q.cwiseProduct(q)).trace();
  const double bias = stream.method == Method::pp ? (b * q.diagonal()).squaredNorm() : 0;
  Eigen::VectorXd x(q.rows());
  for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = i % 2 == 0 ? 1 : -1;
  const Eigen::MatrixXd m = h.cwiseProduct(q);
  return {.fixed = w * w * ((full ? d * (d + 1) : 2 * d) * quartic + d * bias),
          .cross_factor = w * std::pow(stream.norm_bound, 2) * (full ? 2 * (d + 1) : 4),
          .alternating = x.dot(m * x),
          .gershgorin = m.cwiseAbs().sum(),
          .first = d * w * (b1 * q * b1.transpose()).trace()};
}

TEST(ExpectedError, OfNoisyMomentsIsTheVarianceTimesTheSquaredNorm) {
  for (const auto& c : reference::cases()) {
    for (const Method method : {Method::jme, Method::lambda_jme, Method::ime, Method::cs}) {
      for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
        StreamConfig stream = config(c.workload, c.horizon.rows(), 3, 0.7);
        stream.every = c.horizon.every();
        stream.norm_bound = 2;
        stream.method = method;
        stream.second = second;
        stream.shape = Shape::banded_inverse(3);
        const Mechanism mechanism(stream);
        const Calibration& std = mechanism.calibration();
        const double norm = reference::frobenius(mechanism.a1(), mechanism.c1());
        const double first = 3 * std.std_first * std.std_first * norm;
        const double per_coordinate = std.std_second * std.std_second * norm;
        const double n = second == SecondMoment::full ? 6 : 3;
        const ExpectedError error = expected_error(mechanism);
        EXPECT_NEAR(error.first, first, agreement * first) << c.name;
        EXPECT_NEAR(error.second.low, n * per_coordinate, agreement * n * per_coordinate) << c.name;
        EXPECT_EQ(error.second.low, error.second.high);
        const double paper = expected_error(mechanism, Count::paper).second.high;
        const double paper_n = second == SecondMoment::full ? 9 : 3;
        EXPECT_NEAR(paper, paper_n * per_coordinate, agreement * paper) << c.name;
      }
    }
  }
}

// Where the trace corrects the diagonal, its covariance matrix is the inverse of I/v + 11'/v_trace.
TEST(ExpectedError, OfACorrectedDiagonalIsTheTraceOfItsCovarianceMatrix) {
  for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
    for (const std::size_t d : {2U, 5U}) {
      StreamConfig stream = config(prefix(), 30, d, 0.7);
      stream.second = second;
      stream.shape = Shape::square_root();
      const double ball = expected_error(Mechanism(stream)).second.high;
      stream.geometry = Geometry::automatic;
      const Mechanism mechanism(stream);
      ASSERT_EQ(mechanism.geometry(), Geometry::ball_trace);
      const Calibration& noise = mechanism.calibration();
      const auto size = static_cast<Eigen::Index>(d);
      const Eigen::MatrixXd precision =
          Eigen::MatrixXd::Identity(size, size) / std::pow(noise.std_second, 2) +
          Eigen::MatrixXd::Constant(size, size, 1 / std::pow(noise.std_trace, 2));
      const Eigen::MatrixXd covariance = test::inverse(precision);
      const double pairs = second == SecondMoment::full ? static_cast<double>(d * (d - 1)) : 0;
      const double expected = (covariance.trace() + pairs * std::pow(noise.std_off_diagonal, 2)) *
                              reference::frobenius(mechanism.a2(), mechanism.c2());
      EXPECT_NEAR(expected_error(mechanism).second.high, expected, agreement * expected);
      EXPECT_NEAR(noise.std_diagonal(), std::sqrt(covariance(0, 0)), 1e-12);
      EXPECT_NEAR(-noise.trace_share * std::pow(noise.std_second, 2), covariance(0, 1), 1e-12);
      EXPECT_LT(expected, ball);
    }
  }
}

TEST(ExpectedError, TakesEachChannelsOwnWorkloadAndShape) {
  StreamConfig stream = config(prefix(), 30, 2, 1);
  stream.workload_second = decay(0.9);
  stream.shape = Shape::square_root();
  stream.shape_second = Shape::identity();
  const Mechanism mechanism(stream);
  const double first = 2 * std::pow(mechanism.calibration().std_first, 2) *
                       reference::frobenius(prefix().filter(Horizon(30)), mechanism.c1());
  const double second = 3 * std::pow(mechanism.calibration().std_second, 2) *
                        decay(0.9).filter(Horizon(30)).to_dense().squaredNorm();
  const ExpectedError error = expected_error(mechanism);
  EXPECT_NEAR(error.first, first, agreement * first);
  EXPECT_NEAR(error.second.high, second, agreement * second);
}

TEST(ExpectedError, OfThePostprocessedRowsIsTheirTraces) {
  for (const auto& c : reference::cases()) {
    for (const Method method : {Method::pp, Method::pp_debiased}) {
      for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
        for (const Shape& shape : {Shape::identity(), Shape::square_root(), Shape::blt(2)}) {
          StreamConfig stream = config(c.workload, c.horizon.rows(), 3, 0.4);
          stream.every = c.horizon.every();
          stream.norm_bound = 1.5;
          stream.method = method;
          stream.second = second;
          stream.shape = shape;
          const Mechanism mechanism(stream);
          const PpReference truth = pp_reference(mechanism);
          const ExpectedError error = expected_error(mechanism);
          EXPECT_NEAR(error.first, truth.first, agreement * truth.first) << c.name << shape.name();
          const double least = truth.fixed + truth.cross_factor * truth.alternating;
          const double most = truth.fixed + truth.cross_factor * truth.gershgorin;
          EXPECT_GE(error.second.low, least * (1 - agreement)) << c.name << shape.name();
          EXPECT_LE(error.second.low, error.second.high);
          EXPECT_LE(error.second.high, most * (1 + 1e-9)) << c.name << shape.name();
          if (shape.kind() == Shape::Kind::identity) {
            EXPECT_NEAR(error.second.high, least, agreement * least) << c.name;
            EXPECT_EQ(error.second.low, error.second.high);
          }
        }
      }
    }
  }
}

TEST(ExpectedError, OfThePostprocessedRowsSpreadsACustomWorkloadOverItsBlocks) {
  Eigen::MatrixXd a(3, 3);
  a << 1, 0, 0, -0.5, 2, 0, 0.3, 0.1, 1;
  StreamConfig stream = config(custom(a), 8, 2, 0.5);
  stream.every = 3;
  stream.method = Method::pp;
  const Mechanism mechanism(stream);
  const PpReference truth = pp_reference(mechanism, a);
  const ExpectedError error = expected_error(mechanism);
  EXPECT_NEAR(error.first, truth.first, agreement * truth.first);
  const double second = truth.fixed + truth.cross_factor * truth.alternating;
  EXPECT_NEAR(error.second.high, second, agreement * second);
}

// The recursive way (above 512 rows) against the dense one by pp_cross_term, at a length both can do.
TEST(ExpectedError, OfThePostprocessedRowsIsEnclosedTheSameWayBeyondDenseHorizons) {
  const std::size_t n = 600;
  for (const Workload& workload : {prefix(), mean(), decay(0.95)}) {
    for (const Shape& shape : {Shape::square_root(), Shape::blt(3), Shape::scaled_blt(2)}) {
      StreamConfig stream = config(workload, n, 2, 0.5);
      stream.method = Method::pp_debiased;
      stream.shape = shape;
      const Mechanism mechanism(stream);
      const Eigen::MatrixXd q = reference::q_matrix(mechanism.c1());
      const Eigen::MatrixXd a = mechanism.a2().to_dense();
      const double w = std::pow(mechanism.calibration().std_first, 2);
      const double fixed = 6 * w * w * (a.transpose() * a).cwiseProduct(q).cwiseProduct(q).sum();
      Eigen::VectorXd x(q.rows());
      for (Eigen::Index i = 0; i < x.size(); ++i) x(i) = i % 2 == 0 ? 1 : -1;
      const double attained = fixed + 6 * w * x.dot((a.transpose() * a).cwiseProduct(q) * x);
      const Interval second = expected_error(mechanism).second;
      EXPECT_NEAR(second.low, attained, 1e-9 * attained) << workload.name() << shape.name();
      EXPECT_GE(second.high, second.low);
      // Schur's test loses up to a factor 2 on scheduled shapes, the symbol bound a percent or so on Toeplitz
      // ones.
      EXPECT_LT(second.high, (shape.kind() == Shape::Kind::scaled_blt ? 2.2 : 1.2) * attained)
          << workload.name() << shape.name();
    }
  }
}

TEST(ExpectedError, HasNoSecondPartWithoutASecondMoment) {
  StreamConfig stream = config(prefix(), 20, 2, 1);
  stream.second = SecondMoment::none;
  for (const Method method : {Method::jme, Method::pp}) {
    const ExpectedError error = error_of(stream, method, Shape::identity());
    EXPECT_GT(error.first, 0);
    EXPECT_EQ(error.second.low, 0);
    EXPECT_EQ(error.second.high, 0);
  }
}

TEST(ExpectedError, OfPostprocessingRefusesWhatItCannotEvaluate) {
  StreamConfig stream = config(prefix(), 20000, 2, 1);
  EXPECT_THROW((void)error_of(stream, Method::pp, Shape::square_root()), InvalidParameter);
  EXPECT_NO_THROW((void)error_of(stream, Method::pp, Shape::identity()));
  EXPECT_NO_THROW((void)error_of(stream, Method::jme, Shape::square_root()));
}

TEST(ReleaseVariance, SumsToTheFirstError) {
  StreamConfig stream = config(mean(), 50, 4, 1);
  stream.every = 3;
  for (const Method method : {Method::jme, Method::pp}) {
    stream.method = method;
    const Mechanism mechanism(stream);
    const ReleaseVariance variance = release_variance(mechanism);
    EXPECT_EQ(variance.first.size(), 17U);
    const double sum = std::accumulate(variance.first.begin(), variance.first.end(), 0.0);
    EXPECT_NEAR(4 * sum, expected_error(mechanism).first, 1e-12 * sum);
    EXPECT_EQ(variance.second.size(), method == Method::jme ? 17U : 0U);
  }
}

TEST(ReleaseVariance, OfTheFirstStepIsTheNoiseItself) {
  const Mechanism mechanism(config(prefix(), 50, 4, 1));
  const ReleaseVariance variance = release_variance(mechanism);
  EXPECT_DOUBLE_EQ(variance.first[0], std::pow(mechanism.calibration().std_first, 2));
  EXPECT_DOUBLE_EQ(variance.second[9], 10 * std::pow(mechanism.calibration().std_second, 2));
}

}  // namespace
}  // namespace jme
