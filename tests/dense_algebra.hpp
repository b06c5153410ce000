#pragma once

#include <Eigen/Core>

// What tests ask of a small dense matrix, compiled once for all of their programs: Eigen's decompositions
// take each program several seconds to compile.
namespace jme::test {

/// Eigenvalues, ascending, and eigenvectors as columns.
struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
[[nodiscard]] Eigenpairs eigenpairs(const Eigen::MatrixXd& symmetric);
[[nodiscard]] Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);

[[nodiscard]] Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);
[[nodiscard]] double determinant(const Eigen::MatrixXd& a);
[[nodiscard]] Eigen::VectorXd solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// An orthonormal basis of the columns.
[[nodiscard]] Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& a);

}  // namespace jme::test
