#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// ||column i of C||^2 for every i. O(n (taps + modes^2)) by recursion; dense only where C is.
[[nodiscard]] std::vector<double> squared_column_norms(const Filter& c);

/// The largest of them, or an upper bound of it within 1e-12: 1 where columns were divided by their norms, a
/// closed form for Toeplitz cores of one tap and modes.
[[nodiscard]] double largest_squared_column_norm(const Filter& c);
/// ||T||: the norm of a column without end, for one tap and modes with positive weights and poles in [0, 1).
/// Rounded up.
[[nodiscard]] double endless_column_norm(const Toeplitz& core);
/// True where no column is longer than the first one, or all have norm 1: then one number bounds them all.
[[nodiscard]] bool first_column_is_largest(const Filter& c);

/// ||row t of A C^-1||^2 for every t: the variance that unit noise gives release t.
/// O(n) where both are Toeplitz up to A's row schedule; O(n states^2) for filters of few states with
/// schedules; dense (n <= 4096) otherwise.
[[nodiscard]] std::vector<double> squared_error_row_norms(const Filter& a, const Filter& c);

/// Sum and maximum of these norms over the first `steps` steps (over all, if there are no more), without
/// keeping them all at once.
struct ErrorNormTotals {
  double sum, largest;
};
[[nodiscard]] ErrorNormTotals error_norm_totals(const Filter& a, const Filter& c,
                                                std::size_t steps = std::numeric_limits<std::size_t>::max());

/// ||weights C^-1||^2 for one release with these weights.
[[nodiscard]] double squared_error_row_norm(std::span<const double> weights, const Filter& c);

/// ||row t of C^-1||^2 = Q_tt for every t (PP's bias, docs/theory/calibration.md#post-processing).
[[nodiscard]] std::vector<double> squared_inverse_row_norms(const Filter& c);
/// The largest of them; where they can be streamed, the others are not kept.
[[nodiscard]] double largest_squared_inverse_row_norm(const Filter& c);
/// An upper bound of the norm of the longest row of C^-1, in the time it takes to read the schedules;
/// infinite where the core is not one tap and modes of positive weight.
[[nodiscard]] double inverse_row_norm_bound(const Filter& c);

/// Entries (C'C)_{i,j} of the Gram matrix bounded by lag: result[m] >= max over |i-j| >= lags[m] of
/// |(C'C)_ij|. Exact for dense filters and for non-negative non-increasing Toeplitz ones, an upper bound
/// otherwise (G of docs/theory/sensitivity.md#several-rows-of-one-person).
[[nodiscard]] std::vector<double> gram_lag_bounds(const Filter& c, std::span<const std::size_t> lags);

/// At least max(0, -min over i != j of (C'C)_ij) over the largest squared column norm, and at most 1: how far
/// two columns of C can point against each other. Exact, but for rounding, where it is quick to compute; 0
/// where C has no negative entry.
[[nodiscard]] double negative_product_bound(const Filter& c);
/// The same for max(0, max over i != j of (C'C)_ij): how far two columns of C can point the same way. 0 where
/// C is a diagonal.
[[nodiscard]] double positive_product_bound(const Filter& c);

}  // namespace jme
