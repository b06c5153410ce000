#pragma once

#include <Eigen/Core>

#include <jme/mechanism/mechanism.hpp>

namespace jme::oracle {

/// The workload's definition, a row for every release and a column for every ROW of data: written from the
/// paper's table, without the library's filters. Windows over a partial last block cover whole blocks
/// (Workload).
Eigen::MatrixXd workload_over_rows(const Workload& workload, const Horizon& horizon);

/// The stream +zeta e1, -zeta e1, +zeta e1, ... as n x d; it lies on the lattice.
Eigen::MatrixXd alternating_stream(std::size_t rows, std::size_t dimension, double norm_bound);

/// x_t x_t' (upper triangle, row by row) or x_t o x_t for every row of X.
Eigen::MatrixXd squares(const Eigen::MatrixXd& x, SecondMoment second);

/// Weights of the packed entries in the squared Frobenius norm of the symmetric matrix: 1 on, 2 off the
/// diagonal.
Eigen::VectorXd frobenius_weights(std::size_t dimension, SecondMoment second);

/// Inverse of a lower-triangular matrix.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& lower);

}  // namespace jme::oracle
