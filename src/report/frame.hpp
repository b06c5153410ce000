#pragma once

#include <vector>

#include <jme/report/axis.hpp>

#include "report/canvas.hpp"
#include "report/scale.hpp"

namespace jme::report {

inline constexpr double label_size = 11.5;  ///< of an axis' title and a line's label

/// The rectangle in which values are drawn, its scales and their ticks.
struct Frame {
  Box plot;
  Scale x, y;
  std::vector<Tick> x_ticks, y_ticks;
};

/// What a frame has to fit into.
struct FrameRoom {
  Box outer;          ///< everything, below titles and names
  double right = 12;  ///< left free beside the plot
  Range x, y;         ///< of the data
};

/// The axis' own range where it is given, else that of the data; `most` ticks where it is rounded out, 0
/// where it is not.
[[nodiscard]] Range axis_range(const Axis& axis, Range data, int most);

[[nodiscard]] Frame make_frame(const FrameRoom& room, const Axis& x, const Axis& y);
/// Grid, axes, ticks and labels; goes below the data.
void draw_frame(Canvas& canvas, const Frame& frame, const Axis& x, const Axis& y);

/// "label (unit)".
[[nodiscard]] std::string axis_title(const Axis& axis);

}  // namespace jme::report
