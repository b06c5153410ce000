#pragma once

#include <Eigen/Core>

namespace jme {

/// Which covariance models are made from.
enum class Estimator {
  best,  ///< the estimate of least error (best_estimate): positive semidefinite
  raw,   ///< as released, unbiased: the noise may have made it indefinite
  psd,   ///< the released matrix without its negative eigenvalues
};

/// Variances of the noise on the entries of a symmetric matrix.
struct EntryVariances {
  double off = 0, diagonal = 0;  ///< of an entry off and on the diagonal
  /// Where entries differ, each entry's own; `off` is then their median, and `diagonal` is not used.
  Eigen::MatrixXd each{};
};

/// How exactly best_estimate solves its projection.
struct BestOptions {
  double tolerance = 1e-8;  ///< in standard deviations of the noise on an entry
  /// Multipliers of a similar problem to start from; they change the result by the tolerance only.
  const Eigen::VectorXd* start = nullptr;
};

struct BestEstimate {
  Eigen::MatrixXd matrix;       ///< positive semidefinite
  Eigen::VectorXd multipliers;  ///< of the projection, for BestOptions::start; empty for the ball
};

/// The positive semidefinite estimate of a symmetric matrix from `noisy`, which is the matrix plus
/// independent normal noise (docs/theory/estimates.md#best):
///
///     shrink the eigenvalues against the noise; put back the diagonal, or the trace where the noise is alike
///     in all directions; take the nearest positive semidefinite matrix in the metric of the noise.
///
/// About ten eigendecompositions. `noisy` must be finite. Where off is 0 there is no noise, and this is the
/// nearest positive semidefinite matrix.
[[nodiscard]] BestEstimate best_estimate(const Eigen::MatrixXd& noisy, const EntryVariances& noise,
                                         const BestOptions& options = {});

/// The nearest positive semidefinite matrix to `symmetric` in the metric
/// sum_{i<j} M_ij^2 / noise_ij + sum_i M_ii^2 / noise_ii.
[[nodiscard]] BestEstimate nearest_in_noise(const Eigen::MatrixXd& symmetric, const EntryVariances& noise,
                                            const BestOptions& options = {});

}  // namespace jme
