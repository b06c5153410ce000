#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// Sizes of the sequences of a core without lag taps, over a number of steps; upper bounds, except for
/// `length`, which is exact. Letters as in GUARANTEES.md: c the core's coefficients, b its inverse's, s_i the
/// response of a mode's running sum to a draw.
struct CoreSizes {
  double core_sum;        ///< ||c||_1
  double inverse_sum;     ///< ||b||_1
  double inverse_length;  ///< ||b||_2
  struct ModeSize {
    double length;  ///< ||s_i||_2
    double reach;   ///< ||s_i||_1
  };
  std::vector<ModeSize> modes;
};

/// In closed form for any number of steps where the core is one tap and modes of positive weight whose
/// inverse has positive poles (BLTs); else by summing up.
[[nodiscard]] CoreSizes core_sizes(const Toeplitz& core, std::size_t steps);
/// The two ways, so that tests can compare them. `closed_core_sizes` is empty where there is no closed form.
[[nodiscard]] std::optional<CoreSizes> closed_core_sizes(const Toeplitz& core, std::size_t steps);
[[nodiscard]] CoreSizes summed_core_sizes(const Toeplitz& core, std::size_t steps);

}  // namespace jme
