#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/theory/expected_error.hpp>
#include <jme/theory/half_interval.hpp>

namespace jme {
namespace {

Mechanism mechanism(const std::function<void(StreamConfig&)>& change = {}) {
  StreamConfig config;
  config.budget.sigma = 1;
  config.rows = 120;
  config.every = 8;
  config.dimension = 3;
  config.norm_bound = std::sqrt(3.0);
  config.unit_box = true;
  if (change) change(config);
  return Mechanism(config);
}

TEST(ReleaseNorms, AreThoseOfTheReleaseVariance) {
  for (const Workload& workload : {mean(), prefix(), decay(0.9), window(24)}) {
    const Mechanism m = mechanism([&](StreamConfig& config) { config.workload = workload; });
    const ReleaseVariance variance = release_variance(m);
    for (std::size_t step = 0; step < m.horizon().steps(); ++step) {
      const SumNoise noise = sum_noise(m, release_norms(m, m.horizon().rows_through(step)));
      EXPECT_NEAR(noise.first, std::sqrt(variance.first[step]), 1e-12 * noise.first) << workload.name();
      EXPECT_NEAR(noise.diagonal, std::sqrt(variance.second[step]), 1e-12 * noise.diagonal);
    }
  }
}

TEST(ReleaseNorms, OfAStreamThatEndsInsideABlockAreThoseOfAHorizonThatEndsThere) {
  const auto identity = [](std::size_t rows) {
    return mechanism([rows](StreamConfig& config) {
      config.rows = rows;
      config.shape = Shape::identity();
    });
  };
  EXPECT_NEAR(release_norms(identity(120), 101).first, release_norms(identity(101), 101).first, 1e-15);
  EXPECT_THROW(static_cast<void>(release_norms(identity(120), 121)), InvalidParameter);
  EXPECT_THROW(static_cast<void>(release_norms(identity(120), 0)), InvalidParameter);
}

// 1.959963984540054 is the 97.5% quantile of the normal distribution.
TEST(HalfOfMean, OfAPublicCountIsTheNormalQuantile) {
  const ExpectedRelease release{.noise = {.first = 3, .has_second = true}, .weight = 200};
  EXPECT_NEAR(half_of_mean(release, 0.7).value(), 1.959963984540054 * 3 / 200, 1e-12);
  EXPECT_NEAR(probability_of_miss(release, 0.7, 3.0 / 200), 0.31731050786291415, 1e-12);
}

// Sums have a deviation of 4, the count of 6, N = 90, m = 0.8. Computed by mpmath at 30 digits: the root in h
// of the integral over n of the density of the count's noise times P(|e - m n| > h (N + n) | n), less 0.05.
TEST(HalfOfMean, OfAPrivateCountIsTheQuantileOfTheRatio) {
  const ExpectedRelease release{
      .noise = {.first = 4, .count = 6, .has_second = true}, .weight = 90, .known_above = 10};
  EXPECT_NEAR(half_of_mean(release, 0.8).value(), 0.137880590621588372, 1e-9);
  EXPECT_EQ(half_of_mean(release, 0.8), half_of_mean(release, -0.8));
}

TEST(HalfOfMean, IsNoneWhereTheCountIsOftenNotKnown) {
  ExpectedRelease release{.noise = {.first = 4, .count = 6}, .weight = 60, .known_above = 10};
  EXPECT_NEAR(probability_known(release), 0.5, 1e-15);
  EXPECT_FALSE(half_of_mean(release, 0).has_value());
  EXPECT_GE(probability_of_miss(release, 0, 100), 0.5);
  release.weight = 60 + 6 * 1.645;  // known with a probability just above 95%
  EXPECT_TRUE(half_of_mean(release, 0).has_value());
}

struct Draw {
  double mean, deviation, correlation;
};

/// One release of two columns without correlation, drawn by the definition of its sums.
Draw draw(std::mt19937_64& generator, const ExpectedRelease& release, const ExpectedColumn& a,
          const ExpectedColumn& b) {
  const auto noise = [&](double deviation) {
    return deviation > 0 ? std::normal_distribution<double>(0, deviation)(generator) : 0.0;
  };
  const SumNoise& n = release.noise;
  const double rows = release.weight;
  const double count = rows + noise(n.count), other = n.counts_cells ? rows + noise(n.count) : count;
  const double pairs = n.counts_cells ? rows + noise(n.pair_count) : count;
  const double mean_a = (rows * a.mean + noise(n.first)) / count;
  const double mean_b = (rows * b.mean + noise(n.first)) / other;
  const auto variance = [&](const ExpectedColumn& column, double mean, double divisor) {
    const double squares = rows * (std::pow(column.deviation, 2) + std::pow(column.mean, 2));
    return (squares + noise(n.diagonal)) / divisor - mean * mean + std::pow(n.first / divisor, 2);
  };
  const double v_a = variance(a, mean_a, count), v_b = variance(b, mean_b, other);
  const double product = (rows * a.mean * b.mean + noise(n.off_diagonal)) / pairs - mean_a * mean_b;
  return {.mean = mean_a - a.mean,
          .deviation = std::sqrt(std::max(0.0, v_a)) - a.deviation,
          .correlation = product / std::sqrt(std::max(1e-9, v_a) * std::max(1e-9, v_b))};
}

struct IntervalSetting {
  const char* name;
  ExpectedRelease release;
  ExpectedColumn a, b;
};

// A miss has probability 5%. Of 40000 draws 2000 miss, with a standard deviation of 43.6; 6.1 of them have
// probability below 1e-9. The square of a mean's noise is taken as normal, and a correlation is of first
// order in the noise on the variances, at most 7% of them here: a term of second order moves a half-width by
// at most 3/2 x 7%^2 = 0.75%, and misses by 2 x 1.96 phi(1.96) x 0.75% = 0.17%, 69 draws.
TEST(HalfIntervals, AreMissedByFivePercentOfTheDraws) {
  const ExpectedColumn low{.mean = -0.6, .deviation = 0.25}, high{.mean = 0.5, .deviation = 0.3};
  const std::vector<IntervalSetting> settings{
      {"public",
       {.noise = {.first = 3, .diagonal = 5, .off_diagonal = 6, .has_second = true}, .weight = 1500},
       low,
       high},
      {"rows",
       {.noise = {.first = 3, .diagonal = 5, .off_diagonal = 6, .count = 3, .has_second = true},
        .weight = 1500,
        .known_above = 10},
       low,
       high},
      {"few rows",
       {.noise = {.first = 3, .diagonal = 3, .off_diagonal = 4, .count = 60, .has_second = true},
        .weight = 780,
        .known_above = 10},
       {.mean = -0.6, .deviation = 0.4},
       {.mean = 0.5, .deviation = 0.5}},
      {"cells",
       {.noise = {.first = 3,
                  .diagonal = 5,
                  .off_diagonal = 6,
                  .count = 4,
                  .pair_count = 9,
                  .has_second = true,
                  .counts_cells = true},
        .weight = 1500,
        .known_above = 10},
       low,
       high},
  };
  constexpr int draws = 40000;
  constexpr double allowed = 6.1 * 43.6 + 69;
  for (const IntervalSetting& setting : settings) {
    std::mt19937_64 generator(7);
    const double of_mean = half_of_mean(setting.release, setting.a.mean).value();
    const double of_deviation = half_of_deviation(setting.release, setting.a).value();
    const double of_correlation = half_of_correlation(setting.release, setting.a, setting.b).value();
    int mean_misses = 0, deviation_misses = 0, correlation_misses = 0;
    for (int i = 0; i < draws; ++i) {
      const Draw one = draw(generator, setting.release, setting.a, setting.b);
      mean_misses += std::abs(one.mean) > of_mean ? 1 : 0;
      deviation_misses += std::abs(one.deviation) > of_deviation ? 1 : 0;
      correlation_misses += std::abs(one.correlation) > of_correlation ? 1 : 0;
    }
    EXPECT_NEAR(mean_misses, 2000, allowed) << setting.name;
    EXPECT_NEAR(deviation_misses, 2000, allowed) << setting.name;
    EXPECT_NEAR(correlation_misses, 2000, allowed) << setting.name;
  }
}

TEST(HalfOfDeviation, HoldsWhereTheNoiseIsLargerThanTheVariance) {
  const ExpectedColumn column{.mean = 0, .deviation = 0.1};
  const ExpectedRelease release{
      .noise = {.first = 0.01, .diagonal = 10, .off_diagonal = 1, .has_second = true}, .weight = 200};
  const double half = half_of_deviation(release, column).value();
  // Larger than the deviation itself: only errors upwards can miss, so that (s + h)^2 - s^2 is the 95%
  // quantile, 1.6448536269514722 standard deviations of the variance.
  EXPECT_NEAR(half, std::sqrt(0.01 + 1.6448536269514722 * 10 / 200) - 0.1, 1e-8);
}

TEST(HalfOfCorrelation, IsNoneWhereItWouldSayNothing) {
  const ExpectedColumn column{.mean = 0, .deviation = 0.1};
  ExpectedRelease release{.noise = {.first = 1, .diagonal = 1, .off_diagonal = 1.02, .has_second = true},
                          .weight = 200};
  EXPECT_NEAR(half_of_correlation(release, column, column).value(),
              1.959963984540054 * std::hypot(1.02 / 200, 1.0 / 200 / 200) / 0.01, 1e-12);
  release.noise.off_diagonal = 1.03;
  EXPECT_FALSE(half_of_correlation(release, column, column).has_value());
}

TEST(SumNoise, KnowsWhichCountsAreReleased) {
  const SumNoise public_count = sum_noise(mechanism(), {.first = 4, .second = 9});
  EXPECT_EQ(public_count.count, 0);
  const Mechanism counted = mechanism([](StreamConfig& config) { config.private_count = true; });
  EXPECT_NEAR(sum_noise(counted, {.first = 4, .second = 9}).count, 2 * counted.calibration().std_rows, 1e-12);
  const Mechanism cells = mechanism([](StreamConfig& config) { config.observed = true; });
  const SumNoise of_cells = sum_noise(cells, {.first = 4, .second = 9});
  EXPECT_TRUE(of_cells.counts_cells);
  EXPECT_NEAR(of_cells.count, 2 * cells.calibration().std_count, 1e-12);
  EXPECT_NEAR(of_cells.pair_count, 3 * cells.calibration().std_pair_count, 1e-12);
  const Mechanism none = mechanism([](StreamConfig& config) { config.second = SecondMoment::none; });
  EXPECT_FALSE(sum_noise(none, release_norms(none, 120)).has_second);
}

}  // namespace
}  // namespace jme
