#pragma once

#include <cstddef>
#include <limits>

#include <jme/filter/filter.hpp>
#include <jme/noise/noise_scale.hpp>
#include <jme/random/sampler_distance.hpp>

namespace jme {

/// What ShapedNoise(shape, ..., scale) asks of the sampler over the shape's steps, or its first `longest`:
/// upper bounds in O(steps x states^2) with schedules, in O(states^2) for BLTs without and for columns
/// without end (dense: O(steps^3)). `blocks_touched`: how many steps of the data one person can change; under
/// a diagonal shape, where steps share no noise, only so many count. The proofs are in
/// src/noise/GUARANTEES.md. Throws InvalidParameter for a shape with a replaced last row.
[[nodiscard]] SamplerUse sampler_use(const Filter& shape, const NoiseScale& scale,
                                     std::size_t blocks_touched = std::numeric_limits<std::size_t>::max(),
                                     std::size_t longest = std::numeric_limits<std::size_t>::max());

}  // namespace jme
