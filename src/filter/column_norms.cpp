#include <algorithm>
#include <cmath>
#include <limits>

#include "filter/cascade.hpp"
#include "filter/compensated_sum.hpp"
#include "filter/norms.hpp"
#include "filter/scheduled_products.hpp"
#include "filter/series.hpp"

namespace jme {
namespace {

// Column i of a Toeplitz matrix is c_0 .. c_{n-1-i}.
std::vector<double> unscheduled(const Toeplitz& core, std::size_t n) {
  const std::vector<double> c = core.coefficients(n);
  std::vector<double> norms(n);
  CompensatedSum sum;
  for (std::size_t k = 0; k < n; ++k) {
    sum.add(c[k] * c[k]);
    norms[n - 1 - k] = sum.value();
  }
  return norms;
}

std::vector<double> scheduled(const Toeplitz& core, const Schedule& row, std::size_t n) {
  if (!core.lag_taps.empty()) return scheduled({.taps = core.coefficients(n)}, row, n);
  if (!core.inverted) {
    std::vector<double> squares(n);
    row.fill(0, squares);
    for (double& square : squares) square *= square;
    return scheduled_products(core, squares, 0);
  }
  // Read backwards, (L T)' is T L: its row norms are the variances of noise with the reversed schedule behind
  // T.
  std::vector<double> noise(n);
  row.fill(0, noise);
  std::reverse(noise.begin(), noise.end());
  const std::vector<double> ones(n, 1.0);
  const Cascade cascade{.first = {.series = &core, .feedback = true}, .noise = noise, .gain = ones};
  if (states(cascade) <= max_cascade_states) {
    std::vector<double> norms = output_variances(cascade);
    std::reverse(norms.begin(), norms.end());
    return norms;
  }
  const Toeplitz explicit_core{
      .taps = core.coefficients(n), .modes = {}, .inverted = false, .inverse_taps = {}};
  return scheduled(explicit_core, row, n);
}

/// sum_{k < terms} (1 - gap)^k
double geometric_sum(double gap, double terms) {
  if (gap == 0 || terms == 0) return terms;
  return gap == 1 ? 1.0 : -std::expm1(terms * std::log1p(-gap)) / gap;
}

/// c_0^2 + sum over 0 < k <= terms of c_k^2 for one tap and positive modes: geometric sums over pairs, with
/// 1 - p_i p_k formed from the exact 1 - p. Rounded up: positive terms, a few roundings each.
double squared_norm(const Toeplitz& core, double terms) {
  double sum = core.taps[0] * core.taps[0];
  for (const Mode& x : core.modes) {
    for (const Mode& y : core.modes) {
      const double gap = (1 - x.pole) + (1 - y.pole) - (1 - x.pole) * (1 - y.pole);
      sum += x.weight * y.weight * geometric_sum(gap, terms);
    }
  }
  return core.modes.empty() ? sum : sum * (1 + 0x1p-44);
}

bool has_positive_modes(const Toeplitz& core) {
  return !core.inverted && core.taps.size() == 1 && core.lag_taps.empty() &&
         std::ranges::all_of(core.modes, [](const Mode& mode) {
           return mode.weight > 0 && mode.pole >= 0 && mode.pole <= 1;
         });
}

}  // namespace

double endless_column_norm(const Toeplitz& core) {
  return std::sqrt(squared_norm(core, std::numeric_limits<double>::infinity())) * (1 + 0x1p-50);
}

bool first_column_is_largest(const Filter& c) {
  return c.has_unit_columns() || c.is_toeplitz();
}

double largest_squared_column_norm(const Filter& c) {
  if (c.has_unit_columns()) return 1;
  if (c.is_toeplitz()) {
    if (has_positive_modes(c.core())) return squared_norm(c.core(), static_cast<double>(c.steps() - 1));
    CompensatedSum sum;
    for (const double coefficient : core_response(c.core(), c.steps())) sum.add(coefficient * coefficient);
    return sum.value();
  }
  const std::vector<double> norms = squared_column_norms(c);
  return *std::max_element(norms.begin(), norms.end());
}

std::vector<double> squared_column_norms(const Filter& c) {
  const std::size_t n = c.steps();
  std::vector<double> norms(n);
  if (c.is_dense()) {
    for (std::size_t i = 0; i < n; ++i) norms[i] = c.matrix().col(static_cast<Eigen::Index>(i)).squaredNorm();
    return norms;
  }
  // A replaced last row is added by itself to the columns of the rows before it.
  const std::size_t regular = c.last_row() ? n - 1 : n;
  norms = c.row().is_one() ? unscheduled(c.core(), regular) : scheduled(c.core(), c.row(), regular);
  // The recursions round once per step. A sensitivity is computed from these norms, so they may only come out
  // too large.
  const double rounding =
      c.row().is_one() ? 1 : 1 + 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(n);
  norms.resize(n, 0.0);
  ScheduleReader columns;
  for (std::size_t i = 0; i < n; ++i) {
    const double column = columns.at(c.column(), i);
    norms[i] *= rounding * column * column;
    if (c.last_row()) norms[i] += (*c.last_row())[i] * (*c.last_row())[i];
  }
  return norms;
}

}  // namespace jme
