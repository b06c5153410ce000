#pragma once

#include <cstddef>
#include <vector>

#include <jme/base/horizon.hpp>
#include <jme/workload/workload.hpp>

namespace jme::shaping {

/// First `count` coefficients of (1 - ratio x)^(-1/2): the square root of prefix sums (ratio 1) and of decay.
[[nodiscard]] std::vector<double> geometric_root(double ratio, std::size_t count);
/// First `count` coefficients of (1 - ratio x)^(1/2), its inverse.
[[nodiscard]] std::vector<double> geometric_root_inverse(double ratio, std::size_t count);

/// First `count` coefficients of ((1 - x^length) / (1 - x))^(1/2): the square root of a sum over `length`
/// steps.
[[nodiscard]] std::vector<double> window_root(std::size_t length, std::size_t count);
/// First `count` coefficients of ((1 - x) / (1 - x^length))^(1/2), its inverse.
[[nodiscard]] std::vector<double> window_root_inverse(std::size_t length, std::size_t count);

/// beta^every: the factor by which a whole block fades. 1 for prefix and mean.
[[nodiscard]] double decay_per_step(const Workload& workload, const Horizon& horizon);

/// A window's length in steps. Throws the workload's own error where it does not fit the horizon.
[[nodiscard]] std::size_t steps_in_window(const Workload& workload, const Horizon& horizon);

/// The square root of the workload over steps, with c_0 = 1 (C's scale cancels in A C^-1 Z). The mean uses
/// the prefix root (docs/theory/shaping.md#square-roots). Throws InvalidParameter for a custom workload,
/// which has no closed-form root.
[[nodiscard]] std::vector<double> root_coefficients(const Workload& workload, const Horizon& horizon,
                                                    std::size_t count);
[[nodiscard]] std::vector<double> inverse_root_coefficients(const Workload& workload, const Horizon& horizon,
                                                            std::size_t count);

}  // namespace jme::shaping
