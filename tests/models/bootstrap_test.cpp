#include <cmath>
#include <random>

#include <Eigen/Core>
#include <gmock/gmock.h>

#include <jme/models/bootstrap.hpp>
#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>

#include "models/simulated_release.hpp"
#include "models/synthetic.hpp"

namespace jme {
namespace {

using test::NoiseStds;
using test::numbers_of;
using test::some_units;
using test::three_columns;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ReleaseLayout complete{.dimension = 3, .second = SecondMoment::full};
const ReleaseLayout counted{
    .dimension = 3, .second = SecondMoment::full, .cell_counts = true, .row_count = true};

/// 300 rows, with noise of this size on a sum.
Release release_with(double noise, unsigned seed = 1, const ReleaseLayout& layout = complete) {
  std::mt19937_64 bits(seed);
  return numbers_of(three_columns(300), layout, NoiseStds::box(noise, 3)).draw(bits);
}

MatrixInterval correlation_interval(const Release& release, IntervalKind kind = IntervalKind::noise,
                                    double rows_per_person = 1) {
  const Divisors divisors(release);
  const RunningMoments moments(release, some_units(), Bias::removed, divisors, Estimator::best);
  Bootstrap bootstrap(release, divisors, moments, kind, rows_per_person);
  const std::size_t at = bootstrap.add(quantity_of_correlation(correlation(moments)));
  bootstrap.run();
  return bootstrap.interval(at);
}

// The root mean square of 200 draws is off by 1/sqrt(400) = 5% of itself; six of these are 30%.
constexpr double of_200_draws = 0.3;

TEST(Bootstrap, HasTheIntervalOfFirstOrderWhereNoiseIsSmall) {
  const Release release = release_with(0.05);
  const RunningMoments moments(release, some_units(), Bias::removed, Estimator::best);
  const MatrixEstimate r = correlation(moments);
  const MatrixInterval interval = correlation_interval(release);
  for (Eigen::Index i = 0; i < 3; ++i) {
    EXPECT_EQ(interval.low(i, i), 1);
    EXPECT_EQ(interval.high(i, i), 1);
    for (Eigen::Index j = 0; j < i; ++j) {
      const double half = (interval.high(i, j) - interval.low(i, j)) / 2;
      EXPECT_NEAR((interval.high(i, j) + interval.low(i, j)) / 2, r.value(i, j), 1e-12);
      EXPECT_GE(half, half_95 * r.noise_std(i, j) * (1 - 1e-12));
      EXPECT_LE(half, half_95 * r.noise_std(i, j) * (1 + of_200_draws));
    }
  }
  EXPECT_THAT(interval.reasons, IsEmpty());
}

TEST(Bootstrap, DependsOnTheReleasedNumbersAlone) {
  const Release release = release_with(3);
  const MatrixInterval once = correlation_interval(release), again = correlation_interval(release);
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
  // Any number of the release decides about the draws.
  std::vector<double> numbers = release.packed();
  const std::uint64_t digest = models::digest(release);
  for (double& number : numbers) {
    const double before = number;
    number += 1e-9;
    EXPECT_NE(models::digest(Release::unpacked(complete, release.rows(), release.steps(), numbers)), digest);
    number = before;
  }
  EXPECT_EQ(models::digest(Release::unpacked(complete, release.rows(), release.steps(), numbers)), digest);
}

TEST(Bootstrap, OfOneQuantityDoesNotDependOnTheOthers) {
  const Release release = release_with(3);
  const Divisors divisors(release);
  const RunningMoments moments(release, some_units(), Bias::removed, divisors, Estimator::best);
  Bootstrap bootstrap(release, divisors, moments);
  bootstrap.add(quantity_of(linear_regression(moments, 1)));
  const std::size_t at = bootstrap.add(quantity_of_correlation(correlation(moments)));
  bootstrap.run();
  EXPECT_EQ(bootstrap.interval(at).low, correlation_interval(release).low);
}

TEST(Bootstrap, StaysInTheRangeAndIsNullWithAReasonWhereNoiseHidesANumber) {
  const MatrixInterval some = correlation_interval(release_with(5));
  for (Eigen::Index k = 0; k < some.low.size(); ++k) {
    if (std::isnan(some.low.data()[k])) continue;
    EXPECT_GE(some.low.data()[k], -1);
    EXPECT_LE(some.high.data()[k], 1);
  }
  const Release drowned = release_with(200);
  const MatrixInterval none = correlation_interval(drowned);
  EXPECT_TRUE(std::isnan(none.low(0, 1)) && std::isnan(none.high(0, 1)));
  EXPECT_FALSE(none.reasons.empty());
  const RunningMoments moments(drowned, some_units(), Bias::removed, Estimator::best);
  const Divisors divisors(drowned);
  Bootstrap bootstrap(drowned, divisors, moments);
  const std::size_t precisions = bootstrap.add(quantity_of_precision(precision(moments))),
                    density = bootstrap.add(quantity_of(GaussianDensity(moments))),
                    parts = bootstrap.add(quantity_of(ComponentTracker().next(moments, 2)));
  bootstrap.run();
  EXPECT_THAT(bootstrap.interval(precisions).reasons, ElementsAre(NoInterval::unusable));
  EXPECT_THAT(bootstrap.interval(density).reasons, ElementsAre(NoInterval::unusable));
  EXPECT_THAT(bootstrap.interval(parts, 2).reasons, Contains(NoInterval::wide));
}

TEST(Bootstrap, OfUnknownCountsHasNoIntervalAndSaysSo) {
  // A count of 10 rows with noise 30.
  std::mt19937_64 bits(1);
  const Release release = numbers_of(three_columns(10), counted, NoiseStds::box(30, 3)).draw(bits);
  EXPECT_THAT(correlation_interval(release).reasons, Contains(NoInterval::few_rows));
  const RunningMoments moments(release, some_units(), Bias::removed, Estimator::best);
  const Divisors divisors(release);
  Bootstrap bootstrap(release, divisors, moments);
  const std::size_t line = bootstrap.add(quantity_of(linear_regression(moments, 0)));
  bootstrap.run();
  EXPECT_THAT(bootstrap.interval(line, 1).reasons, ElementsAre(NoInterval::few_rows));
}

TEST(Bootstrap, OfTheTotalErrorIsThatOfASampleWhereNoiseIsSmall) {
  // The correlation of n normal rows has the standard deviation (1 - r^2)/sqrt(n), to first order.
  const Release release = release_with(1e-4);
  const RunningMoments moments(release, some_units(), Bias::removed, Estimator::best);
  const double r = correlation(moments).value(0, 1);
  const auto half = [&](double rows_per_person) {
    const MatrixInterval interval = correlation_interval(release, IntervalKind::total, rows_per_person);
    return (interval.high(0, 1) - interval.low(0, 1)) / 2;
  };
  const double expected = half_95 * (1 - r * r) / std::sqrt(300.0);
  EXPECT_NEAR(half(1) / expected, 1, of_200_draws);
  // Ten rows of a person count as one.
  EXPECT_NEAR(half(10) / (std::sqrt(10.0) * expected), 1, of_200_draws);
}

TEST(MeanInterval, OfTheTotalErrorAddsTheVarianceOfTheSample) {
  const Release release = release_with(2);
  const Units units = some_units();
  const MeanEstimate mean = running_mean(release, units);
  const MeanInterval alone = mean_interval(release, units);
  const Eigen::VectorXd variance = Eigen::Vector3d(0.5, 1, 2);
  const MeanInterval total = mean_interval(release, units, variance);
  for (Eigen::Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(alone.high(i) - mean.value(i), half_95 * mean.noise_std(i), 1e-12);
    EXPECT_NEAR(total.high(i) - mean.value(i),
                half_95 * std::sqrt(std::pow(mean.noise_std(i), 2) + variance(i)), 1e-12);
  }
}

/// The law of a release's numbers in their order.
struct Law {
  std::vector<double> std{}, shift{};
  void add(double deviation, double moved = 0) {
    std.push_back(deviation);
    shift.push_back(moved);
  }
};
Law law_of(const Release& release, const Divisors& divisors) {
  Law law;
  const ReleaseLayout& layout = release.layout();
  for (std::size_t i = 0; i < 3; ++i) law.add(release.std_first());
  for (std::size_t i = 0; i < layout.count_of_cells(); ++i) law.add(release.std_count());
  if (layout.row_count) law.add(release.std_rows());
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j) {
      // The estimate of a variance has v1 added, which the truth of the draws therefore has as well.
      const double v1 = std::pow(release.std_first() / divisors.first(i), 2);
      law.add(i == j ? release.std_second() : release.std_off_diagonal(),
              i == j ? v1 * divisors.second(i, i) : 0);
    }
  }
  for (std::size_t i = 0; i < layout.count_of_pairs(); ++i) law.add(release.std_pair_count());
  return law;
}

