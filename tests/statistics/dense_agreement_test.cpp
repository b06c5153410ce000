// The streamed mechanism equals its definition in dense matrices with the same draws.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <jme/moments/moment_stream.hpp>

#include "moments/lattice_row.hpp"
#include "random/gaussian_source.hpp"
#include "statistics/oracle.hpp"

namespace jme {
namespace {

constexpr std::uint64_t shared_seed = 11;

// Row after row of the whole matrix, y_t = nearest whole number of (scale z_t - sum_{s<t} C_ts y_s) / C_tt;
// `scale` in lattice units.
Eigen::MatrixXd lattice_noise(const Filter& c, Channel channel, const Eigen::VectorXd& scale) {
  const GaussianSource source(InsecureTestSeed{shared_seed}.key(), Nonce{});
  Eigen::MatrixXd z(static_cast<Eigen::Index>(c.steps()), scale.size());
  std::vector<double> draws(static_cast<std::size_t>(scale.size()));
  for (Eigen::Index t = 0; t < z.rows(); ++t) {
    source.fill(channel, static_cast<std::uint64_t>(t), 0, draws);
    z.row(t) = Eigen::Map<Eigen::RowVectorXd>(draws.data(), scale.size());
  }
  const Eigen::MatrixXd matrix = c.to_dense();
  Eigen::MatrixXd y(z.rows(), z.cols());
  for (Eigen::Index t = 0; t < z.rows(); ++t) {
    const Eigen::RowVectorXd past = matrix.row(t).head(t) * y.topRows(t);
    y.row(t) = ((z.row(t).cwiseProduct(scale.transpose()) - past).array() / matrix(t, t) + 0.5).floor();
  }
  return y;
}

Eigen::MatrixXd random_stream(std::size_t rows, std::size_t dimension) {
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd x(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(dimension));
  for (double& v : x.reshaped()) v = normal(bits);
  return x;
}

Eigen::MatrixXd lattice_units(const Eigen::MatrixXd& x, double norm_bound) {
  Eigen::MatrixXd units(x.rows(), x.cols());
  for (Eigen::Index t = 0; t < x.rows(); ++t) {
    std::vector<double> row(static_cast<std::size_t>(x.cols()));
    Eigen::Map<Eigen::RowVectorXd>(row.data(), x.cols()) = x.row(t);
    clip_and_snap(row, norm_bound, row);
    units.row(t) = Eigen::Map<Eigen::RowVectorXd>(row.data(), x.cols());
  }
  return units;
}

// Rows weighted inside their blocks and summed: steps x rows.
Eigen::MatrixXd block_sums(const Workload& workload, const Horizon& horizon) {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(horizon.steps()),
                                               static_cast<Eigen::Index>(horizon.rows()));
  for (std::size_t i = 0; i < horizon.rows(); ++i) {
    const std::size_t step = i / horizon.every();
    const std::size_t until_end = horizon.rows_through(step) - 1 - i;
    sums(static_cast<Eigen::Index>(step), static_cast<Eigen::Index>(i)) =
        horizon.every() == 1 ? 1 : workload.weight_in_block(until_end);
  }
  return sums;
}

Eigen::VectorXd second_scale(const Mechanism& mechanism) {
  const Eigen::VectorXd weights =
      oracle::frobenius_weights(mechanism.config().dimension, mechanism.config().second);
  return mechanism.calibration().std_second / mechanism.lattice().second * weights.cwiseSqrt().cwiseInverse();
}

void expect_equal_to_dense(const StreamConfig& config) {
  SCOPED_TRACE(config.workload.name() + " " + config.shape.name() + " rows " + std::to_string(*config.rows) +
               " every " + std::to_string(config.every));
  const Mechanism mechanism(config);
  const Horizon& horizon = mechanism.horizon();
  const Eigen::MatrixXd x = random_stream(horizon.rows(), config.dimension);
  const Eigen::MatrixXd units = lattice_units(x, config.norm_bound);
  const Eigen::MatrixXd sums = block_sums(config.workload, horizon);

  const Eigen::MatrixXd blocks =
      (sums * units).array().unaryExpr([](double v) { return std::floor(v + 0.5); });
  const Eigen::MatrixXd products =
      (sums * oracle::squares(units, config.second) * 0x1p-20).array().unaryExpr([](double v) {
        return std::floor(v + 0.5);
      });
  const auto d = static_cast<Eigen::Index>(config.dimension);
  const double std_units = mechanism.calibration().std_first / mechanism.lattice().first;
  const Eigen::MatrixXd noisy_first =
      blocks + lattice_noise(mechanism.c1(), Channel::first, Eigen::VectorXd::Constant(d, std_units));
  const Eigen::MatrixXd noisy_second =
      products + lattice_noise(mechanism.c2(), Channel::second, second_scale(mechanism));
  const Eigen::MatrixXd first = mechanism.a1().to_dense() * noisy_first * mechanism.lattice().first;
  const Eigen::MatrixXd second = mechanism.a2().to_dense() * noisy_second * mechanism.lattice().second;

  // One lattice unit where a rounding falls the other way, plus double rounding of a sum of n terms.
  const double n = static_cast<double>(horizon.steps());
  const double tolerance_first = mechanism.lattice().first + n * 0x1p-50 * first.cwiseAbs().maxCoeff();
  const double tolerance_second = mechanism.lattice().second + n * 0x1p-50 * second.cwiseAbs().maxCoeff();
  MomentStream stream(mechanism, InsecureTestSeed{shared_seed});
  std::vector<double> row(config.dimension);
  std::size_t releases = 0;
  for (Eigen::Index t = 0; t < x.rows(); ++t) {
    Eigen::Map<Eigen::RowVectorXd>(row.data(), d) = x.row(t);
    const Release& release = stream.push(row);
    if (!release.is_new()) continue;
    const auto b = static_cast<Eigen::Index>(releases++);
    const Eigen::Map<const Eigen::RowVectorXd> got_first(release.first().data(), d);
    const Eigen::Map<const Eigen::RowVectorXd> got_second(release.second().data(), second.cols());
    ASSERT_LE((got_first - first.row(b)).cwiseAbs().maxCoeff(), tolerance_first) << "release " << b;
    ASSERT_LE((got_second - second.row(b)).cwiseAbs().maxCoeff(), tolerance_second) << "release " << b;
  }
  EXPECT_EQ(releases, horizon.steps());
}

Eigen::MatrixXd some_matrix(Eigen::Index n) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j)
      matrix(i, j) = i == j ? 1.0 + 0.1 * static_cast<double>(i % 3) : 0.3 / static_cast<double>(i - j + 1);
  }
  return matrix;
}

