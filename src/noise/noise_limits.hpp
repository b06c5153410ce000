#pragma once

#include <jme/filter/filter.hpp>

#include "noise/noise_scale.hpp"

namespace jme {

/// Throws InvalidParameter where ShapedNoise cannot be made: noise could reach 2^50 lattice units, or the
/// shape has more than 2^26 steps. Needs no memory for the noise's coordinates.
void check_noise_limits(const Filter& shape, const NoiseScale& scale);

}  // namespace jme
