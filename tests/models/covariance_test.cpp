#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/models/covariance.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme {
namespace {

const Units celsius{.centre = Eigen::Vector2d(12.5, 50), .half_width = Eigen::Vector2d(32.5, 50)};

StreamConfig config(double sigma, const Workload& workload, std::size_t rows) {
  return {.budget = {.sigma = sigma},
          .rows = rows,
          .every = rows,
          .dimension = 2,
          .norm_bound = std::sqrt(2.0),
          .workload = workload,
          .shape = Shape::identity()};
}

// Temperature and humidity, correlated.
Eigen::MatrixXd natural_rows(std::size_t n) {
  std::mt19937_64 bits(1);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(n), 2);
  for (Eigen::Index t = 0; t < rows.rows(); ++t) {
    const double z = normal(bits);
    rows.row(t) << 15 + 5 * z, 60 - 4 * z + 3 * normal(bits);
  }
  return rows;
}

const Release& run(MomentStream& stream, const Eigen::MatrixXd& rows) {
  for (Eigen::Index t = 0; t < rows.rows(); ++t) {
    const std::vector<double> unit{(rows(t, 0) - 12.5) / 32.5, (rows(t, 1) - 50) / 50};
    stream.push(unit);
  }
  return stream.release();
}

TEST(NaturalUnits, MeanAndCovarianceAreTheUsersWithoutNoise) {
  const Eigen::MatrixXd rows = natural_rows(400);
  const Eigen::RowVectorXd mean_of = rows.colwise().mean();
  const Eigen::MatrixXd centred = rows.rowwise() - mean_of;
  const Eigen::MatrixXd covariance = centred.transpose() * centred / 400.0;
  for (const Workload& workload : {mean(), prefix(), window(400)}) {
    MomentStream stream(config(1e-9, workload, 400));
    const Release& release = run(stream, rows);
    // The lattice moves a coordinate by 2^-21 sqrt2 half-widths at most: 4e-5 of 50.
    EXPECT_TRUE(running_mean(release, celsius).value.isApprox(mean_of.transpose(), 1e-5)) << workload.name();
    EXPECT_LE((running_covariance(release, celsius).value - covariance).cwiseAbs().maxCoeff(), 2e-2)
        << workload.name();
  }
}

TEST(NaturalUnits, SumsAndSumsOfProductsAreTheUsersWithoutNoise) {
  const Eigen::MatrixXd rows = natural_rows(400);
  for (const auto second : {SecondMoment::full, SecondMoment::diagonal}) {
    StreamConfig settings = config(1e-9, prefix(), 400);
    settings.second = second;
    MomentStream stream(settings);
    const Release& release = run(stream, rows);
    const Eigen::VectorXd sum = rows.colwise().sum().transpose();
    Eigen::MatrixXd products = rows.transpose() * rows;
    if (second == SecondMoment::diagonal) products = Eigen::MatrixXd(products.diagonal().asDiagonal());
    EXPECT_TRUE(natural_first(release, celsius).value.isApprox(sum, 1e-5));
    EXPECT_TRUE(natural_second(release, celsius).value.isApprox(products, 1e-5));
  }
}

