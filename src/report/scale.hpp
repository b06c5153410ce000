#pragma once

#include <cmath>
#include <limits>

#include <jme/report/axis.hpp>

#include "report/ticks.hpp"

namespace jme::report {

/// From values to pixels.
struct Scale {
  AxisScale kind;
  Range range;
  double from, to;  ///< pixels of the range's ends

  [[nodiscard]] double operator()(double value) const {
    const double part = kind == AxisScale::logarithmic
                            ? std::log(value / range.low) / std::log(range.high / range.low)
                            : (value - range.low) / (range.high - range.low);
    const bool drawable = std::isfinite(value) && (kind == AxisScale::linear || value > 0);
    return drawable ? from + part * (to - from) : std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] bool holds(double value) const {
    // A hair of room for the rounding of the ends.
    const double room = 1e-9 * (range.high - range.low);
    return value >= range.low - room && value <= range.high + room;
  }
};

}  // namespace jme::report
