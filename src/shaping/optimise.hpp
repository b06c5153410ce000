#pragma once

#include <cstddef>
#include <vector>

#include "shaping/blt_loss.hpp"
#include "shaping/lbfgs.hpp"
#include "shaping/scaled_blt_loss.hpp"
#include "shaping/window_loss.hpp"

namespace jme::shaping {

/// Coordinates of a BLT whose time constants are spaced geometrically from 1.5 to `longest` steps: where
/// optimisers start (docs/theory/shaping.md#buffered-linear-toeplitz).
[[nodiscard]] std::vector<double> geometric_coordinates(std::size_t buffers, double longest);

/// Least loss of a plain BLT; the minimum's x are coordinates with ceiling = decay. Milliseconds at any
/// length.
[[nodiscard]] Minimum optimise_blt(const BltLoss::Problem& problem, std::size_t buffers);

/// Least loss of a BLT with lag taps under a window (WindowLoss): coordinates with ceiling 1, then tap
/// weights.
[[nodiscard]] Minimum optimise_window(const WindowLoss& loss, std::size_t window, std::size_t buffers);

/// Least loss of a scaled BLT from `start` (empty: the geometric start). O(n p^2) per iteration, with 100 to
/// 300 iterations.
[[nodiscard]] Minimum optimise_scaled_blt(const ScaledBltProblem& problem, std::size_t buffers,
                                          std::vector<double> start = {}, const LbfgsOptions& options = {});

}  // namespace jme::shaping
