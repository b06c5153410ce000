#pragma once

#include <string>
#include <vector>

#include <jme/report/line_chart.hpp>

#include "report/canvas.hpp"
#include "report/scale.hpp"

namespace jme::report {

/// The curve's unbroken stretches in pixels. Of consecutive points in one pixel's width only the first, the
/// last, the highest and the lowest are left, in their order.
[[nodiscard]] std::vector<std::vector<Point>> curve_stretches(const Series& series, const Scale& x,
                                                              const Scale& y);

/// Closed outlines of the band between low and high: in each pixel's width from the lowest to the highest.
[[nodiscard]] std::vector<std::vector<Point>> band_outlines(const Series& series, const Scale& x,
                                                            const Scale& y);

/// Path data of a marker around a point.
[[nodiscard]] std::string marker_path(Marker marker, Point at, double radius);

/// Palette place and classes of the series at `index`.
struct SeriesStyle {
  SeriesStyle(const Series& series, std::size_t index);
  std::string line, fill, band, label, leader;
  bool has_line;
};

}  // namespace jme::report
