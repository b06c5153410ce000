#pragma once

#include <string>
#include <vector>

#include <jme/report/axis.hpp>

namespace jme::report {

struct Tick {
  double value;
  std::string label;  ///< empty for a minor tick
};

struct Range {
  double low, high;
};

/// A range that can be drawn: finite, low < high, positive where the axis is logarithmic. One value gets room
/// around it; no value at all becomes [0, 1], or [1, 10].
[[nodiscard]] Range drawable(Range range, AxisScale scale);

/// The smallest range with ends on round numbers that holds `range`, for about `most` ticks.
[[nodiscard]] Range rounded_out(Range range, AxisScale scale, int most);

/// Ticks at round numbers inside `range`, at most about `most` of them labelled.
[[nodiscard]] std::vector<Tick> ticks(Range range, AxisScale scale, int most);

}  // namespace jme::report
