#pragma once

#include <cstddef>
#include <span>

namespace jme::shaping {

/// What a scaled BLT is optimised for.
struct ScaledBltProblem {
  std::size_t steps;
  double decay = 1;   ///< per step; 1 for prefix and mean
  bool mean = false;  ///< release t is divided by t
  double exponent =
      1;  ///< 1: rmse. Large: the loss is an L_exponent norm of the variances, close to their maximum
};

/// log of (1/n sum_t v_t^exponent)^(1/exponent), v_t = ||row t of A C^-1||^2 and C = L T D^-1 of the
/// coordinates `x` (coordinates.hpp, ceiling = decay): twice the log of the rmse where exponent = 1, as every
/// column of C has norm 1. Exact, O(n p^2) time and memory; writes the gradient, computed by the adjoint
/// recursions.
[[nodiscard]] double scaled_blt_log_loss(const ScaledBltProblem& problem, std::span<const double> x,
                                         std::span<double> gradient);

}  // namespace jme::shaping
