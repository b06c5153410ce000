#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/changes/change_test.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/workload/workload.hpp>

namespace jme {
namespace {

constexpr double alpha = 0.01;

Filter two_pole_shape(std::size_t steps) {
  const ScaledBltParameters parameters{
      .blt = {.poles = {.990979489614793, .744585529648281}, .zeros = {.933443912788210, .307902921790450}},
      .start_power = -.9183037};
  return Shape::scaled_blt(parameters).filter(mean(), Horizon(steps));
}

ChangeGrid grid(std::size_t steps, std::size_t distance) {
  ChangeGrid result{.starts = {}, .shifts = {.02, .1, .4}};
  for (std::size_t step = distance; step < steps; step += distance) result.starts.push_back({step, 0});
  for (auto& start : result.starts) start.weight = 1 / static_cast<double>(result.starts.size());
  return result;
}

// E_t by its definition, in 50 digits: differences from the first block, their covariance, its Cholesky
// factor, the sums M and V (mpmath). An independent program with a prior of variance 1e6 for the mean gives
// the same up to parts in 1e8.
TEST(ChangeTest, IsTheMixtureOfItsDefinition) {
  constexpr std::size_t n = 40;
  ChangeTest test(two_pole_shape(n), 18.9, grid(n, 5));
  std::vector<double> e;
  for (std::size_t t = 0; t < n; ++t) {
    const double y = static_cast<double>(t % 7) * 3 - static_cast<double>(t % 3) * 5 + (t >= 20 ? 30 : 0);
    test.next(y, 100, 9);
    e.push_back(std::exp(test.log_e()));
  }
  EXPECT_NEAR(e[1], 1, 1e-12);
  EXPECT_NEAR(e[10], 0.92378903825138444679, 1e-9);
  EXPECT_NEAR(e[24] / 17.284511624252149487, 1, 1e-9);
  EXPECT_NEAR(e[30] / 62768533.027468739732, 1, 1e-9);
  EXPECT_NEAR(e[39] / 70590139969230958.876, 1, 1e-8);
  EXPECT_EQ(test.likely_start(), 20U);
}

TEST(ChangeTest, DoesNotSeeTheMeanItself) {
  constexpr std::size_t n = 60;
  ChangeTest low(two_pole_shape(n), 18.9, grid(n, 5)), high(two_pole_shape(n), 18.9, grid(n, 5));
  for (std::size_t t = 0; t < n; ++t) {
    const double y = 10 * std::sin(static_cast<double>(t * t)), k = t + 1 == n ? 30 : 100;
    low.next(y, k, 9);
    high.next(y + 0.75 * k, k, 9);
    EXPECT_NEAR(low.log_e(), high.log_e(), 1e-8) << t;
  }
}

TEST(ChangeTest, GridsHaveWeightsOfAtMostOneInAll) {
  for (const Horizon& horizon :
       {Horizon(1), Horizon(7), Horizon(1000), Horizon(100'003), Horizon::unbounded()}) {
    double sum = 0;
    const ChangeGrid made = change_grid(horizon, 1);
    for (const auto& start : made.starts) sum += start.weight;
    EXPECT_LE(sum, 1 + 1e-12);
    EXPECT_LE(made.starts.size(), 1000U);
    if (horizon.steps() > 1) {
      EXPECT_GT(sum, 0.9);
    }
  }
  EXPECT_EQ(change_grid(Horizon(1000), 1).starts.size(), 199U);
  EXPECT_EQ(change_grid(Horizon(1000), 1).starts.front().step, 5U);
}

TEST(ChangeTest, RefusesAGridWithoutAGuarantee) {
  const Filter c = Filter::identity(10);
  EXPECT_THROW(ChangeTest(c, 1, {.starts = {{1, 0.7}, {2, 0.7}}, .shifts = {1}}), InvalidParameter);
  EXPECT_THROW(ChangeTest(c, 1, {.starts = {{0, 1}}, .shifts = {1}}), InvalidParameter);
  EXPECT_THROW(ChangeTest(c, 1, {.starts = {{1, 1}}, .shifts = {}}), InvalidParameter);
}

/// Streams of blocks of 100 rows without a change: noise C^-1 z and sums of rows with standard deviation sd.
struct Simulation {
  std::size_t steps = 100;
  double std = 18.9, sd = 0.3;
  double shift = 0;
  std::size_t shift_at = 0;
};

class Streams {
 public:
  Streams(const Simulation& s, const Filter& c) : s_(s), c_(c) {}

  /// The step of the first E_t >= 1/alpha; none where there is none.
  std::optional<std::size_t> alarm(double assumed_v, double threshold, bool skewed) {
    std::normal_distribution<double> normal;
    std::binomial_distribution<int> hundred(100, 0.1);
    std::vector<double> z(s_.steps);
    for (double& draw : z) draw = normal(random_) * s_.std;
    const std::vector<double> noise = c_.solve(z);
    ChangeTest test(c_, s_.std, grid(s_.steps, std::max<std::size_t>(1, s_.steps / 200)));
    for (std::size_t t = 0; t < s_.steps; ++t) {
      double y = noise[t] + (skewed ? hundred(random_) - 10 : normal(random_) * s_.sd * 10);
      if (t >= s_.shift_at) y += 100 * s_.shift;
      test.next(y, 100, assumed_v);
      if (test.log_e() >= std::log(threshold)) return t;
    }
    return std::nullopt;
  }

 private:
  Simulation s_;
  Filter c_;
  std::mt19937_64 random_{7};
};

/// Upper limit of a count of `trials` with probability p that is exceeded with probability 1e-9: six standard
/// errors of a binomial law, plus the skewness term of its tail.
double limit(double p, double trials) {
  return trials * p + 6 * std::sqrt(trials * p * (1 - p)) + 6;
}

std::size_t alarms(const Simulation& s, const Filter& c, double v, double threshold, bool skewed,
                   std::size_t trials) {
  Streams streams(s, c);
  std::size_t count = 0;
  for (std::size_t i = 0; i < trials; ++i) count += streams.alarm(v, threshold, skewed) ? 1 : 0;
  return count;
}

// A tenth in place of a hundredth, so that few streams tell much.
TEST(ChangeTest, RaisesAtMostItsLevelOfStreamsWithoutAChange) {
  const Simulation s{.steps = 60};
  for (const char* shape : {"identity", "scaled-blt:2", "sqrt"}) {
    const Filter c = Shape::parse(shape).filter(mean(), Horizon(s.steps));
    EXPECT_LE(alarms(s, c, 9, 10, false, 300), limit(0.1, 300)) << shape;
  }
  const Filter c = Shape::parse("scaled-blt:2").filter(mean(), Horizon(s.steps));
  EXPECT_LE(alarms(s, c, 9, 10, true, 300), limit(0.1, 300)) << "skewed rows";
  EXPECT_LE(alarms(s, c, 36, 10, false, 300), limit(0.1, 300)) << "an overstated variance";
}

// The test above could not fail if E never moved: with a variance that is stated far too small it must fail.
TEST(ChangeTest, RaisesTooManyWhereTheVarianceIsUnderstated) {
  const Simulation s{.steps = 60, .std = 1, .sd = 1};
  EXPECT_GT(alarms(s, Filter::identity(s.steps), 9, 10, false, 200), limit(0.1, 200));
}

// Medians over 200 seeded streams of 1000 blocks are 21 and 5 (docs/changes.md); here 30 streams of 200
// blocks, whose grid is as fine. A median of 30 lies outside of twice its law's with probability below 1e-9.
TEST(ChangeTest, FindsAChangeSoon) {
  Simulation s{.steps = 200, .shift = 0.4, .shift_at = 100};
  const Filter c = two_pole_shape(s.steps);
  Streams large(s, c);
  std::vector<std::size_t> delays;
  for (int i = 0; i < 30; ++i) {
    const auto found = large.alarm(9, 1 / alpha, false);
    ASSERT_TRUE(found.has_value());
    if (*found >= s.shift_at) delays.push_back(*found - s.shift_at + 1);
  }
  std::sort(delays.begin(), delays.end());
  ASSERT_GT(delays.size(), 25U);
  EXPECT_LE(delays[delays.size() / 2], 12U);
}

}  // namespace
}  // namespace jme
