#pragma once

#include <span>

#include <jme/filter/filter.hpp>
#include <jme/random/sampler_distance.hpp>

namespace jme {

/// What ShapedNoise(shape, ..., scale) asks of the sampler over the shape's steps: upper bounds in O(steps x
/// states) (dense: O(steps^2)). The proofs are in src/noise/GUARANTEES.md.
[[nodiscard]] SamplerUse sampler_use(const Filter& shape, std::span<const double> scale);

}  // namespace jme
