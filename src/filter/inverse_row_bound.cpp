#include <algorithm>
#include <cmath>
#include <limits>

#include "filter/inverse_modes.hpp"
#include "filter/norms.hpp"

namespace jme {

double largest_squared_inverse_row_norm(const Filter& c) {
  return error_norm_totals(Filter::identity(c.steps()), c).largest;
}

// Row t of C^-1 is b_{t-s} / (column_t row_s), b the coefficients of the core's inverse: the first is
// positive, the others are negative and their moduli sum to less than it (inverse_modes.hpp), so that ||b||_2
// <= sqrt(2) b_0.
double inverse_row_norm_bound(const Filter& c) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Toeplitz& core = c.core();
  if (c.is_dense() || c.last_row() || !inverse_modes(core)) return infinity;
  const double core_bound = std::sqrt(2.0) / core.taps[0];
  if (c.is_toeplitz()) return core_bound;
  // For columns without end no schedule rises: 1 / (column_t row_s) <= ||column t of diag(row) T|| / row_t <=
  // ||T||.
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
