#pragma once

#include <Eigen/Core>

namespace jme::models {

/// Hilbert transform of the semicircle density of radius 2: 1/u, smoothed within |u| <= 2.
[[nodiscard]] double smoothed_reciprocal(double u);

/// The nearest non-decreasing sequence, which has the same sum (pool adjacent violators).
[[nodiscard]] Eigen::VectorXd pooled(const Eigen::VectorXd& values);

/// Eigenvalues, ascending, of a d x d matrix with independent noise of variance `off` off the diagonal and
/// twice that on it, corrected for how the noise drives them apart.
[[nodiscard]] Eigen::VectorXd shrunk(const Eigen::VectorXd& values, double off);

/// The nearest vector to ascending `values` with entries of at least 0 and this sum; 0 where it is not above
/// 0.
[[nodiscard]] Eigen::VectorXd on_simplex(const Eigen::VectorXd& values, double sum);

}  // namespace jme::models
