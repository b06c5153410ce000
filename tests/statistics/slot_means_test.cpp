// Means over private counts of slots of time: the noise that is printed beside them is the noise that they
// have.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <jme/models/covariance.hpp>
#include <jme/models/divisors.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme::slot_means_tests {
namespace {

constexpr std::size_t days = 200, hours = 24, quarter = 6, columns = 10;
constexpr double rows_per_hour = 400;

/// One stream a day, with a window of six hours. Its shape is the identity: windows that share no hour have
/// independent noise.
StreamConfig day_of_hours() {
  return {.budget = {.sigma = 2},
          .steps = hours,
          .slot_seconds = 3600,
          .dimension = columns,
          .norm_bound = std::sqrt(static_cast<double>(columns)),
          .unit_box = true,
          .private_count = true,
          .workload = window(quarter),
          .shape = Shape::identity(),
          .second = SecondMoment::none,
          .adjacency = Adjacency::add_remove};
}

struct ZScores {
  std::size_t count = 0, outside = 0;
  double squares = 0, sum = 0;
  [[nodiscard]] double deviation(double claimed = 1) const {
    const double mean = sum / static_cast<double>(count);
    return std::sqrt(squares / static_cast<double>(count) - mean * mean) / claimed;
  }
};

/// Of every mean that is printed after a quarter of a day, against what the rows of that quarter give without
/// noise. Rows of a slot are copies of one row: the mean is known, and the numbers of rows are random.
ZScores simulate() {
  const Mechanism mechanism(day_of_hours());
  const Units units = Units::identity(columns);
  ZScores result;
  for (std::size_t day = 0; day < days; ++day) {
    std::mt19937_64 generator(day);
    std::poisson_distribution<int> rows(rows_per_hour);
    std::uniform_real_distribution<double> uniform(-0.6, 0.6);
    MomentStream stream(mechanism, InsecureTestSeed{1000 + day});
    CountTracker tracker;
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(columns);
    double number = 0;
    for (std::size_t hour = 0; hour < hours; ++hour) {
      std::vector<double> row(columns);
      for (double& cell : row) cell = std::round(uniform(generator) * 1024) / 1024;
      BlockSum slot(RowMap::of(mechanism));
      const int copies = rows(generator);
      for (int i = 0; i < copies; ++i) slot.add(row);
      for (std::size_t j = 0; j < columns; ++j) sums(static_cast<Eigen::Index>(j)) += copies * row[j];
      number += copies;
      stream.push_block(slot);
      const Releases releases = stream.take_releases();
      const Divisors divisors = tracker.next(releases[0]);
      if ((hour + 1) % quarter != 0) continue;
      const MeanEstimate mean = running_mean(releases[0], units, divisors);
      const MeanInterval interval = mean_interval(releases[0], units);
      for (Eigen::Index j = 0; j < mean.value.size(); ++j) {
        if (std::isnan(mean.value(j))) continue;
        const double truth = sums(j) / number, z = (mean.value(j) - truth) / mean.noise_std(j);
        ++result.count;
        result.sum += z;
        result.squares += z * z;
        if (truth < interval.low(j) || truth > interval.high(j)) ++result.outside;
      }
      sums.setZero();
      number = 0;
    }
  }
  return result;
}

// 8000 z-scores: their deviation has the standard error 1/sqrt(16000) = 0.0079, and 6.2 of these, 0.049, are
// exceeded with probability 6e-10. The count is more than 13 of its standard deviations throughout, where a
// ratio's z-score is normal within 0.01 (docs/clocks.md). A noise_std that is 10% too small gives 1.11, 7.8
// standard errors beyond the limit. Outside of an interval of 95% are 400 +- 19.5: 6.2 of these are 121.
TEST(SlotMeans, HaveTheNoiseThatIsPrintedBesideThemOverTwoHundredDays) {
  const ZScores z = simulate();
  EXPECT_EQ(z.count, days * 4 * columns);
  EXPECT_NEAR(z.deviation(), 1, 0.049 + 0.01);
  EXPECT_GT(z.deviation(0.9), 1 + 0.049 + 0.01) << "a noise_std that is 10% too small must be found";
  EXPECT_NEAR(z.sum / static_cast<double>(z.count), 0, 6.2 / std::sqrt(static_cast<double>(z.count)) + 0.02);
  EXPECT_NEAR(static_cast<double>(z.outside), 400, 121);
}

}  // namespace
}  // namespace jme::slot_means_tests
