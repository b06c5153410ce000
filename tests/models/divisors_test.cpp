// Which counts are divided by, and what is said of a mean whose divisor is noisy.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>

#include "models/binomial.hpp"
#include "models/synthetic.hpp"

namespace jme {
namespace {

using test::NoiseStds;
using test::ReleaseNumbers;

// Two columns whose counts, in their own standard deviations, are given; the means are 0.3 and -0.2.
Release two_columns(double first, double second, double pair, double scale = 1) {
  const NoiseStds noise = NoiseStds::box(1, 2).times(scale);
  ReleaseNumbers numbers{.layout = {.dimension = 2, .second = SecondMoment::full, .cell_counts = true},
                         .rows = 1000,
                         .noise = noise};
  const double a = first * noise.count, b = second * noise.count, p = pair * noise.pair_count;
  return numbers.release({0.3 * a, -0.2 * b, a, b, 0.4 * a, 0.1 * p, 0.3 * b, p});
}

TEST(Divisors, AreUnknownUpToTenStandardDeviationsOfTheCount) {
  const Units units = Units::identity(2);
  for (const double scale : {1.0, 3.0}) {
    const Release release = two_columns(10.01, 9.99, 30, scale);
    const auto mean = running_mean(release, units);
    EXPECT_NEAR(mean.value(0), 0.3, 1e-12);
    EXPECT_TRUE(std::isfinite(mean.noise_std(0)));
    EXPECT_TRUE(std::isnan(mean.value(1)));
    EXPECT_TRUE(std::isnan(mean.noise_std(1)));
    const auto variance = running_variance(release, units);
    EXPECT_TRUE(std::isfinite(variance.value(0)));
    EXPECT_TRUE(std::isnan(variance.value(1)));
    // A covariance needs its pairs and both means.
    const auto covariance = running_covariance(release, units);
    EXPECT_TRUE(std::isfinite(covariance.value(0, 0)) && std::isfinite(covariance.noise_std(0, 0)));
    EXPECT_TRUE(std::isnan(covariance.value(0, 1)) && std::isnan(covariance.noise_std(1, 0)));
    EXPECT_TRUE(std::isnan(covariance.value(1, 1)));
  }
  const auto few_pairs = running_covariance(two_columns(30, 30, 9.99), units);
  EXPECT_TRUE(std::isfinite(few_pairs.value(0, 0)) && std::isfinite(few_pairs.value(1, 1)));
  EXPECT_TRUE(std::isnan(few_pairs.value(0, 1)) && std::isnan(few_pairs.noise_std(0, 1)));
  EXPECT_TRUE(running_covariance(two_columns(30, 30, 10.01), units).value.allFinite());
}

TEST(Divisors, AreNeverACountOfLessThanOneRow) {
  // Almost no noise: ten of its standard deviations are far less than a row.
  const ReleaseNumbers numbers{.layout = {.dimension = 1, .second = SecondMoment::none, .cell_counts = true},
                               .rows = 1000,
                               .noise = {.first = 1e-6, .count = 1e-6}};
  EXPECT_TRUE(std::isnan(running_mean(numbers.release({0.01, 0.4}), Units::identity(1)).value(0)));
  EXPECT_TRUE(std::isnan(running_mean(numbers.release({0.01, -3}), Units::identity(1)).value(0)));
  EXPECT_NEAR(running_mean(numbers.release({0.5, 1 - 1e-6}), Units::identity(1)).value(0), 0.5, 1e-5);
}

TEST(Divisors, OfCompleteRowsAreKnownTogether) {
  const ReleaseLayout layout{.dimension = 2, .second = SecondMoment::full, .row_count = true};
  const ReleaseNumbers numbers{.layout = layout, .rows = 1000, .noise = NoiseStds::box(1, 2)};
  const auto at = [&](double kappa) {
    const double n = kappa * numbers.noise.rows;
    return numbers.release({0.3 * n, -0.2 * n, n, 0.4 * n, 0.1 * n, 0.3 * n});
  };
  EXPECT_TRUE(running_covariance(at(10.01), Units::identity(2)).value.allFinite());
  EXPECT_TRUE(running_covariance(at(9.99), Units::identity(2)).value.array().isNaN().all());
  EXPECT_TRUE(running_mean(at(9.99), Units::identity(2)).value.array().isNaN().all());
}

TEST(UnknownCounts, LeaveWhatNeedsTheWholeCovarianceUnsaid) {
  const Release release = two_columns(30, 30, 9);
  const RunningMoments moments(release, Units::identity(2), Bias::removed, Estimator::raw);
  EXPECT_FALSE(moments.is_known());
  const auto cor = correlation(moments);
  EXPECT_EQ(cor.value(0, 0), 1);
  EXPECT_TRUE(std::isnan(cor.value(0, 1)) && std::isnan(cor.noise_std(0, 1)));
  EXPECT_TRUE(precision(moments).value.array().isNaN().all());
  EXPECT_TRUE(precision(moments).noise_std.array().isNaN().all());
  const auto line = linear_regression(moments, 0);
  EXPECT_TRUE(std::isnan(line.intercept.value) && std::isnan(line.intercept.noise_std));
  EXPECT_TRUE(std::isnan(line.coefficients.value(0)) && std::isnan(line.coefficients.noise_std(0)));
  const GaussianDensity density(moments);
  EXPECT_TRUE(density.mean().value.array().isNaN().all());
  EXPECT_TRUE(density.mean().noise_std.array().isNaN().all());
  EXPECT_TRUE(density.covariance().value.array().isNaN().all());
  EXPECT_TRUE(density.covariance().noise_std.array().isNaN().all());
  EXPECT_TRUE(std::isnan(density.log_det().value) && std::isnan(density.log_det().noise_std));
  const std::vector<double> point{0.1, 0.2};
  EXPECT_TRUE(std::isnan(density.log_density(point).value));
  EXPECT_TRUE(std::isnan(density.outlier_score(point).value));
  const GaussianDensity other(Eigen::Vector2d(0, 0), Eigen::Matrix2d::Identity());
  EXPECT_TRUE(std::isnan(kl_divergence(density, other).value) &&
              std::isnan(kl_divergence(other, density).value));
  // Components are not forgotten meanwhile.
  ComponentTracker tracker(Eigen::MatrixXd(-Eigen::Matrix2d::Identity()));
  EXPECT_TRUE(tracker.next(moments, 2).values.value.array().isNaN().all());
  EXPECT_EQ(tracker.memory(), -Eigen::Matrix2d::Identity());
}

TEST(UnknownCounts, OfOtherColumnsDoNotHideACorrelation) {
  // Three columns with pairs (0, 1) known, and column 2 hardly ever there.
  Eigen::MatrixXd x = test::three_columns(500);
  x.col(2).tail(480).setConstant(NAN);
  const ReleaseLayout layout{.dimension = 3, .second = SecondMoment::full, .cell_counts = true};
  const Release release = test::numbers_of(x, layout, NoiseStds::box(2, 3)).exact();
  const RunningMoments moments(release, Units::identity(3), Bias::removed, Estimator::raw);
  ASSERT_FALSE(moments.is_known());
  const auto cor = correlation(moments);
  const Eigen::MatrixXd& c = moments.covariance();
  EXPECT_NEAR(cor.value(0, 1), c(0, 1) / std::sqrt(c(0, 0) * c(1, 1)), 1e-12);
  EXPECT_TRUE(std::isfinite(cor.noise_std(0, 1)));
  EXPECT_TRUE(std::isnan(cor.value(0, 2)) && std::isnan(cor.value(2, 2)) && std::isnan(cor.noise_std(1, 2)));
}

TEST(CountTracker, KeepsACountThatMayFallUntilFiveAndAGrowingOneForGood) {
  const auto known = [](CountTracker& tracker, double kappa) {
    return !std::isnan(tracker.next(two_columns(kappa, 30, 30)).first(0));
  };
  CountTracker falls(CountTracker::Counts::may_fall), grows(CountTracker::Counts::grow);
  for (CountTracker* tracker : {&falls, &grows}) {
    EXPECT_FALSE(known(*tracker, 9.9));
    EXPECT_TRUE(known(*tracker, 10.1));
    EXPECT_TRUE(known(*tracker, 9.9));
    EXPECT_TRUE(known(*tracker, 5.1));
  }
  EXPECT_FALSE(known(falls, 4.9));
  EXPECT_FALSE(known(falls, 9.9)) << "it must rise above ten again";
  EXPECT_TRUE(known(falls, 10.1));
  EXPECT_TRUE(known(grows, 4.9));
  EXPECT_TRUE(known(grows, 2));
  EXPECT_FALSE(known(grows, -1)) << "nothing can be divided by that";
}

TEST(CountTracker, GoesOnFromItsMemory) {
  CountTracker tracker;
  static_cast<void>(tracker.next(two_columns(30, 9, 30)));
  CountTracker resumed(CountTracker::Counts::may_fall, tracker.memory());
  const Divisors next = resumed.next(two_columns(6, 6, 6));
  EXPECT_FALSE(std::isnan(next.first(0)));
  EXPECT_TRUE(std::isnan(next.first(1)));
  EXPECT_FALSE(std::isnan(next.second(0, 1)));
  static_cast<void>(tracker.next(two_columns(6, 6, 6)));
  EXPECT_EQ(resumed.memory(), tracker.memory());
  CountTracker of_another(CountTracker::Counts::grow, {.cells = {true}});
  EXPECT_THROW(static_cast<void>(of_another.next(two_columns(6, 6, 6))), InvalidParameter);
}

TEST(MeanInterval, CoversTheMeanInNinetyFivePercentOfRunsAtAnyCount) {
  // Forty columns with mean 0.8 and a count of six standard deviations, far too few for value +- 1.96
  // noise_std; P(no interval) = P(Z < 1.96 - 6) = 3e-5.
  constexpr std::size_t columns = 40, releases = 1500, runs = columns * releases;
  const double mean = 0.8;
  const ReleaseNumbers numbers = [&] {
    ReleaseNumbers result{.layout = {.dimension = columns, .second = SecondMoment::none, .cell_counts = true},
                          .rows = 1000,
                          .noise = NoiseStds::box(1, columns)};
    const double n = 6 * result.noise.count;
    for (std::size_t i = 0; i < columns; ++i) result.add(mean * n, result.noise.first);
    for (std::size_t i = 0; i < columns; ++i) result.add(n, result.noise.count);
    return result;
  }();
  const Units units{.centre = Eigen::VectorXd::Constant(columns, 7),
                    .half_width = Eigen::VectorXd::Constant(columns, 3)};
  const double truth = 7 + 3 * mean;
  std::mt19937_64 generator(5);
  double covered = 0, narrow = 0;
  for (std::size_t r = 0; r < releases; ++r) {
    const MeanInterval interval = mean_interval(numbers.draw(generator), units);
    for (Eigen::Index i = 0; i < interval.low.size(); ++i) {
      // What is not an interval rules no mean out or almost none; it counts as covering.
      const bool none = std::isnan(interval.low(i));
      const double centre = (interval.low(i) + interval.high(i)) / 2, half = interval.high(i) - centre;
      covered += none || std::abs(truth - centre) <= half ? 1 : 0;
      narrow += none || std::abs(truth - centre) <= 0.9 * half ? 1 : 0;
    }
  }
  const double low = test::limit(0.95, runs, false) - 3e-5, high = test::limit(0.95, runs, true) + 3e-5;
  EXPECT_GE(covered / static_cast<double>(runs), low);
  EXPECT_LE(covered / static_cast<double>(runs), high);
  EXPECT_LT(narrow / static_cast<double>(runs), low) << "intervals 10% too narrow must be rejected";
}

TEST(MeanInterval, IsNotThereWhereTheCountMayBeZero) {
  const Units units = Units::identity(2);
  const MeanInterval interval = mean_interval(two_columns(1.9, 2, 30), units);
  EXPECT_TRUE(std::isnan(interval.low(0)) && std::isnan(interval.high(0)));
  EXPECT_LT(interval.low(1), -0.2);
  EXPECT_GT(interval.high(1), -0.2);
  EXPECT_TRUE(std::isnan(mean_interval(two_columns(-5, 2, 30), units).low(0)));
  // Its ends solve the equation it is defined by: (X - m N)^2 = z^2 (v1 + m^2 vc).
  const Release release = two_columns(6, 6, 6);
  const MeanInterval six = mean_interval(release, units);
  for (const double m : {six.low(0), six.high(0)}) {
    const double away = release.first()[0] - m * release.counts()[0];
    const double variance = std::pow(release.std_first(), 2) + std::pow(m * release.std_count(), 2);
    EXPECT_NEAR(away * away, std::pow(1.959963984540054, 2) * variance, 1e-9 * variance);
  }
}

}  // namespace
}  // namespace jme
