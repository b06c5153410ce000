#pragma once

#include <string_view>

namespace jme {

/// The set that rows lie in, as the sensitivity knows it (docs/theory/geometry.md).
enum class Geometry {
  automatic,  ///< the one that gives the smallest error: the box only where cells are bounded
  ball,       ///< rows of Euclidean length at most the norm bound, as in the paper
  box,        ///< rows with every cell in [-1, 1], and perhaps a norm bound besides
  ball_trace  ///< the ball, where the trace of the second moment is released besides
};

[[nodiscard]] Geometry parse_geometry(std::string_view text);
[[nodiscard]] std::string_view name(Geometry geometry);

/// What of a row may be absent.
enum class Presence {
  complete,  ///< nothing: every row exists with all its cells
  rows,      ///< whole rows; a row that exists has all its cells
  cells,     ///< single cells, and whole rows
};

}  // namespace jme
