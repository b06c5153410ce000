#include "models/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <lapacke.h>

#include <jme/base/errors.hpp>

namespace jme::models {
namespace {
// From about this size on, divide and conquer is faster.
constexpr Eigen::Index large = 64;
}  // namespace

Spectrum spectrum(const Eigen::MatrixXd& symmetric) {
  if (!symmetric.allFinite()) throw Error("eigenvalues: the matrix is not finite");
  Spectrum result;
  if (symmetric.rows() < large) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
    if (solver.info() != Eigen::Success) throw Error("eigenvalues: the iteration did not converge");
    result = {.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
  } else {
    result = {.values = Eigen::VectorXd(symmetric.rows()), .vectors = symmetric};
    const auto n = static_cast<lapack_int>(symmetric.rows());
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, result.vectors.data(), n, result.values.data()) != 0) {
      throw Error("eigenvalues: the iteration did not converge");
    }
  }
  return result;
}

Eigen::MatrixXd rebuilt(const Spectrum& spectrum, const Eigen::VectorXd& values) {
  const Eigen::MatrixXd product = spectrum.vectors * values.asDiagonal() * spectrum.vectors.transpose();
  return (product + product.transpose()) / 2;
}

}  // namespace jme::models
