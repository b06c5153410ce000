#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/filter/norms.hpp>

namespace jme {

double largest_squared_inverse_row_norm(const Filter& c) {
  return error_norm_totals(Filter::identity(c.steps()), c).largest;
}

// Row t of C^-1 is b_{t-s} / (column_t row_s), b the coefficients of the core's inverse. Where c_0 > sum_i
// w_i / p_i and all w_i, p_i > 0, only b_0 = 1 / c_0 is positive and the others sum to less than it (the core
// is c_0 / (1 - f) with coefficients of f that are positive and sum to less than 1): ||b||_2 <= sqrt(2) /
// c_0.
double inverse_row_norm_bound(const Filter& c) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Toeplitz& core = c.core();
  if (c.is_dense() || c.last_row() || core.inverted || core.taps.size() != 1 || !core.lag_taps.empty()) {
    return infinity;
  }
  double rest = core.taps[0];
  for (const Mode& mode : core.modes) {
    if (!(mode.weight > 0 && mode.pole > 0 && mode.pole < 1)) return infinity;
    rest -= mode.weight / mode.pole;
  }
  if (!(rest > 0)) return infinity;
  const double core_bound = std::sqrt(2.0) / core.taps[0];
  if (c.is_toeplitz()) return core_bound;
  // Without end no schedule rises: 1 / (column_t row_s) <= ||column t of diag(row) T|| / row_t <= ||T||.
  if (c.is_endless()) return core_bound * endless_column_norm(core) * (1 + 0x1p-12);
  ScheduleReader rows, columns;
  double smallest_row = infinity, largest = 0;
  for (std::size_t t = 0; t < c.steps(); ++t) {
    smallest_row = std::min(smallest_row, rows.at(c.row(), t));
    largest = std::max(largest, 1 / (columns.at(c.column(), t) * smallest_row));
  }
  return core_bound * largest * (1 + 0x1p-40);
}

}  // namespace jme
