#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace jme {

/// Up to where sums are quick enough one by one, and the longest transform; tests use small values.
struct CorrelationLimits {
  std::size_t direct_terms = std::size_t{1} << 24;  // less than a tenth of a second
  std::size_t largest_transform = std::size_t{1} << 22;
};

/// sum over k of a_k b_{k+lag} for every lag asked for, a and b non-negative and zero beyond their ends.
/// Never below the exact sum. Few lags are summed one by one; many go through a Fourier transform in extended
/// precision, whose error is bounded and added.
[[nodiscard]] std::vector<double> correlation_bounds(std::span<const double> a, std::span<const double> b,
                                                     std::span<const std::size_t> lags,
                                                     const CorrelationLimits& limits = {});

}  // namespace jme
