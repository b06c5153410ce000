#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// The inverse of one tap and modes, as one tap and modes: b_0 = tap, b_k = sum_j weight_j pole_j^(k-1).
struct InverseModes {
  double tap;
  std::vector<double> weights;  ///< all negative
  std::vector<double> poles;    ///< in (0, 1), falling
  std::vector<double> gaps;     ///< 1 - pole, to its last digits
};

/// Exists where c_0 > sum_i w_i / p_i with all w_i, p_i > 0 (BLTs); otherwise nothing is returned. With theta
/// = 1/x the core is
///     F(theta) = c_0 + sum_i w_i / (theta - p_i),
/// which falls between its poles, so that 1/F has one pole theta_j below each p_i, the last one above 0, and
///     1/F = 1/c_0 + sum_j r_j / (theta - theta_j),   r_j = 1/F'(theta_j) < 0.
/// Its coefficients except the first are negative and sum to more than -b_0, because F(1) > 0.
[[nodiscard]] std::optional<InverseModes> inverse_modes(const Toeplitz& core);

}  // namespace jme
