#pragma once

#include <cstddef>

#include <jme/models/running_moments.hpp>

namespace jme {

/// column[target] = intercept + sum of coefficients * the other columns, in natural units.
struct LinearRegression {
  std::size_t target;
  Estimate intercept;
  VectorEstimate coefficients;  ///< of the other columns, in their order
};

/// Least squares by the running moments, with a ridge against the noise: with A the regressors' covariance
/// (its negative eigenvalues, which are noise, set to 0) and b their covariance with the target, both in the
/// unit box, the coefficients minimise ||A x - b||^2 + r ||x||^2, where r I is the mean square of the noise
/// on A. Directions whose variance is far above the noise are shrunk by the second-order factor r/variance^2
/// only; directions that the noise hides contribute almost nothing instead of growing without bound. Needs
/// two columns or more.
[[nodiscard]] LinearRegression linear_regression(const RunningMoments& moments, std::size_t target);

}  // namespace jme
