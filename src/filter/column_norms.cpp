#include <algorithm>
#include <limits>

#include <jme/filter/norms.hpp>

#include "filter/cascade.hpp"
#include "filter/compensated_sum.hpp"
#include "filter/scheduled_products.hpp"

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
    for (std::size_t t = 0; t < n; ++t) squares[t] = row(t) * row(t);
    return scheduled_products(core, squares, 0);
  }
  // Read backwards, (L T)' is T L: its row norms are the variances of noise with the reversed schedule behind
  // T.
  std::vector<double> noise(n);
  for (std::size_t t = 0; t < n; ++t) noise[n - 1 - t] = row(t);
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

}  // namespace

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
  // The recursions round once a step and a sensitivity is made of these norms: they may come out too large
  // only.
  const double rounding =
      c.row().is_one() ? 1 : 1 + 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(n);
  norms.resize(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    norms[i] *= rounding * c.column()(i) * c.column()(i);
    if (c.last_row()) norms[i] += (*c.last_row())[i] * (*c.last_row())[i];
  }
  return norms;
}

}  // namespace jme
