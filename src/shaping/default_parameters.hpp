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

/// Buffers with which a BLT comes within 1e-5 of the infinite-horizon optimum (2/pi) K(beta) of a decay, at
/// most `most`; 0 where the identity does.
[[nodiscard]] std::size_t endless_decay_buffers(const Workload& workload, const Horizon& horizon,
                                                std::size_t most);

/// Parameters that scaled-blt:P stands for: optimised on the spot for short horizons, interpolated in a table
/// for long ones; where the decay forgets long before the horizon ends, the plain BLT with normalised
/// columns. On an unbounded horizon they are such that errors are small at every length (GUARANTEES.md). For
/// windows it is a BLT with lag taps (WindowLoss). Throws InvalidParameter for a custom workload.
[[nodiscard]] ScaledBltParameters default_scaled_blt(const Workload& workload, const Horizon& horizon,
                                                     std::size_t buffers, Objective objective);

}  // namespace jme::shaping
