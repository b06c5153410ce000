#include "filter/correlation.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace jme {
namespace {

std::vector<double> falling(std::size_t size, double power, double rate, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> values(size);
  for (std::size_t k = 0; k < size; ++k) {
    const auto at = static_cast<double>(k);
    values[k] = std::pow(at + 1, -power) * std::exp(-rate * at) * uniform(random);
  }
  return values;
}

std::vector<std::size_t> lags_up_to(std::size_t end, std::size_t stride = 1) {
  std::vector<std::size_t> lags;
  for (std::size_t lag = 0; lag < end; lag += stride) lags.push_back(lag);
  return lags;
}

long double slow_sum(const std::vector<double>& a, const std::vector<double>& b, std::size_t lag) {
  long double sum = 0;
  for (std::size_t k = 0; k < a.size() && k + lag < b.size(); ++k) {
    sum += static_cast<long double>(a[k]) * static_cast<long double>(b[k + lag]);
  }
  return sum;
}

double norm_of(const std::vector<double>& values) {
  return std::sqrt(static_cast<double>(slow_sum(values, values, 0)));
}

/// Never below the sum, and above it by no more than the transform's stated error: 64 (22 + 1) + blocks units
/// of extended precision, here below 2^-52.
void expect_sums(const std::vector<double>& a, const std::vector<double>& b,
                 const std::vector<std::size_t>& lags, const CorrelationLimits& limits) {
  const std::vector<double> bounds = correlation_bounds(a, b, lags, limits);
  ASSERT_EQ(bounds.size(), lags.size());
  const long double slack = 0x1p-52L * static_cast<long double>(norm_of(a) * norm_of(b));
  for (std::size_t i = 0; i < lags.size(); ++i) {
    const long double exact = slow_sum(a, b, lags[i]);
    ASSERT_GE(bounds[i], exact) << lags[i];
    ASSERT_LE(bounds[i], exact * (1 + 0x1p-47L) + slack) << lags[i];
  }
}

constexpr CorrelationLimits always_transform{.direct_terms = 0};

TEST(Correlation, IsTheSumNeverBelowItByEitherWay) {
  std::mt19937_64 random(7);
  for (const std::size_t size : {1UL, 2UL, 3UL, 64UL, 700UL, 1500UL}) {
    for (const double power : {0.0, 0.5, 1.5}) {
      const std::vector<double> a = falling(size, power, 0, random);
      const std::vector<double> b = falling(size + size / 3, power / 2, 0, random);
      const std::vector<std::size_t> lags = lags_up_to(size + 5);
      expect_sums(a, b, lags, {});
      expect_sums(a, b, lags, always_transform);
      expect_sums(a, a, lags, always_transform);
    }
  }
}

TEST(Correlation, OfFewLagsGoesBlockByBlock) {
  std::mt19937_64 random(8);
  const std::vector<double> a = falling(30'000, 0.5, 0, random);
  expect_sums(a, a, lags_up_to(700, 3), always_transform);
}

TEST(Correlation, OfManyLagsGoesWindowByWindow) {
  std::mt19937_64 random(9);
  const std::vector<double> a = falling(5'000, 0.5, 0, random);
  expect_sums(a, a, lags_up_to(5'000, 7), {.direct_terms = 0, .largest_transform = 1024});
}

// At lags where hardly anything overlaps, the transform's error is limited by the norms of the parts that
// overlap.
TEST(Correlation, FallsAsFastAsWhatItAdds) {
  std::mt19937_64 random(10);
  std::vector<double> a = falling(4'000, 0, 0.05, random);
  a.resize(6'000, 0.0);
  const std::vector<double> bounds = correlation_bounds(a, a, lags_up_to(6'000), always_transform);
  for (std::size_t lag = 0; lag < 4'000; ++lag) {
    ASSERT_LE(bounds[lag], 10 * std::exp(-0.05 * static_cast<double>(lag))) << lag;
  }
  for (std::size_t lag = 4'000; lag < 6'000; ++lag) ASSERT_EQ(bounds[lag], 0) << lag;
}

}  // namespace
}  // namespace jme