/// Mean and variance of every number over many simulated releases, against those of the law.
void expect_law(const ReleaseLayout& layout) {
  const Release release = release_with(2, 3, layout);
  const Divisors divisors(release);
  const RunningMoments moments(release, Units::identity(3), Bias::removed, divisors, Estimator::raw);
  models::SimulatedRelease simulated(release, divisors, moments);
  constexpr int draws = 4000;
  const auto size = static_cast<Eigen::Index>(layout.first_size() + layout.second_size());
  const auto numbers = [&](const Release& r) {
    const std::vector<double> packed = r.packed();
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
        packed.data() + packed.size() - static_cast<std::size_t>(size), size));
  };
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(size), squares = sum;
  const Eigen::VectorXd released = numbers(release);
  for (int draw = 0; draw < draws; ++draw) {
    const Eigen::VectorXd off = numbers(simulated.next()) - released;
    sum += off;
    squares += off.cwiseAbs2();
  }
  const Law law = law_of(release, divisors);
  ASSERT_EQ(law.std.size(), static_cast<std::size_t>(size));
  for (Eigen::Index k = 0; k < size; ++k) {
    const double std = law.std[static_cast<std::size_t>(k)], mean = sum(k) / draws;
    // Six standard errors, a false alarm of 2e-9 for each number. A variance of draws is off by
    // sqrt(2/draws).
    EXPECT_NEAR(mean, law.shift[static_cast<std::size_t>(k)], 6 * std / std::sqrt(double{draws})) << k;
    EXPECT_NEAR((squares(k) / draws - mean * mean) / (std * std), 1, 6 * std::sqrt(2.0 / draws)) << k;
  }
}

