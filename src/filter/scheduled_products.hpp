#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// U_j = sum over t >= j of l_t^2 c_{t-j} c_{t-j+lag}, t < l.size() = n: the Gram entries (j-lag, j) of
/// diag(l) T, for j >= lag; lag 0: its squared column norms. c: the coefficients of the series (not
/// inverted). Taps by summation, modes by the backward recursion P_ab(i) = l_i^2 + p_a p_b P_ab(i+1).
[[nodiscard]] std::vector<double> scheduled_products(const Toeplitz& series,
                                                     std::span<const double> squared_rows, std::size_t lag);

/// H_j = sum over t >= j of l_t^2 c_{t-j} w p^(t-j) for a mode (w, p), by the same recursions: at lags from
/// taps.size() = K on, one mode's part of every U is p^(lag-K) H.
[[nodiscard]] std::vector<double> mode_products(const Toeplitz& series, std::span<const double> squared_rows,
                                                const Mode& mode);

}  // namespace jme
