#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/filter/filter.hpp>

#include "filter/norms.hpp"
#include "filter/samples.hpp"

namespace jme {
namespace {

std::vector<double> numbers(const Schedule& schedule, std::size_t begin, std::size_t count) {
  std::vector<double> values(count);
  schedule.fill(begin, values);
  return values;
}

const Toeplitz slow = samples::blt({.99995, .999, .98, .8}, {.9995, .995, .93, .3});

TEST(PowerSchedule, IsThePowersToTheLastDigits) {
  // The polynomials that stand for the powers away from the ends, and the powers near them.
  struct Case {
    double a, q, c, s;
  };
  constexpr std::size_t n = 40'000;
  for (const Case& k : {Case{0, -.92, 1, 0}, Case{46024, .29, .92, .37}, Case{3000, 11, 9600, 11},
                        Case{-.2, -.83, 1.7, -.08}, Case{5, 0, 2, .5}}) {
    const std::vector<double> got = numbers(Schedule::power(k.a, k.q, n, k.c, k.s), 0, n);
    for (std::size_t t = 0; t < n; t += 7) {
      const auto time = static_cast<long double>(t + 1);
      const long double exact =
          std::pow(time + static_cast<long double>(k.a), static_cast<long double>(k.q)) *
          std::pow(static_cast<long double>(n) - time + static_cast<long double>(k.c),
                   static_cast<long double>(k.s));
      // A power's own error is half a unit; the polynomial adds a few roundings of its value.
      ASSERT_NEAR(static_cast<double>(static_cast<long double>(got[t]) / exact), 1, 4e-15)
          << t << " " << k.q << " " << k.s;
    }
  }
}

TEST(Schedules, GiveTheSameBitsOneByOneAndInAnyPieces) {
  constexpr std::size_t n = 5000;
  std::vector<double> last(300);
  for (std::size_t i = 0; i < last.size(); ++i) last[i] = 1 + static_cast<double>(i);
  const Schedule row = Schedule::power(10, -.3, n, 1, 0);
  const std::vector<Schedule> schedules{
      Schedule(),
      Schedule::values(std::vector<double>(n, .5)),
      Schedule::constant_until(n, .75, last),
      Schedule::inverse_row_count(n * 3 - 1, 3),
      Schedule::power(20, .3, n, 2, .4),
      Schedule::inverse_column_norms(Schedule::power(20, .3, n, 2, .4), slow, n),
      Schedule::inverse_endless_column_norms(row, slow, n),
      Schedule::inverse_endless_column_norms(Schedule(), slow, n)};
  for (const Schedule& schedule : schedules) {
    const std::vector<double> all = numbers(schedule, 0, n);
    ScheduleReader reader;
    for (std::size_t t = 0; t < n; ++t) ASSERT_EQ(reader.at(schedule, t), all[t]);
    for (const std::size_t t : {0ul, 1ul, 255ul, 256ul, 1023ul, 1024ul, 4097ul, n - 1}) {
      EXPECT_EQ(schedule(t), all[t]) << t;
    }
    for (const std::size_t begin : {1ul, 1000ul, 1025ul, 2047ul, 4990ul}) {
      const std::vector<double> part = numbers(schedule, begin, std::min<std::size_t>(1500, n - begin));
      for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], all[begin + i]) << begin << " " << i;
    }
  }
}

/// ||column j of diag(row) T||, all `terms` of it, with significands of 64 bits.
long double column_norm(const Schedule& row, const Toeplitz& core, std::size_t j, std::size_t terms) {
  std::vector<double> rows(terms);
  row.fill(j, rows);
  std::vector<long double> powers;
  for (const Mode& mode : core.modes) powers.push_back(mode.weight);
  long double sum = 0;
  for (std::size_t m = 0; m < terms; ++m) {
    long double c = m == 0 ? core.taps[0] : 0;
    for (std::size_t i = 0; m > 0 && i < powers.size(); ++i) {
      c += powers[i];
      powers[i] *= core.modes[i].pole;
    }
    sum += c * c * rows[m] * rows[m];
  }
  return std::sqrt(sum);
}

TEST(InverseColumnNorms, AreNeverAboveOneOverTheNormAndHardlyBelow) {
  constexpr std::size_t n = 3000;
  for (const Schedule& row :
       {Schedule(), Schedule::power(0, -.92, n, 1, 0), Schedule::power(50, .3, n, .9, .4)}) {
    const std::vector<double> inverse = numbers(Schedule::inverse_column_norms(row, slow, n), 0, n);
    for (std::size_t j = 0; j < n; j += 37) {
      const auto product = static_cast<double>(inverse[j] * column_norm(row, slow, j, n - j));
      ASSERT_LE(product, 1);
      ASSERT_GE(product, 1 - 1e-11);  // 4 eps n, and twice that for its parts
    }
  }
}