TEST(SimulatedRelease, HasTheLawOfTheReleaseAroundTheEstimates) {
  expect_law(complete);
  expect_law(counted);
  expect_law({.dimension = 3, .second = SecondMoment::full, .row_count = true});
}

TEST(SimulatedRelease, HasTheDiagonalThatATraceCorrected) {
  // Covariance v I + c 11' of the diagonal: the variance of its sum is 3v + 9c.
  ReleaseLayout layout = complete;
  layout.trace = true;
  const Release plain = release_with(2, 3);
  std::vector<double> numbers = plain.packed();
  const double alone = 4, between = -1.2;
  numbers[1] = std::sqrt(alone + between);
  numbers.insert(numbers.begin() + 10, between);
  numbers.push_back(0);
  const Release release = Release::unpacked(layout, plain.rows(), plain.steps(), numbers);
  const Divisors divisors(release);
  const RunningMoments moments(release, Units::identity(3), Bias::removed, divisors, Estimator::raw);
  models::SimulatedRelease simulated(release, divisors, moments);
  constexpr int draws = 4000;
  double sum = 0, squares = 0, entry = 0, entry_squares = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const Eigen::VectorXd diagonal = simulated.next().second_matrix().diagonal();
    sum += diagonal.sum() / draws;
    squares += std::pow(diagonal.sum(), 2) / draws;
    entry += diagonal(1) / draws;
    entry_squares += diagonal(1) * diagonal(1) / draws;
  }
  const double limit = 6 * std::sqrt(2.0 / draws);
  EXPECT_NEAR((squares - sum * sum) / (3 * alone + 9 * between), 1, limit);
  EXPECT_NEAR((entry_squares - entry * entry) / (alone + between), 1, limit);
}

}  // namespace
}  // namespace jme
