#pragma once

#include <cstddef>
#include <optional>

#include <jme/mechanism/stream_config.hpp>

#include "experiments/sigma_curve.hpp"

namespace jme::experiments {

/// Rows of the streams that are compared.
inline constexpr std::size_t box_rows = 100;

/// Prefix sums of d columns with bounds, in units of their half widths; sigma is left to choose.
[[nodiscard]] StreamConfig box_config(std::size_t dimension, Method method, Geometry geometry,
                                      SecondMoment second, const Shape& shape = Shape::identity());

/// The second moment's squared error of such a stream: of JME in the box and in the ball around it, and of
/// debiased PP.
struct BoxErrors {
  SigmaCurve ball, box;  ///< JME with the shape asked for
  SigmaCurve pp;         ///< with C = I, its best shape (docs/theory/calibration.md#post-processing)

  [[nodiscard]] static BoxErrors of(std::size_t dimension, SecondMoment second, const Shape& shape);
  /// How many times less squared error the box has than the ball.
  [[nodiscard]] double gain() const { return ball.square / box.square; }
};

/// The gain of the full second moment in closed form, d(d+1) / (1/2 + (d-1)^2)
/// (docs/theory/geometry.md#what-it-gives). d >= 2.
[[nodiscard]] double box_gain(std::size_t dimension);

/// Below which sigma debiased PP has less error than JME in the box, C = I: sigma^2 < 1/(4 gain) - 1/(2d).
/// Nothing up to d = 4 (docs/theory/errors.md#who-wins). d >= 2.
[[nodiscard]] std::optional<double> box_frontier(std::size_t dimension);

}  // namespace jme::experiments
