#include "dense_algebra.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace jme::test {

Eigenpairs eigenpairs(const Eigen::MatrixXd& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric) {
  return eigenpairs(symmetric).values;
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& a) {
  return a.partialPivLu().inverse();
}

double determinant(const Eigen::MatrixXd& a) {
  return a.partialPivLu().determinant();
}

Eigen::VectorXd solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return a.partialPivLu().solve(b);
}

Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& a) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(a).householderQ();
}

}  // namespace jme::test
