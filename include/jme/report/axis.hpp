#pragma once

#include <optional>
#include <string>

namespace jme::report {

enum class AxisScale { linear, logarithmic };

/// One axis of a chart. Its range is the data's range unless it is given. What lies outside is cut off at the
/// frame, and on a logarithmic axis values that are not positive leave a gap.
struct Axis {
  std::string label{};
  std::string unit{};  ///< set in brackets after the label
  AxisScale scale = AxisScale::linear;
  std::optional<double> low{}, high{};
  bool with_zero = false;  ///< linear: zero is on the axis whatever the data
};

}  // namespace jme::report
