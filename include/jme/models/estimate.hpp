#pragma once

#include <Eigen/Core>

namespace jme {

/// A number with the standard deviation that the noise gives it (models/GUARANTEES.md says how good that is).
struct Estimate {
  double value, noise_std;
};
/// The same for every entry.
struct VectorEstimate {
  Eigen::VectorXd value, noise_std;
};
struct MatrixEstimate {
  Eigen::MatrixXd value, noise_std;
};
using MeanEstimate = VectorEstimate;
using CovarianceEstimate = MatrixEstimate;

}  // namespace jme
