#pragma once

#include <jme/models/divisors.hpp>
#include <jme/models/estimate.hpp>
#include <jme/models/interval.hpp>
#include <jme/models/running_moments.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>

namespace jme {

// Averages divide by public weights or, where counts are private, by noisy counts. Then an estimate is NaN as
// long as one of its counts is below ten of the count's standard deviations; with `divisors` of a
// CountTracker the release before counts as well.

/// Weighted mean of the rows, or of each column's present cells.
[[nodiscard]] MeanEstimate running_mean(const Release& release, const Units& units);
[[nodiscard]] MeanEstimate running_mean(const Release& release, const Units& units, const Divisors& divisors);
/// The means m, in natural units, that a 95% test does not reject: (X - m N)^2 <= z^2 (v1 + m^2 vc) in the
/// unit box (Fieller). Exact for any count; both ends are NaN where these m are not an interval.
using MeanInterval = VectorInterval;
[[nodiscard]] MeanInterval mean_interval(const Release& release, const Units& units);
/// The same with this variance of the means in addition, in natural units: of a sample (SampleSize). It is
/// NaN where its count is not known, and so is the interval.
[[nodiscard]] MeanInterval mean_interval(const Release& release, const Units& units,
                                         const Eigen::VectorXd& variance);

/// Running covariance second/weight - mean mean'. Subtracting the square of a noisy mean takes its variance
/// v1 away once too often, so removing the bias ADDS v1 I (docs/theory/errors.md#running-covariance). Needs
/// the full second moment.
[[nodiscard]] CovarianceEstimate running_covariance(const Release& release, const Units& units,
                                                    Bias bias = Bias::removed);
[[nodiscard]] CovarianceEstimate running_covariance(const Release& release, const Units& units, Bias bias,
                                                    const Divisors& divisors);
/// Its diagonal, which the diagonal second moment gives too.
[[nodiscard]] VectorEstimate running_variance(const Release& release, const Units& units,
                                              Bias bias = Bias::removed);
[[nodiscard]] VectorEstimate running_variance(const Release& release, const Units& units, Bias bias,
                                              const Divisors& divisors);

/// The covariance as the moments' estimator makes it.
[[nodiscard]] CovarianceEstimate covariance(const RunningMoments& moments);

/// The nearest matrix, in Frobenius norm, that has no eigenvalue below `floor`: the matrix itself where it
/// has none. `symmetric` is read as symmetric.
[[nodiscard]] Eigen::MatrixXd nearest_semidefinite(const Eigen::MatrixXd& symmetric, double floor = 0);

/// The workload's own output in natural units. Needs equal weights in both channels for the second, and the
/// means off the diagonal where cells may be absent: there a column's sum over the rows of a pair is its mean
/// times their count.
[[nodiscard]] MeanEstimate natural_first(const Release& release, const Units& units);
[[nodiscard]] CovarianceEstimate natural_second(const Release& release, const Units& units);
[[nodiscard]] CovarianceEstimate natural_second(const Release& release, const Units& units,
                                                const Divisors& divisors);

}  // namespace jme
