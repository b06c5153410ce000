#pragma once

#include <Eigen/Core>

#include <jme/models/running_moments.hpp>

namespace jme::models {

/// first/divisor: the mean in the unit box; NaN where a divisor is.
[[nodiscard]] Eigen::VectorXd unit_mean(const Release& release, const Divisors& divisors);

/// second/divisor - mm' in the unit box, bias removed or kept. Only the diagonal where only that was
/// released; NaN where a divisor is.
[[nodiscard]] Eigen::MatrixXd unit_covariance(const Release& release, const Divisors& divisors, Bias bias);

/// Noise on every entry of the covariance in the unit box.
[[nodiscard]] Eigen::MatrixXd covariance_noise(const MomentNoise& noise);

}  // namespace jme::models
