#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <jme/filter/norms.hpp>
#include <jme/noise/sampler_use.hpp>

namespace jme {

namespace {

/// Operations on a fresh value besides the terms of the filter: two schedules, the first tap, the scale, the
/// rounding.
constexpr double fixed_roundings = 6;

/// c(x) = c_0 + sum w_i x / (1 - p_i x) with p_i in (0, 1), w_i > 0 and c_0 >= sum w_i / p_i: a BLT, where
/// every partial sum of the feedback form has a transfer function of modulus at most 2 sqrt 2 (GUARANTEES).
bool is_blt(const Toeplitz& core) {
  if (core.inverted || core.taps.size() != 1 || core.modes.empty()) return false;
  double at_infinity = core.taps[0];
  for (const Mode& mode : core.modes) {
    if (!(mode.weight > 0 && mode.pole > 0 && mode.pole < 1)) return false;
    at_infinity -= mode.weight / mode.pole;
  }
  return at_infinity >= 0;
}

std::vector<double> running_sums_of_moduli(const std::vector<double>& values) {
  std::vector<double> sums;
  double sum = 0;
  for (const double v : values) sums.push_back(sum += std::abs(v));
  return sums;
}

struct RowBounds {
  double row_sum = 1;
  double roundings = 0;
  double memory = 1;
};

RowBounds dense_bounds(const Eigen::MatrixXd& lower, const std::vector<double>& noise_std) {
  RowBounds bounds;
  bounds.memory = static_cast<double>(lower.rows());
  const Eigen::MatrixXd inverse =
      lower.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(lower.rows(), lower.cols()));
  for (Eigen::Index t = 0; t < lower.rows(); ++t) {
    const double diagonal = std::abs(lower(t, t));
    bounds.row_sum = std::max({bounds.row_sum, lower.row(t).cwiseAbs().sum() / diagonal,
                               inverse.row(t).cwiseAbs().sum() * diagonal});
    // Partial sums z - sum_s C_ts x_s: no longer than the sum of the lengths.
    double partial = 1;
    for (Eigen::Index s = 0; s < t; ++s)
      partial += std::abs(lower(t, s)) * noise_std[static_cast<std::size_t>(s)];
    bounds.roundings = std::max(bounds.roundings, (static_cast<double>(t) + fixed_roundings) * partial);
  }
  return bounds;
}

/// Sum of the moduli of the impulse response from the scaled draws to any partial sum of a step.
double partial_response(const Toeplitz& core, const std::vector<double>& inverse, double inverse_sum) {
  double sum = 1;
  for (std::size_t j = 1; j < std::min(core.taps.size(), inverse.size()); ++j) {
    sum += std::abs(core.taps[j]) * inverse_sum;
  }
  for (const Mode& mode : core.modes) {
    double state = 0;
    for (const double value : inverse) {
      state = mode.pole * state + value;
      sum += std::abs(mode.weight * state);
    }
  }
  return sum;
}

RowBounds toeplitz_bounds(const Filter& shape, const std::vector<double>& noise_std) {
  const std::size_t n = shape.steps();
  const Toeplitz& core = shape.core();
  const auto sums = running_sums_of_moduli(core.coefficients(n));
  const std::vector<double> inverse = core.inverse_coefficients(n);
  const auto inverse_sums = running_sums_of_moduli(inverse);
  const double first = sums[0];
  const bool blt = is_blt(core);
  const bool series = core.inverted || (core.taps.size() >= n && !core.inverse_taps.empty());
  const double terms =
      static_cast<double>(std::min(core.taps.size(), n) - 1 + core.modes.size()) + fixed_roundings;
  // Series with modes: the modes are added one by one, each as long as its own geometric series at most.
  double tail_sum = 0;
  for (std::size_t j = 0; j < std::min(core.taps.size(), n); ++j)
    tail_sum += std::abs(core.taps[j] / core.taps[0]);
  for (const Mode& mode : core.modes)
    tail_sum += std::abs(mode.weight / core.taps[0]) / (1 - std::abs(mode.pole));
  RowBounds bounds;
  double largest_column = 0, smallest_row = shape.row()(0), largest_core_std = 0, largest_growth = 1;
  for (std::size_t t = 0; t < n; ++t) {
    const double row = shape.row()(t), column = shape.column()(t);
    largest_column = std::max(largest_column, column);
    smallest_row = std::min(smallest_row, row);
    const double growth = row / smallest_row;  // of 1 / row over the past, against now
    bounds.row_sum = std::max({bounds.row_sum, sums[t] / first * largest_column / column,
                               inverse_sums[t] / inverse_sums[0] * growth});
    const double fresh = 1 / (row * first * column);
    double partial = 0;  // standard deviation of a partial sum, over the fresh one
    if (blt) {
      partial = 2 * std::numbers::sqrt2 * growth;
    } else if (series && core.modes.empty()) {
      partial = noise_std[t] / fresh;  // of independent terms: no partial sum exceeds the whole
    } else if (series) {
      partial = tail_sum * growth;
    } else {
      partial = 1 + (sums[t] - first) * largest_core_std * row;
    }
    largest_core_std = std::max(largest_core_std, noise_std[t] * column);
    bounds.roundings = std::max(bounds.roundings, terms * partial);
    largest_growth = std::max(largest_growth, growth);
  }
  // Schur's test: the norm of the map from draws to partial sums is at most its largest row or column sum.
  const double response = series ? std::max(tail_sum, inverse_sums[n - 1] / inverse_sums[0])
                                 : partial_response(core, inverse, inverse_sums[n - 1]);
  bounds.memory = std::min(static_cast<double>(n), std::pow(response * largest_growth, 2));
  return bounds;
}

}  // namespace

SamplerUse sampler_use(const Filter& shape, std::span<const double> scale) {
  const std::size_t n = shape.steps();
  std::vector<double> noise_std = squared_inverse_row_norms(shape);
  for (double& value : noise_std) value = std::sqrt(value);
  const std::vector<double> squared_columns = squared_column_norms(shape);
  const RowBounds bounds =
      shape.is_dense() ? dense_bounds(shape.matrix(), noise_std) : toeplitz_bounds(shape, noise_std);

  SamplerUse use{.draws = static_cast<double>(n) * static_cast<double>(scale.size()),
                 .width = static_cast<double>(scale.size()),
                 .largest_fresh_std = 0,
                 .smallest_fresh_std = HUGE_VAL,
                 .roundings = bounds.roundings,
                 .memory = bounds.memory,
                 .column_ratio = 1,
                 .row_sum = bounds.row_sum};
  const auto [smallest, largest] = std::minmax_element(scale.begin(), scale.end());
  const double first = shape.is_dense() ? 1 : std::abs(shape.core().coefficients(1)[0]);
  for (std::size_t t = 0; t < n; ++t) {
    const auto i = static_cast<Eigen::Index>(t);
    const double diagonal =
        shape.is_dense() ? std::abs(shape.matrix()(i, i)) : first * shape.row()(t) * shape.column()(t);
    use.largest_fresh_std = std::max(use.largest_fresh_std, *largest / diagonal);
    use.smallest_fresh_std = std::min(use.smallest_fresh_std, *smallest / diagonal);
    use.column_ratio = std::max(use.column_ratio, std::sqrt(squared_columns[t]) / diagonal);
  }
  return use;
}

}  // namespace jme
