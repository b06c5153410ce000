#pragma once

#include <jme/report/drawing.hpp>

#include "experiments/figure.hpp"

namespace jme::experiments {

/// The chart as SVG. A method has the same colour in every chart, and simulated points have the colour of
/// their curve.
[[nodiscard]] report::Drawing drawing_of(const Chart& chart);

}  // namespace jme::experiments
