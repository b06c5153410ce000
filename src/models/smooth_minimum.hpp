#pragma once

#include <cstddef>
#include <functional>

#include <Eigen/Core>

namespace jme::models {

/// Value and gradient of a convex function at a point.
struct Slope {
  double value;
  Eigen::VectorXd gradient;
};

/// The minimum of a smooth convex function by limited-memory BFGS from `start`: where `is_small(gradient)`,
/// or as near as rounding lets it come.
[[nodiscard]] Eigen::VectorXd smooth_minimum(const std::function<Slope(const Eigen::VectorXd&)>& function,
                                             Eigen::VectorXd start,
                                             const std::function<bool(const Eigen::VectorXd&)>& is_small);

}  // namespace jme::models
