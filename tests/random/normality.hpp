#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

// Tests of "these numbers are independent N(0,1)" whose thresholds are derived, each with a false alarm below
// 1e-9.
namespace jme {

inline constexpr double log_false_alarm = 21.5;  // -log(1e-9 / 2), for two-sided tests

inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

/// Mean of z^k against its expectation. Bernstein: P(|mean - mu| > t) <= 2 exp(-N t^2 / (2 (V + b t / 3)))
/// for summands bounded by b; here b = 8.5^k, which N <= 1e7 normals pass with probability below 2e-10.
inline bool moment_is_normal(std::span<const double> z, int k) {
  const auto double_factorial = [](int m) {
    double product = 1;
    for (; m > 1; m -= 2) product *= m;
    return product;
  };
  const double expected = k % 2 == 0 ? double_factorial(k - 1) : 0;
  const double variance = double_factorial(2 * k - 1) - expected * expected;
  const double bound = std::pow(8.5, k);
  const auto n = static_cast<double>(z.size());
  const double half = log_false_alarm * bound / (3 * n);
  const double threshold = half + std::sqrt(half * half + 2 * log_false_alarm * variance / n);
  double sum = 0;
  for (const double x : z) {
    double power = 1;
    for (int i = 0; i < k; ++i) power *= x;
    sum += power;
  }
  return std::abs(sum / n - expected) <= threshold;
}

/// Pearson's statistic of equiprobable cells. Laurent & Massart 2000: P(chi2_f > f + 2 sqrt(f x) + 2 x) <=
/// exp(-x).
inline bool cells_are_equiprobable(std::span<const double> counts) {
  double total = 0;
  for (const double c : counts) total += c;
  const double expected = total / static_cast<double>(counts.size());
  double statistic = 0;
  for (const double c : counts) statistic += (c - expected) * (c - expected) / expected;
  const auto freedom = static_cast<double>(counts.size() - 1);
  return statistic <= freedom + 2 * std::sqrt(freedom * log_false_alarm) + 2 * log_false_alarm;
}

inline std::size_t cell(double z, std::size_t cells) {
  return std::min(cells - 1, static_cast<std::size_t>(normal_cdf(z) * static_cast<double>(cells)));
}

inline bool distribution_is_normal(std::span<const double> z) {
  std::vector<double> counts(1000, 0.0);
  for (const double x : z) counts[cell(x, counts.size())] += 1;
  return cells_are_equiprobable(counts);
}

/// Joint cells of (z_i, z_{i + lag}) for i = 0, stride, 2 stride, ...
inline bool pairs_are_independent(std::span<const double> z, std::size_t lag, std::size_t stride) {
  constexpr std::size_t side = 32;
  std::vector<double> counts(side * side, 0.0);
  for (std::size_t i = 0; i + lag < z.size(); i += stride) {
    counts[cell(z[i], side) * side + cell(z[i + lag], side)] += 1;
  }
  return cells_are_equiprobable(counts);
}

/// Number of |z| > x among `draws` against its expectation m. Bernstein again, summands 0 or 1.
inline bool tail_count_is_normal(double count, double draws, double x) {
  const double m = draws * std::erfc(x / std::sqrt(2.0));
  const double half = log_false_alarm / 3;
  return std::abs(count - m) <= half + std::sqrt(half * half + 2 * log_false_alarm * m);
}

inline double tail_count(std::span<const double> z, double x) {
  return static_cast<double>(std::count_if(z.begin(), z.end(), [=](double v) { return std::abs(v) > x; }));
}

}  // namespace jme
