#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include <jme/models/running_moments.hpp>

#include "models/spectrum.hpp"

namespace jme::models {

// What models publish without its noise: for a bootstrap, which makes them often.

struct Correlations {
  Eigen::MatrixXd value;     ///< NaN where a variance is not above 0
  Eigen::MatrixXd variance;  ///< (i, j): of column i, as the pair (i, j) uses it
};
[[nodiscard]] Correlations correlations(const RunningMoments& moments);
/// In natural units.
[[nodiscard]] Eigen::MatrixXd precision_values(const RunningMoments& moments);
/// In natural units.
[[nodiscard]] double log_det_value(const RunningMoments& moments);

/// The regression of one column on the others, in the unit box: x = B A b with B = (A^2 + r)^-1.
struct RidgeFit {
  std::vector<Eigen::Index> others;  ///< the other columns
  Spectrum parts;                    ///< of their covariance A, without its negative eigenvalues
  Eigen::VectorXd damped;            ///< eigenvalues of B
  Eigen::VectorXd b, x;
};
[[nodiscard]] RidgeFit ridge_fit(const RunningMoments& moments, std::size_t target);
/// Its intercept, then its coefficients, in natural units.
[[nodiscard]] Eigen::VectorXd natural_line(const RunningMoments& moments, std::size_t target,
                                           const RidgeFit& fit);

/// All components in natural units, largest first, one per row, with arbitrary signs.
struct Components {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
[[nodiscard]] Components components_of(const RunningMoments& moments);

}  // namespace jme::models
