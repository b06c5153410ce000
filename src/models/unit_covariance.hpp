#pragma once

#include <Eigen/Core>

#include <jme/models/running_moments.hpp>

namespace jme::models {

/// second/weight - mm' in the unit box, bias removed or kept. Only the diagonal where only that was released.
[[nodiscard]] Eigen::MatrixXd unit_covariance(const Release& release, Bias bias);

}  // namespace jme::models
