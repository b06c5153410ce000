#pragma once

#include <vector>

#include "report/ticks.hpp"

namespace jme::report {

/// Heights for labels whose best places are `wanted`: in the same order, at least `spacing` apart,
/// inside `room` where that is possible, and with the least sum of squared moves.
[[nodiscard]] std::vector<double> label_places(const std::vector<double>& wanted, double spacing, Range room);

}  // namespace jme::report
