#pragma once

#include <cstddef>
#include <vector>

namespace jme::shaping {

/// Optimised scaled BLTs over a grid of horizons and decays, as coordinates (coordinates.hpp). Interpolation
/// has a second-order cost only, because the loss is flat at its minimum; and privacy does not depend on
/// these numbers, because D is computed from the parameters used.
struct ScaledBltGrid {
  static constexpr std::size_t first_power = 4;  ///< horizons n = 4^4, 4^5, ...
  static constexpr std::size_t decays = 9;       ///< fading = 0.5 (2^j - 1), j = 0..8

  /// fading = -n log(decay): how many time constants of the decay the horizon holds. 0 for prefix.
  [[nodiscard]] static double fading(std::size_t j);
  [[nodiscard]] static double largest_fading() { return fading(decays - 1); }
  [[nodiscard]] static double smallest_steps();
};

enum class ScaledBltTable { rmse, max, mean };

/// Coordinates (2 buffers + 4 of them) for a horizon of `steps` >= smallest_steps() and a fading up to
/// largest_fading() (ignored for the mean): cubic in log n and in log(1 + 2 fading), continued linearly
/// beyond the last horizon.
[[nodiscard]] std::vector<double> tabulated_scaled_blt(ScaledBltTable table, std::size_t buffers,
                                                       double steps, double fading);

}  // namespace jme::shaping
