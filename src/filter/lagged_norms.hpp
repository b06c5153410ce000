#pragma once

#include <cstddef>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// 1 / ||column t of T||, rounded down, for a core T with lag taps over `steps` steps. The first columns,
/// whose norms no longer change, share one number. Where separate numbers for all later columns would make
/// error norms slow, only the last columns have their own, and the columns before them share that number too
/// (they are then divided by a little more than their norm).
[[nodiscard]] Schedule lagged_inverse_column_norms(const Toeplitz& core, std::size_t steps);

/// squared_error_row_norms for a window or identity A and C = T D^-1 with lag taps, D constant except for its
/// last steps (`last` of them): O(n + last * memory of C^-1).
[[nodiscard]] std::vector<double> lagged_error_norms(const Filter& a, const Filter& c);
[[nodiscard]] bool has_lagged_error_norms(const Filter& a, const Filter& c);

}  // namespace jme
