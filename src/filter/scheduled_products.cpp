#include "filter/scheduled_products.hpp"

#include <algorithm>
#include <cmath>

namespace jme {

std::vector<double> scheduled_products(const Toeplitz& series, std::span<const double> squared_rows,
                                       std::size_t lag) {
  const std::size_t n = squared_rows.size();
  std::vector<double> products(n, 0.0);
  const std::size_t taps = std::min(series.taps.size(), n);
  const std::vector<double> c = series.coefficients(std::min(n, taps + lag));
  for (std::size_t m = 0; m < taps && m + lag < n; ++m) {
    const double pair = series.taps[m] * c[m + lag];
    if (pair == 0) continue;
    for (std::size_t j = 0; j + m < n; ++j) products[j] += squared_rows[j + m] * pair;
  }
  // Past the taps both factors are modes: c_{m+lag} = sum_a w_a p_a^lag p_a^(m-K).
  struct Pair {
    double weight, pole, sum;
  };
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < series.modes.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const Mode &x = series.modes[a], &y = series.modes[b];
      const double lags =
          std::pow(x.pole, static_cast<double>(lag)) + std::pow(y.pole, static_cast<double>(lag));
      pairs.push_back({x.weight * y.weight * (a == b ? lags / 2 : lags), x.pole * y.pole, 0.0});
    }
  }
  for (std::size_t i = n; i-- > taps;) {
    double tail = 0;
    for (Pair& pair : pairs) {
      pair.sum = squared_rows[i] + pair.pole * pair.sum;
      tail += pair.weight * pair.sum;
    }
    products[i - taps] += tail;
  }
  return products;
}

std::vector<double> mode_products(const Toeplitz& series, std::span<const double> squared_rows,
                                  const Mode& mode) {
  const std::size_t n = squared_rows.size();
  const std::size_t taps = std::min(series.taps.size(), n);
  std::vector<double> products(n, 0.0);
  for (std::size_t m = 0; m < taps; ++m) {
    const double factor = series.taps[m] * mode.weight * std::pow(mode.pole, static_cast<double>(m));
    for (std::size_t j = 0; j + m < n; ++j) products[j] += squared_rows[j + m] * factor;
  }
  const double first = mode.weight * std::pow(mode.pole, static_cast<double>(taps));
  std::vector<double> sums(series.modes.size(), 0.0);
  for (std::size_t i = n; i-- > taps;) {
    double tail = 0;
    for (std::size_t b = 0; b < sums.size(); ++b) {
      const Mode& other = series.modes[b];
      sums[b] = squared_rows[i] + mode.pole * other.pole * sums[b];
      tail += other.weight * sums[b];
    }
    products[i - taps] += first * tail;
  }
  return products;
}

}  // namespace jme
