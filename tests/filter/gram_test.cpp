#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

#include "filter/norms.hpp"
#include "filter/samples.hpp"
#include "filter/scheduled_products.hpp"

namespace jme {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// max over pairs at least `lag` apart, from every diagonal of the Gram matrix.
double largest_gram_entry(const Filter& c, std::size_t lag) {
  const std::size_t n = c.steps();
  std::vector<double> squared_rows(n);
  for (std::size_t t = 0; t < n; ++t) squared_rows[t] = c.row()(t) * c.row()(t);
  double largest = 0;
  for (std::size_t l = lag; l < n; ++l) {
    const std::vector<double> products = scheduled_products(c.core(), squared_rows, l);
    for (std::size_t j = l; j < n; ++j) {
      largest = std::max(largest, std::abs(c.column()(j - l) * c.column()(j) * products[j]));
    }
  }
  return largest;
}

// Above 4096 steps the bound is one inequality (gram.cpp): exact where the column schedule does not decrease.
TEST(GramBounds, OfAScaledBltForMeansAreExactOnLongHorizons) {
  const std::size_t n = 4200;
  const Filter c = samples::scaled_blt_for_mean(n);
  const std::vector<std::size_t> lags{0, 1, 300, 2500, n - 1, n};
  const std::vector<double> bounds = gram_lag_bounds(c, lags);
  for (const std::size_t m : {0, 1, 2, 3, 4}) {
    const double exact = largest_gram_entry(c, lags[m]);
    EXPECT_NEAR(bounds[m], exact, 1e-12 * exact) << lags[m];
  }
  EXPECT_EQ(bounds.back(), 0.0);
}

TEST(GramBounds, OfOtherSchedulesAreSoundOnLongHorizons) {
  const std::size_t n = 4200;
  std::mt19937_64 random(23);
  const Filter c = Filter::toeplitz(n, samples::blt4(), Schedule::values(samples::random_positive(n, random)),
                                    Schedule::values(samples::random_positive(n, random)));
  const std::vector<std::size_t> lags{0, 100, 4000};
  const std::vector<double> bounds = gram_lag_bounds(c, lags);
  for (std::size_t m = 0; m < lags.size(); ++m)
    EXPECT_GE(bounds[m], largest_gram_entry(c, lags[m]) * (1 - 1e-12));
}

/// d_j U_lag(j) max_{i <= j-lag} d_i over all columns: the inequality of gram.cpp, one column after another.
double slow_monotone_bound(const Filter& c, std::span<const double> squared_rows, std::size_t lag) {
  const std::vector<double> products = scheduled_products(c.core(), squared_rows, lag);
  double earlier = 0, largest = 0;
  for (std::size_t j = lag; j < c.steps(); ++j) {
    earlier = std::max(earlier, c.column()(j - lag));
    largest = std::max(largest, earlier * c.column()(j) * products[j]);
  }
  return largest;
}

// The tree of maxima leaves out most columns; it must not leave out the one that counts.
TEST(GramBounds, OfManyLagsAreThoseOfAllColumns) {
  const std::size_t n = 4200;
  std::mt19937_64 random(31);
  const auto random_schedule = [&] { return Schedule::values(samples::random_positive(n, random)); };
  Toeplitz taps = samples::blt4();
  taps.taps = {3.3, 3.2, 3.1, 3.05};  // and modes that go on below them
  Toeplitz one_mode{.taps = {1.0}, .modes = {{.weight = .5, .pole = .9995}}};
  Toeplitz signs{.taps = {1.0}, .modes = {{.weight = .8, .pole = .99}, {.weight = -.01, .pole = .6}}};
  Toeplitz negative{.taps = {1.0}, .modes = {{.weight = .8, .pole = .99}, {.weight = .001, .pole = -.6}}};
  const std::vector<Filter> filters{
      samples::scaled_blt_for_mean(n),
      Filter::toeplitz(n, samples::blt4(), random_schedule(), random_schedule()),
      Filter::toeplitz(n, taps, Schedule::power(1, -.5, n, 1, 0), random_schedule()),
      Filter::toeplitz(n, one_mode, Schedule::power(1, .5, n, 1, 0), {}),
      Filter::toeplitz(n, signs, random_schedule(), Schedule::power(1, -.3, n, 1, 0)),
      Filter::toeplitz(n, negative, Schedule::power(1, -.5, n, 1, 0), random_schedule())};
  std::vector<std::size_t> lags{0, 1, 2, 3, 4, 5};
  for (std::size_t lag = 17; lag < n + 20; lag += 19) lags.push_back(lag);
  for (const Filter& c : filters) {
    std::vector<double> squared_rows(n);
    for (std::size_t t = 0; t < n; ++t) squared_rows[t] = c.row()(t) * c.row()(t);
    const std::vector<double> bounds = gram_lag_bounds(c, lags);
    for (std::size_t m = 0; m < lags.size(); ++m) {
      const double slow = lags[m] < n ? slow_monotone_bound(c, squared_rows, lags[m]) : 0;
      ASSERT_GE(bounds[m], slow) << lags[m];
      ASSERT_LE(bounds[m], slow * (1 + 1e-11)) << lags[m];  // rounded up by 2^-40
    }
  }
}

/// Largest |(C'C)_ij| over columns at least `lag` apart, all of them against the first and those near the
/// end.
double some_gram_entries(const Filter& c, std::size_t lag) {
  const std::size_t n = c.steps();
  const std::vector<double> core = c.core().coefficients(n);
  double largest = 0;
  for (std::size_t i = 0; i + lag < n; i += 61) {
    for (std::size_t j = i + lag; j < n; j += 53) {
      double product = 0;
      for (std::size_t t = j; t < n; ++t) product += core[t - i] * core[t - j];
      largest = std::max(largest, std::abs(product * c.column()(i) * c.column()(j)));
    }
  }
  return largest;
}

TEST(GramBounds, OfLagTapsAreSoundOnLongHorizons) {
  const std::size_t n = 4300;
  Toeplitz core = samples::blt({.98, .8}, {.93, .3});
  core.lag_taps = {{100, .4}, {200, .2}, {300, .1}};
  const Filter c = Filter::column_normalised(n, core);
  const std::vector<std::size_t> lags{0, 1, 99, 100, 350, 4000};
  const std::vector<double> bounds = gram_lag_bounds(c, lags);
  EXPECT_EQ(bounds[0], 1);
  for (std::size_t m = 0; m < lags.size(); ++m) {
    EXPECT_GE(bounds[m], some_gram_entries(c, lags[m]) * (1 - 1e-12)) << lags[m];
    if (m > 0) {
      EXPECT_LE(bounds[m], bounds[m - 1]);
    }
  }
  EXPECT_LT(bounds.back(), .1);
}

// Columns that are scaled alike are summed once for all of them.
TEST(GramBounds, OfLagTapsAreThoseOfAllColumns) {
  const std::size_t n = 4300;
  Toeplitz core = samples::blt({.98, .8}, {.93, .3});
  core.lag_taps = {{100, .4}, {200, .2}, {300, .1}};
  const Filter c = Filter::column_normalised(n, core);
  std::vector<double> envelope = core.coefficients(n);
  double largest = 0;
  for (std::size_t k = n; k-- > 0;) envelope[k] = largest = std::max(largest, std::abs(envelope[k]));
  std::vector<std::size_t> lags;
  for (std::size_t lag = 0; lag < n; lag += 23) lags.push_back(lag);
  const std::vector<double> bounds = gram_lag_bounds(c, lags);
  for (std::size_t m = 0; m < lags.size(); ++m) {
    const std::size_t lag = lags[m];
    long double product = 0;
    double slow = 0;
    for (std::size_t j = n; j-- > lag;) {
      product +=
          static_cast<long double>(envelope[n - 1 - j]) * static_cast<long double>(envelope[n - 1 - j + lag]);
      slow = std::max(slow, c.column()(j - lag) * c.column()(j) * static_cast<double>(product));
    }
    slow = std::min(slow, 1.0);
    EXPECT_GE(bounds[m], slow * (1 - 1e-15)) << lag;  // columns are scaled in double
    EXPECT_LE(bounds[m], slow * (1 + 1e-13)) << lag;
  }
}

TEST(GramBounds, WithoutEndAreSoundAndReachedLateInTheStream) {
  // Columns of `steps` steps more than the lags compared: by then e^-40 of them is left.
  const std::size_t n = 400, whole = 4000;
  const Toeplitz core = samples::blt({.99, .8}, {.95, .3});
  for (const double power : {0.0, -.3, -.9}) {
    const Schedule row = power == 0 ? Schedule() : Schedule::power(2, power, whole, 1, 0);
    const Filter endless = Filter::endless_column_normalised(n, core, row);
    const Filter longer = Filter::endless_column_normalised(whole, core, row);
    const Eigen::MatrixXd dense = longer.to_dense();
    const Eigen::MatrixXd gram = dense.leftCols(n).transpose() * dense.leftCols(n);
    for (const std::size_t lag : {0ul, 1ul, 10ul, 100ul, 399ul}) {
      const std::vector<std::size_t> lags{lag};
      double largest = 0;
      for (std::size_t l = lag; l < n; ++l) {
        largest = std::max(largest, gram.diagonal(static_cast<Eigen::Index>(l)).cwiseAbs().maxCoeff());
      }
      const double bound = gram_lag_bounds(endless, lags)[0];
      EXPECT_GE(bound, largest) << power << " " << lag;
      if (power == 0) {
        EXPECT_NEAR(bound, largest, 1e-9) << lag;
      }
    }
  }
}

TEST(GramBounds, SayWhatIsPossibleWhereTheyAreNot) {
  const std::size_t n = 5000;
  const Schedule schedule = Schedule::values(std::vector<double>(n, 2.0));
  const std::vector<std::size_t> lags{1};
  EXPECT_THAT(([&] {
                (void)gram_lag_bounds(Filter::toeplitz(n, {.taps = {1, -.5}}, schedule), lags);
              }),
              ThrowsMessage<InvalidParameter>(HasSubstr("steps = 5000: must be at most 4096")));
}

}  // namespace
}  // namespace jme
