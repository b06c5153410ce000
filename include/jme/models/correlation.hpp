#pragma once

#include <jme/models/running_moments.hpp>

namespace jme {

/// Correlations of the definite covariance: always in [-1, 1], 1 on the diagonal.
[[nodiscard]] MatrixEstimate correlation(const RunningMoments& moments);

/// Inverse of the definite covariance, in natural units.
[[nodiscard]] MatrixEstimate precision(const RunningMoments& moments);

}  // namespace jme