class DenseAgreement : public testing::TestWithParam<std::size_t> {};

TEST_P(DenseAgreement, ToOneLatticeUnitForEveryShapeAndWorkload) {
  const std::size_t rows = GetParam();
  for (const std::size_t every : {std::size_t{1}, std::size_t{7}}) {
    const Horizon horizon(rows, every);
    const auto steps = static_cast<Eigen::Index>(horizon.steps());
    for (const Workload& workload :
         {prefix(), mean(), decay(0.9), window(every == 1 ? 10 : 14), custom(some_matrix(steps), "custom")}) {
      std::vector<Shape> shapes{Shape::identity(), Shape::blt({.poles = {0.97, 0.6}, .zeros = {0.85, 0.2}}),
                                Shape::custom(some_matrix(steps), "own")};
      if (workload.kind() != Workload::Kind::custom) {
        shapes.insert(shapes.end(),
                      {Shape::square_root(), Shape::banded(5), Shape::banded_inverse(4), Shape::automatic()});
      }
      if (rows <= 60) shapes.push_back(Shape::dense());
      for (const Shape& shape : shapes) {
        expect_equal_to_dense({.budget = {.epsilon = 1, .delta = 1e-6},
                               .rows = rows,
                               .every = every,
                               .dimension = 3,
                               .norm_bound = 1.3,
                               .geometry = Geometry::ball,
                               .workload = workload,
                               .shape = shape,
                               .second = rows % 2 == 0 ? SecondMoment::full : SecondMoment::diagonal});
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, DenseAgreement, testing::Values(15, 60, 299, 300));

/// The first n steps of a filter.
Filter beginning(const Filter& filter, std::size_t n) {
  std::vector<double> rows(n), columns(n);
  filter.row().fill(0, rows);
  filter.column().fill(0, columns);
  return Filter::toeplitz(n, filter.core(), Schedule::values(rows), Schedule::values(columns));
}

TEST(DenseAgreementWithoutAHorizon, ToOneLatticeUnitForEveryWorkload) {
  constexpr std::size_t n = 200;
  for (const Workload& workload : {prefix(), mean(), decay(0.9)}) {
    const Mechanism mechanism({.budget = {.epsilon = 1, .delta = 1e-6},
                               .unbounded = true,
                               .dimension = 3,
                               .norm_bound = 1.3,
                               .geometry = Geometry::ball,
                               .workload = workload,
                               .second = SecondMoment::none});
    const Eigen::MatrixXd x = random_stream(n, 3);
    const double std_units = mechanism.calibration().std_first / mechanism.lattice().first;
    const Eigen::MatrixXd noisy =
        lattice_units(x, 1.3) +
        lattice_noise(beginning(mechanism.c1(), n), Channel::first, Eigen::VectorXd::Constant(3, std_units));
    const Eigen::MatrixXd first = workload.filter(Horizon(n)).to_dense() * noisy * mechanism.lattice().first;
    MomentStream stream(mechanism, InsecureTestSeed{shared_seed});
    // One lattice unit where a rounding falls the other way, plus double rounding of a sum of n terms.
    const double tolerance = mechanism.lattice().first + n * 0x1p-50 * first.cwiseAbs().maxCoeff();
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
      const std::vector<double> row{x(t, 0), x(t, 1), x(t, 2)};
      const Eigen::Map<const Eigen::RowVectorXd> got(stream.push(row).first().data(), 3);
      ASSERT_LE((got - first.row(t)).cwiseAbs().maxCoeff(), tolerance) << workload.name() << " " << t;
    }
  }
}

// PP and its debiased form with the same draws differ by the bias alone, on the diagonal: sum_t V_kt Q_tt
// std1^2 at release k, Q = (C1'C1)^-1 over rows (docs/theory/calibration.md#post-processing).
void expect_difference_to_be_the_bias(StreamConfig config) {
  SCOPED_TRACE(config.workload.name() + " " + config.shape.name());
  config.method = Method::pp;
  const Mechanism biased(config);
  config.method = Method::pp_debiased;
  const Mechanism debiased(config);
  const double variance = std::pow(debiased.calibration().std_first, 2);
  const Eigen::VectorXd q = oracle::inverse(debiased.c1().to_dense()).rowwise().squaredNorm();
  const Eigen::VectorXd bias =
      variance * (oracle::workload_over_rows(config.workload, debiased.horizon()) * q);

  MomentStream with(biased, InsecureTestSeed{shared_seed}), without(debiased, InsecureTestSeed{shared_seed});
  const std::vector<double> row(config.dimension, 0.25);
  for (std::size_t t = 0; t < config.rows; ++t) {
    const Release& left = with.push(row);
    const Release& right = without.push(row);
    if (!left.is_new()) continue;
    const double expected = bias[static_cast<Eigen::Index>(left.steps()) - 1];
    const Eigen::MatrixXd difference = left.second_matrix() - right.second_matrix();
    // Roundings of sums of at most `rows` terms, each at most the largest entry.
    const double tolerance =
        static_cast<double>(*config.rows) * 0x1p-50 * (left.second_matrix().cwiseAbs().maxCoeff() + expected);
    EXPECT_LE((difference - expected * Eigen::Matrix2d::Identity()).cwiseAbs().maxCoeff(), tolerance);
    EXPECT_NEAR(left.bias_second(), expected, tolerance);
    EXPECT_EQ(right.bias_second(), 0);
  }
  EXPECT_EQ(with.release().steps(), biased.horizon().steps());
}

TEST(PpBias, IsEachRowsOwnNoiseThroughTheWorkload) {
  for (const Workload& workload : {prefix(), mean(), decay(0.9), window(8)}) {
    for (const Shape& shape : {Shape::identity(), Shape::square_root(), Shape::banded(5),
                               Shape::blt({.poles = {0.97, 0.6}, .zeros = {0.85, 0.2}})}) {
      expect_difference_to_be_the_bias({.budget = {.sigma = 1},
                                        .rows = 22,
                                        .every = 4,
                                        .dimension = 2,
                                        .norm_bound = 1,
                                        .workload = workload,
                                        .shape = shape});
    }
  }
}

}  // namespace
}  // namespace jme
