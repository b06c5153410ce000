#pragma once

#include <jme/mechanism/mechanism.hpp>

#include "noise/noise_distance.hpp"

namespace jme {

/// The parts that take time to make for long streams, and depend on workloads, shapes and horizon alone.
struct Mechanism::Parts {
  Shape shape_first, shape_second;
  Filter a1, a2, c1, c2;
  Exposure exposure;
  ShapeRounding rounding_first, rounding_second;
};

/// It has numbers of its own, which its name does not say.
[[nodiscard]] bool has_numbers(const Shape& shape);
/// Both channels are asked for the same thing, so that one answer serves both.
[[nodiscard]] bool asks_the_same(const StreamConfig& config);

}  // namespace jme
