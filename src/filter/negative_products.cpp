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

bool is_diagonal(const Toeplitz& core) {
  return core.taps.size() == 1 && core.modes.empty() && !core.inverted && core.inverse_taps.empty() &&
         core.lag_taps.empty();
}

enum class Sign : int { negative = -1, positive = 1 };

// The largest entry of this sign off the diagonal, as a number of at least 0, where rows have no schedule:
// (C'C)_{j-l,j} = d_{j-l} d_j times the first n - j terms of sum_k c_k c_{k+l}.
double largest_by_lags(const std::vector<double>& series, const std::vector<double>& columns, Sign sign) {
  const std::size_t n = series.size();
  double largest = 0;
  for (std::size_t l = 1; l < n; ++l) {
    CompensatedSum product;
    for (std::size_t j = n; j-- > l;) {
      product.add(series[n - 1 - j] * series[n - 1 - j + l]);
      largest = std::max(largest, static_cast<int>(sign) * (columns[j - l] * columns[j] * product.value()));
    }
  }
  return largest;
}

double largest_dense(const Eigen::MatrixXd& matrix, Sign sign) {
  Eigen::MatrixXd gram = static_cast<int>(sign) * (matrix.transpose() * matrix);
  gram.diagonal().setZero();
  return std::max(0.0, gram.maxCoeff());
}

// Over the largest squared column norm; 1, by Cauchy and Schwarz, where it would take long.
double product_bound(const Filter& c, Sign sign) {
  const std::size_t n = c.steps();
  const double largest = largest_squared_column_norm(c);
  const auto bounded = [&](double product) { return std::min(1.0, product / largest + for_rounding); };
  if (c.is_dense()) return bounded(largest_dense(c.matrix(), sign));
  if (c.is_endless() || c.last_row() || n > most_steps_read) return 1;
  if (c.row().is_one() && n <= most_steps_by_lags) {
    std::vector<double> columns(n);
    c.column().fill(0, columns);
    return bounded(largest_by_lags(c.core().coefficients(n), columns, sign));
  }
  return n <= most_dense_steps ? bounded(largest_dense(c.to_dense(), sign)) : 1;
}

}  // namespace

double negative_product_bound(const Filter& c) {
  if (!c.is_dense() && has_only_positive_modes(c.core())) return 0;  // schedules are positive
  const bool has_series = !c.is_dense() && !c.is_endless() && !c.last_row() && c.steps() <= most_steps_read;
  if (has_series) {
    const std::vector<double> series = c.core().coefficients(c.steps());
    if (std::ranges::all_of(series, [](double tap) { return tap >= 0; })) return 0;
  }
  return product_bound(c, Sign::negative);
}

double positive_product_bound(const Filter& c) {
  const bool is_plain = !c.is_dense() && !c.last_row();
  if (c.steps() == 1 || (is_plain && is_diagonal(c.core()))) return 0;
  return product_bound(c, Sign::positive);
}

}  // namespace jme
