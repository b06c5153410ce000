#include "filter/lagged_norms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace jme {
namespace {

double sum_of_moduli(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

}  // namespace

// Column j of T is c_0 .. c_{n-1-j}, with c = t / (1 + sum_i a_i x^lag_i) for the series t without lag taps.
// Computed coefficients satisfy the recursion up to 2 u (|t_m| + sum_i |a_i c_{m-lag_i}|) in every step, and
// that reaches later ones through g = 1 / (1 + sum_i a_i x^lag_i): together at most
//     2 u ||g||_1 (||t||_2 + sum_i |a_i| ||c||_2)
// in the 2-norm, where ||t||_2 <= (1 + sum_i |a_i|) ||c||_2. The series itself and the sums of squares lose
// u a step.
Schedule lagged_inverse_column_norms(const Toeplitz& core, std::size_t steps) {
  const std::vector<double> c = core.coefficients(steps);
  const Toeplitz lags{
      .taps = {1.0}, .modes = {}, .inverted = false, .inverse_taps = {}, .lag_taps = core.lag_taps};
  const double reach = sum_of_moduli(lags.coefficients(steps));
  double weights = 1;
  for (const LagTap& tap : core.lag_taps) weights += std::abs(tap.weight);
  const double up = 1 + 4 * std::numeric_limits<double>::epsilon() *
                            (static_cast<double>(steps) + 16 + reach * (2 * weights));
  // numbers[m] is for the column that ends m steps after its start; the first columns are the longest.
  std::vector<double> numbers(steps);
  double squares = 0;
  for (std::size_t m = 0; m < steps; ++m) {
    squares += c[m] * c[m];
    numbers[m] = 1 / (std::sqrt(squares) * up);
  }
  const double settled = numbers.back();
  while (numbers.size() > 1 && numbers[numbers.size() - 2] == settled) numbers.pop_back();
  std::reverse(numbers.begin(), numbers.end());
  numbers.shrink_to_fit();
  return Schedule::constant_until(steps, settled, std::move(numbers));
}

}  // namespace jme
