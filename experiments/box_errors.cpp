#include "experiments/box_errors.hpp"

#include <cmath>

#include "experiments/low_privacy.hpp"

namespace jme::experiments {

StreamConfig box_config(std::size_t dimension, Method method, Geometry geometry, SecondMoment second,
                        const Shape& shape) {
  return {.budget = {},
          .rows = box_rows,
          .dimension = dimension,
          .norm_bound = std::sqrt(static_cast<double>(dimension)),
          .unit_box = true,
          .geometry = geometry,
          .workload = prefix(),
          .method = method,
          .shape = shape,
          .second = second};
}

BoxErrors BoxErrors::of(std::size_t dimension, SecondMoment second, const Shape& shape) {
  const auto curve = [&](Method method, Geometry geometry, const Shape& with) {
    return second_error_curves(box_config(dimension, method, geometry, second, with)).attained;
  };
  return {.ball = curve(Method::jme, Geometry::ball, shape),
          .box = curve(Method::jme, Geometry::box, shape),
          .pp = curve(Method::pp_debiased, Geometry::ball, Shape::identity())};
}

double box_gain(std::size_t dimension) {
  const auto d = static_cast<double>(dimension);
  return d * (d + 1) / (0.5 + (d - 1) * (d - 1));
}

std::optional<double> box_frontier(std::size_t dimension) {
  return Frontier{.rho = 1 / box_gain(dimension)}.sigma(dimension);
}

}  // namespace jme::experiments
