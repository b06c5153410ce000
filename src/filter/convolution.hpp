#pragma once

#include <span>
#include <vector>

namespace jme {

/// y_t = sum over j <= t of kernel_j x_{t-j}, for every t of x. Sums directly while that is quick (and always
/// for a short kernel); longer products go through an FFT, whose error is about 1e-16 log(n) ||kernel|| ||x||
/// in every y_t.
[[nodiscard]] std::vector<double> convolve(std::span<const double> kernel, std::span<const double> x);

/// y_t = sum of the last `length` entries of x up to t. Adds prefixes and suffixes of blocks of `length` and
/// never subtracts (van Herk 1992 does the same for maxima), so that nothing drifts.
[[nodiscard]] std::vector<double> window_sums(std::span<const double> x, std::size_t length);

}  // namespace jme
