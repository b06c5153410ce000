#include "filter/lagged_norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "filter/compensated_sum.hpp"
#include "filter/series.hpp"

namespace jme {
namespace {

/// The most products that error norms may take: some hundredths of a second.
constexpr std::size_t most_products = std::size_t{1} << 25;

double sum_of_moduli(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

std::size_t longest_lag(const Toeplitz& core) {
  std::size_t lag = 0;
  for (const LagTap& tap : core.lag_taps) lag = std::max(lag, tap.lag);
  return lag;
}

double tap_sum(const Toeplitz& core) {
  double sum = 0;
  for (const LagTap& tap : core.lag_taps) sum += std::abs(tap.weight);
  return sum;
}

/// Coefficients of the core or its inverse up to where they no longer matter: a stretch as long as the
/// longest lag below 2^-60 of the largest. What follows such a stretch stays that small: the series itself
/// falls, and the lag taps bring back at most sum_i |a_i| < 1 times what there was. Otherwise all `steps`
/// coefficients.
template <typename Coefficients>
std::vector<double> settled(const Toeplitz& core, std::size_t steps, const Coefficients& coefficients) {
  const std::size_t lag = longest_lag(core);
  if (tap_sum(core) >= 1) return coefficients(steps);
  for (std::size_t length = std::min(steps, 16 * lag + 256);; length = std::min(steps, 2 * length)) {
    std::vector<double> values = coefficients(length);
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    std::size_t noticed = values.size();
    while (noticed > 1 && std::abs(values[noticed - 1]) < 0x1p-60 * largest) --noticed;
    if (length == steps || noticed + lag <= length) {
      values.resize(noticed);
      return values;
    }
  }
}

std::vector<double> settled_coefficients(const Toeplitz& core, std::size_t steps) {
  return settled(core, steps, [&](std::size_t length) { return core.coefficients(length); });
}

std::vector<double> settled_inverse(const Toeplitz& core, std::size_t steps) {
  return settled(core, steps, [&](std::size_t length) { return core.inverse_coefficients(length); });
}

}  // namespace

// Column j of T is c_0 .. c_{n-1-j}, with c = t / (1 + sum_i a_i x^lag_i) for the series t without lag taps.
// Computed coefficients satisfy the recursion up to 2 u (|t_m| + sum_i |a_i c_{m-lag_i}|) in every step, and
// this error reaches later coefficients through g = 1 / (1 + sum_i a_i x^lag_i): together at most
//     2 u ||g||_1 (||t||_2 + sum_i |a_i| ||c||_2)
// in the 2-norm, where ||t||_2 <= (1 + sum_i |a_i|) ||c||_2. The series itself and the sums of squares lose u
// per step; coefficients that are cut off are below 2^-60 of the largest one, so they are below n 2^-120 of
// the sum.
Schedule lagged_inverse_column_norms(const Toeplitz& core, std::size_t steps) {
  const std::vector<double> c = settled_coefficients(core, steps);
  Toeplitz lags;
  lags.lag_taps = core.lag_taps;
  const double reach = sum_of_moduli(settled_coefficients(lags, steps));
  const double up = 1 + 4 * std::numeric_limits<double>::epsilon() *
                            (static_cast<double>(steps) + 16 + 2 * reach * (1 + tap_sum(core)));
  // numbers[m] is for the column that ends m steps after its start; the first columns are the longest.
  std::vector<double> numbers(c.size());
  double squares = 0;
  for (std::size_t m = 0; m < c.size(); ++m) {
    squares += c[m] * c[m];
    numbers[m] = 1 / (std::sqrt(squares) * up);
  }
  const double settled = numbers.back();
  const std::size_t longest = std::max<std::size_t>(1, most_products / settled_inverse(core, steps).size());
  numbers.resize(std::min(numbers.size(), longest));
  while (!numbers.empty() && numbers.back() == settled) numbers.pop_back();
  std::reverse(numbers.begin(), numbers.end());
  numbers.shrink_to_fit();
  return Schedule::constant_until(steps, settled, std::move(numbers));
}

bool has_lagged_error_norms(const Filter& a, const Filter& c) {
  if (a.is_dense() || c.is_dense() || a.last_row() || c.last_row()) return false;
  const bool window = !a.core().inverted && a.core().lag_taps.empty() && is_window(a.core());
  return !c.lag_taps().empty() && c.row().is_one() && a.column().is_one() && window &&
         c.column().constant_steps().has_value();
}

// Row t of A D T^-1 with D = d + delta, delta zero before the last steps: d g_{t-s} + f_t(s), g the
// coefficients of A T^-1, and f_t(s) the window's sum of delta_i b_{i-s}, which gains and loses one term per
// step.
std::vector<double> lagged_error_norms(const Filter& a, const Filter& c) {
  const std::size_t n = a.steps(), window = a.core().taps.size(), first = *c.column().constant_steps();
  const double tap = a.core().taps[0];
  std::vector<double> b = settled_inverse(c.core(), n);
  const std::size_t memory = b.size(), response = std::min(n, memory + window);
  b.resize(response, 0.0);
  const std::vector<double> g = apply_core(a.core(), b);
  ScheduleReader columns, columns_before;
  const double settled_norm = 1 / columns.at(c.column(), 0);
  std::vector<double> norms(n);
  CompensatedSum squares;
  for (std::size_t t = 0; t < n; ++t) {
    if (t < response) squares.add(g[t] * g[t]);
    norms[t] = settled_norm * settled_norm * squares.value();
  }
  // From the first step on that any release of a last step can see.
  const std::size_t begin = first - std::min(first, response);
  std::vector<double> f(n - begin, 0.0);  // by s, in units of the tap
  const auto add = [&](double weight, std::size_t i) {
    const std::size_t oldest = std::max(begin, i + 1 - std::min(i + 1, memory));
    for (std::size_t s = oldest; s <= i; ++s) f[s - begin] += weight * b[i - s];
  };
  for (std::size_t t = first; t < n; ++t) {
    add(1 / columns.at(c.column(), t) - settled_norm, t);
    if (t >= first + window) add(settled_norm - 1 / columns_before.at(c.column(), t - window), t - window);
    double mixed = 0, own = 0;
    for (std::size_t s = std::max(begin, t + 1 - std::min(t + 1, response)); s <= t; ++s) {
      mixed += g[t - s] * f[s - begin];
      own += f[s - begin] * f[s - begin];
    }
    norms[t] = std::max(0.0, norms[t] + tap * (2 * settled_norm * mixed + tap * own));
  }
  ScheduleReader rows;
  for (std::size_t t = 0; t < n; ++t) {
    const double row = rows.at(a.row(), t);
    norms[t] *= row * row;
  }
  return norms;
}

}  // namespace jme
