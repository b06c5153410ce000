#pragma once

#include <jme/models/estimate.hpp>
#include <jme/models/running_moments.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// Weighted mean of the rows: first / weight.
[[nodiscard]] MeanEstimate running_mean(const Release& release, const Units& units);

/// Running covariance second/weight - mean mean'. Subtracting the square of a noisy mean takes its variance
/// v1 away once too often, so removing the bias ADDS v1 I (docs/theory/errors.md#running-covariance). Needs
/// the full second moment.
[[nodiscard]] CovarianceEstimate running_covariance(const Release& release, const Units& units,
                                                    Bias bias = Bias::removed);
/// Its diagonal, which the diagonal second moment gives too.
[[nodiscard]] VectorEstimate running_variance(const Release& release, const Units& units,
                                              Bias bias = Bias::removed);

/// The nearest matrix, in Frobenius norm, that has no eigenvalue below `floor`: the matrix itself where it
/// has none. `symmetric` is read as symmetric.
[[nodiscard]] Eigen::MatrixXd nearest_semidefinite(const Eigen::MatrixXd& symmetric, double floor = 0);

/// The workload's own output in natural units. Needs equal weights in both channels for the second.
[[nodiscard]] MeanEstimate natural_first(const Release& release, const Units& units);
[[nodiscard]] CovarianceEstimate natural_second(const Release& release, const Units& units);

}  // namespace jme
