#pragma once

#include <cstddef>

#include <Eigen/Core>

namespace jme {

/// Affine map from the unit box back to natural units: x = centre + half_width o u.
struct Units {
  Eigen::VectorXd centre, half_width;
  static Units identity(std::size_t dimension);
};

}  // namespace jme