TEST(EndlessColumnNorms, IncludeTheWholeTail) {
  // 1 - .99995^2 = 1e-4: after 400,000 steps e^-40 of the tail is left. From step 262,144 on norms are made
  // in leaps, by chords that are up to 4e-6 q above the schedule.
  constexpr std::size_t n = 700'000, tail = 400'000;
  for (const Schedule& row :
       {Schedule(), Schedule::power(0, -.9, n, 1, 0), Schedule::power(30, -.3, n, 1, 0)}) {
    const Schedule inverse = Schedule::inverse_endless_column_norms(row, slow, n);
    for (const std::size_t j : {0ul, 1ul, 1000ul, 50'000ul, 262'100ul, 300'000ul, 555'555ul, n - 1}) {
      const auto product = static_cast<double>(inverse(j) * column_norm(row, slow, j, tail));
      EXPECT_LE(product, 1) << j;
      EXPECT_GE(product, 1 - 4e-6) << j;
    }
  }
}

TEST(EndlessColumnNorms, AreNotShorterThanThoseOfAnyHorizon) {
  constexpr std::size_t n = 20'000;
  const Schedule row = Schedule::power(3, -.5, n, 1, 0);
  const std::vector<double> endless = numbers(Schedule::inverse_endless_column_norms(row, slow, n), 0, n);
  const std::vector<double> ending = numbers(Schedule::inverse_column_norms(row, slow, n), 0, n);
  for (std::size_t t = 0; t < n; ++t) ASSERT_LE(endless[t], ending[t] * (1 + 1e-10));
}

TEST(InverseColumnNorms, RefuseWhatTheyCannotBound) {
  const Toeplitz negative{.taps = {1.0}, .modes = {{-.1, .5}}};
  const Toeplitz unstable{.taps = {1.0}, .modes = {{.1, 1.0}}};
  const Toeplitz long_taps{.taps = {1.0, .5}};
  for (const Toeplitz& core : {negative, unstable, long_taps}) {
    EXPECT_THROW((void)Schedule::inverse_column_norms({}, core, 10), InvalidParameter);
    EXPECT_THROW((void)Schedule::inverse_endless_column_norms({}, core, 10), InvalidParameter);
  }
  const Schedule values = Schedule::values(std::vector<double>(10, 1.0));
  EXPECT_THROW((void)Schedule::inverse_column_norms(values, slow, 10), InvalidParameter);
  for (const Schedule& rising : {Schedule::power(0, .1, 10, 1, 0), Schedule::power(0, -.1, 10, 1, .1)}) {
    EXPECT_THROW((void)Schedule::inverse_endless_column_norms(rising, slow, 10), InvalidParameter);
  }
  EXPECT_THROW((void)Schedule::constant_until(2, 1, {1, 1, 1}), InvalidParameter);
  EXPECT_THROW((void)Schedule::constant_until(2, 0, {}), InvalidParameter);
}

TEST(ColumnNormalised, FiltersHaveColumnsOfNormOne) {
  constexpr std::size_t n = 1500;
  const Filter scheduled = Filter::column_normalised(n, slow, Schedule::power(5, .2, n, 1, .3));
  Toeplitz lagged = slow;
  lagged.lag_taps = {{70, .4}, {140, .2}, {210, -.1}};
  for (const Filter& filter : {scheduled, Filter::column_normalised(n, lagged)}) {
    EXPECT_TRUE(filter.has_unit_columns());
    EXPECT_FALSE(filter.is_endless());
    EXPECT_EQ(largest_squared_column_norm(filter), 1);
    const Eigen::VectorXd norms = filter.to_dense().colwise().norm();
    EXPECT_LE(norms.maxCoeff(), 1);
    EXPECT_GE(norms.minCoeff(), 1 - 1e-11);
  }
  EXPECT_TRUE(Filter::endless_column_normalised(n, slow).is_endless());
  EXPECT_FALSE(scheduled.with_last_row(std::vector<double>(n, 1.0)).has_unit_columns());
  EXPECT_THROW((void)Filter::column_normalised(n, lagged, Schedule::power(5, .2, n, 1, .3)),
               InvalidParameter);
}

}  // namespace
}  // namespace jme
