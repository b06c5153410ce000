#pragma once

#include <span>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// ||column i of C||^2 for every i. O(n (taps + modes^2)) by recursion; dense only where C is.
[[nodiscard]] std::vector<double> squared_column_norms(const Filter& c);

/// ||row t of A C^-1||^2 for every t: the variance that unit noise gives release t.
/// O(n) where both are Toeplitz up to A's row schedule; O(n states^2) for filters of few states with
/// schedules; dense (n <= 4096) otherwise.
[[nodiscard]] std::vector<double> squared_error_row_norms(const Filter& a, const Filter& c);

/// ||weights C^-1||^2 for one release with these weights.
[[nodiscard]] double squared_error_row_norm(std::span<const double> weights, const Filter& c);

/// ||row t of C^-1||^2 = Q_tt for every t (PP's bias, MATH 4).
[[nodiscard]] std::vector<double> squared_inverse_row_norms(const Filter& c);

/// Entries (C'C)_{i,j} of the Gram matrix bounded by lag: result[m] >= max over |i-j| >= lags[m] of
/// |(C'C)_ij|. Exact for dense filters and for non-negative non-increasing Toeplitz ones, an upper bound
/// otherwise (MATH 3, G).
[[nodiscard]] std::vector<double> gram_lag_bounds(const Filter& c, std::span<const std::size_t> lags);

}  // namespace jme
