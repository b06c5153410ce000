#pragma once

#include <cstddef>

#include <jme/base/horizon.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/workload/workload.hpp>

namespace jme::shaping {

/// Parameters that blt:P stands for: the plain BLT of least objective, optimised on the spot (milliseconds).
/// Throws InvalidParameter for a custom workload.
[[nodiscard]] BltParameters default_blt(const Workload& workload, const Horizon& horizon, std::size_t buffers,
                                        Objective objective);

/// Parameters that scaled-blt:P stands for: optimised on the spot for short horizons, interpolated in a table
/// for long ones; where the decay forgets long before the horizon ends, the plain BLT with normalised
/// columns. Throws InvalidParameter for window and custom workloads.
[[nodiscard]] ScaledBltParameters default_scaled_blt(const Workload& workload, const Horizon& horizon,
                                                     std::size_t buffers, Objective objective);

}  // namespace jme::shaping
