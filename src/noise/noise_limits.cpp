#include "noise/noise_limits.hpp"

#include <cmath>

#include <jme/base/errors.hpp>

#include "filter/norms.hpp"

namespace jme {

namespace {

constexpr double noise_limit = 0x1p50;
constexpr double noise_reach = 16;  // in standard deviations: 13 and what rounding and neighbours add
constexpr std::size_t step_limit = std::size_t{1} << 26;

}  // namespace

void check_noise_limits(const Filter& shape, const NoiseScale& scale) {
  if (shape.steps() > step_limit) {
    throw InvalidParameter("steps", static_cast<double>(shape.steps()), "at most 2^26");
  }
  if (!(scale.smallest() > 0) || !std::isfinite(scale.largest())) {
    throw InvalidParameter("sigma", "its noise must be finite and above 0");
  }
  // First a bound that costs little: it is nearly always enough.
  const double longest_allowed = noise_limit / (noise_reach * scale.largest());
  if (inverse_row_norm_bound(shape) < longest_allowed) return;
  if (!(std::sqrt(largest_squared_inverse_row_norm(shape)) < longest_allowed)) {
    throw InvalidParameter("sigma", "its noise could reach 2^50 lattice units, too much for exact sums");
  }
}

}  // namespace jme
