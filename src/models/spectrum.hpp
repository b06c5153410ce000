#pragma once

#include <Eigen/Core>

namespace jme::models {

/// Eigenvalues, ascending, and eigenvectors (columns) of a symmetric matrix.
struct Spectrum {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
[[nodiscard]] Spectrum spectrum(const Eigen::MatrixXd& symmetric);

/// V f(values) V', exactly symmetric.
[[nodiscard]] Eigen::MatrixXd rebuilt(const Spectrum& spectrum, const Eigen::VectorXd& values);

}  // namespace jme::models
