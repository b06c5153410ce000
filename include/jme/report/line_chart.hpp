#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/report/axis.hpp>
#include <jme/report/drawing.hpp>

namespace jme::report {

enum class Stroke { automatic, solid, dashed, dotted, none };
enum class Marker { none, dot, square, triangle, diamond };
enum class Spread { band, bars };

/// A curve, points, or both. A value that is not finite leaves a gap.
struct Series {
  std::string name{};  ///< shown at the curve's end; empty: not named
  std::vector<double> x{}, y{};
  std::vector<double> low{}, high{};    ///< both empty, or one interval per point
  Spread spread = Spread::band;         ///< how the intervals are drawn
  std::optional<std::size_t> colour{};  ///< place in the palette; default: place among the series
  Stroke stroke = Stroke::automatic;    ///< solid, until the palette repeats itself
  Marker marker = Marker::none;
};

/// A straight line across the plot that gives a value its meaning.
struct ReferenceLine {
  enum class Direction { horizontal, vertical };
  Direction direction = Direction::horizontal;
  double at = 0;
  std::string label{};
};

/// Where series are named: beside their last points (above the plot if there is no room), always above it, or
/// nowhere.
enum class Names { beside, above, hidden };

/// Curves over an axis, with bands, points, error bars and reference lines. Where several points share a
/// pixel's width only the first, the last and the extremes are drawn, which looks the same.
struct LineChart {
  std::string title{};        ///< visible, and the drawing's name for those who cannot see it
  std::string description{};  ///< what it shows, in a sentence or two, for the same readers
  Axis x{}, y{};
  std::vector<Series> series{};
  std::vector<ReferenceLine> references{};
  Names names = Names::beside;
  Size size{.width = 340, .height = 225};
};
/// Throws InvalidParameter where the columns of a series differ in length or the size is too small to draw
/// in.
[[nodiscard]] Drawing draw(const LineChart& chart);

/// Charts side by side in one drawing, on the same axes unless asked otherwise, series named once above all.
struct SmallMultiples {
  std::string title{};
  std::string description{};
  std::vector<LineChart> panels{};  ///< their sizes are not used
  std::size_t columns = 2;
  bool same_x = true, same_y = true;
  Size panel{.width = 300, .height = 220};
};
[[nodiscard]] Drawing draw(const SmallMultiples& charts);

}  // namespace jme::report