TEST(RunningCovariance, AddsTheMeansVarianceBackAndTheSignIsRight) {
  // Many one-release streams of the constant row 0: the raw covariance averages -v1 on the diagonal
  // (docs/theory/errors.md#running-covariance).
  const StreamConfig settings = config(1.0, mean(), 4);
  const Mechanism mechanism(settings);
  constexpr int runs = 20000;
  Eigen::Matrix2d raw = Eigen::Matrix2d::Zero(), debiased = Eigen::Matrix2d::Zero();
  const std::vector<double> zero{0, 0};
  double v1 = 0, std_diagonal = 0;
  for (int r = 0; r < runs; ++r) {
    MomentStream stream(mechanism, InsecureTestSeed{static_cast<std::uint64_t>(r)});
    for (int t = 0; t < 4; ++t) stream.push(zero);
    const auto unit = Units::identity(2);
    raw += running_covariance(stream.release(), unit, Bias::kept).value / runs;
    const auto estimate = running_covariance(stream.release(), unit);
    debiased += estimate.value / runs;
    v1 = std::pow(stream.release().std_first(), 2);
    std_diagonal = std::sqrt(std::pow(stream.release().std_second(), 2) + 2 * v1 * v1);
  }
  // 6.5 standard errors: false alarm below 1e-10; v1 itself is 25 standard errors or more.
  const double tolerance = 6.5 * std_diagonal / std::sqrt(static_cast<double>(runs));
  EXPECT_GT(v1, 2 * tolerance);
  EXPECT_NEAR(raw(0, 0), -v1, tolerance);
  EXPECT_NEAR(debiased(0, 0), 0, tolerance);
  EXPECT_NEAR(debiased(1, 1), 0, tolerance);
  EXPECT_NEAR(raw(0, 1), 0, tolerance);
}

TEST(NoiseStd, OfMeanAndCovarianceIsTheSpreadOverRepetitions) {
  const StreamConfig settings = config(0.05, mean(), 40);
  const Mechanism mechanism(settings);
  const Eigen::MatrixXd rows = natural_rows(40);
  constexpr int runs = 4000;
  Eigen::ArrayXd first = Eigen::ArrayXd::Zero(2), first_squares = first;
  Eigen::ArrayXXd cov = Eigen::ArrayXXd::Zero(2, 2), cov_squares = cov, claimed = cov, second = cov,
                  second_squares = cov;
  Eigen::ArrayXXd claimed_second = cov;
  Eigen::ArrayXd claimed_first(2);
  for (int r = 0; r < runs; ++r) {
    MomentStream stream(mechanism, InsecureTestSeed{static_cast<std::uint64_t>(r) + 77});
    const Release& release = run(stream, rows);
    const auto m = running_mean(release, celsius);
    const auto c = running_covariance(release, celsius);
    const auto s = natural_second(release, celsius);
    first += m.value.array() / runs;
    first_squares += m.value.array().square() / runs;
    cov += c.value.array() / runs;
    cov_squares += c.value.array().square() / runs;
    second += s.value.array() / runs;
    second_squares += s.value.array().square() / runs;
    claimed += c.noise_std.array() / runs;
    claimed_first = m.noise_std.array();
    claimed_second = s.noise_std.array();
  }
  // A standard deviation from 4000 runs has relative error 1/sqrt(8000) = 1.1%; seven of them, plus 1% for
  // the plug-in mean in the covariance's delta formula.
  const double tolerance = 7 / std::sqrt(2.0 * runs) + 0.01;
  const Eigen::ArrayXd first_ratio = (first_squares - first.square()).sqrt() / claimed_first;
  const Eigen::ArrayXXd cov_ratio = (cov_squares - cov.square()).sqrt() / claimed;
  const Eigen::ArrayXXd second_ratio = (second_squares - second.square()).sqrt() / claimed_second;
  EXPECT_LE((first_ratio - 1).abs().maxCoeff(), tolerance);
  EXPECT_LE((cov_ratio - 1).abs().maxCoeff(), tolerance);
  EXPECT_LE((second_ratio - 1).abs().maxCoeff(), tolerance);
}

TEST(RunningCovariance, NeedsTheFullSecondMomentAndARelease) {
  StreamConfig settings = config(1, mean(), 4);
  MomentStream early(settings);
  EXPECT_THROW((void)running_mean(early.release(), Units::identity(2)), InvalidParameter);
  settings.second = SecondMoment::diagonal;
  MomentStream stream(settings);
  for (int t = 0; t < 4; ++t) stream.push(std::vector<double>{0, 0});
  EXPECT_THROW((void)running_covariance(stream.release(), Units::identity(2)), InvalidParameter);
  EXPECT_NO_THROW((void)natural_second(stream.release(), Units::identity(2)));
}

}  // namespace
}  // namespace jme
