#pragma once

#include <Eigen/Core>

#include <jme/filter/filter.hpp>

namespace jme {

/// The C of least rmse for a dense workload A, with a proof of how good it is.
struct DenseOptimum {
  Eigen::MatrixXd c;   ///< lower triangular, every column of norm 1
  double rmse;         ///< what c reaches
  double lower_bound;  ///< certificate ||A diag(sqrt w)||_* / sqrt(n sum w): no C is below it
};

/// Fixed point w <- diag((W^1/2 A'A W^1/2)^1/2) (docs/theory/shaping.md#dense-optimum), until the relative
/// gap is below `gap`.
[[nodiscard]] DenseOptimum dense_optimum(const Eigen::MatrixXd& a, double gap = 1e-6);

/// The certificate alone at given weights w > 0: a lower bound on every rmse.
[[nodiscard]] double rmse_lower_bound(const Eigen::MatrixXd& a, const Eigen::VectorXd& w);
/// The same at weights computed from a good C: at the optimum A'A = G W G with G = C'C, so w_j =
/// ||column j of A C^-1 C^-T||^2. It proves with one decomposition how close C is to the optimum, where the
/// optimum itself would take too long.
[[nodiscard]] double rmse_lower_bound(const Filter& a, const Filter& c);

}  // namespace jme
