#include <algorithm>
#include <cmath>
#include <vector>

#include "filter/compensated_sum.hpp"
#include "filter/norms.hpp"

namespace jme {
namespace {

constexpr std::size_t most_dense_steps = 1024;
constexpr std::size_t most_steps_by_lags = 8192;
constexpr std::size_t most_steps_read = std::size_t{1} << 22;
constexpr double for_rounding = 0x1p-40;

bool has_only_positive_modes(const Toeplitz& core) {
  return !core.inverted && core.inverse_taps.empty() && core.lag_taps.empty() &&
         std::ranges::all_of(core.taps, [](double tap) { return tap >= 0; }) &&
         std::ranges::all_of(core.modes, [](const Mode& mode) { return mode.weight >= 0 && mode.pole >= 0; });
}

// The smallest entry off the diagonal, where rows have no schedule: (C'C)_{j-l,j} = d_{j-l} d_j times the
// first n - j terms of sum_k c_k c_{k+l}.
double smallest_by_lags(const std::vector<double>& series, const std::vector<double>& columns) {
  const std::size_t n = series.size();
  double smallest = 0;
  for (std::size_t l = 1; l < n; ++l) {
    CompensatedSum product;
    for (std::size_t j = n; j-- > l;) {
      product.add(series[n - 1 - j] * series[n - 1 - j + l]);
      smallest = std::min(smallest, columns[j - l] * columns[j] * product.value());
    }
  }
  return smallest;
}

double smallest_dense(const Eigen::MatrixXd& matrix) {
  Eigen::MatrixXd gram = matrix.transpose() * matrix;
  gram.diagonal().setZero();
  return std::min(0.0, gram.minCoeff());
}

}  // namespace

double negative_product_bound(const Filter& c) {
  const std::size_t n = c.steps();
  if (!c.is_dense() && has_only_positive_modes(c.core())) return 0;  // schedules are positive
  const double largest = largest_squared_column_norm(c);
  if (c.is_dense()) return std::min(1.0, -smallest_dense(c.matrix()) / largest + for_rounding);
  if (c.is_endless()) return 1;
  if (c.last_row() || n > most_steps_read) return 1;
  const std::vector<double> series = c.core().coefficients(n);
  if (std::ranges::all_of(series, [](double tap) { return tap >= 0; })) return 0;
  if (c.row().is_one() && n <= most_steps_by_lags) {
    std::vector<double> columns(n);
    c.column().fill(0, columns);
    return std::min(1.0, -smallest_by_lags(series, columns) / largest + for_rounding);
  }
  if (n <= most_dense_steps) return std::min(1.0, -smallest_dense(c.to_dense()) / largest + for_rounding);
  return 1;  // Cauchy and Schwarz
}

}  // namespace jme
