#pragma once

#include <Eigen/Core>

#include <jme/moments/release.hpp>

namespace jme {

/// An estimate with the standard deviation that the noise gives each of its entries.
struct MeanEstimate {
  Eigen::VectorXd value, noise_std;
};
struct CovarianceEstimate {
  Eigen::MatrixXd value, noise_std;
};

/// Affine map from the unit box back to natural units: x = centre + half_width o u.
struct Units {
  Eigen::VectorXd centre, half_width;
  static Units identity(std::size_t dimension);
};

/// Weighted mean of the rows: first / weight.
[[nodiscard]] MeanEstimate running_mean(const Release& release, const Units& units);

enum class Bias { removed, kept };
/// Running covariance second/weight - mean mean'. Subtracting the square of a noisy mean takes its variance
/// v1 away once too often, so removing the bias ADDS v1 I (MATH 7). Needs the full second moment.
[[nodiscard]] CovarianceEstimate running_covariance(const Release& release, const Units& units,
                                                    Bias bias = Bias::removed);

/// The workload's own output in natural units. Needs equal weights in both channels for the second.
[[nodiscard]] MeanEstimate natural_first(const Release& release, const Units& units);
[[nodiscard]] CovarianceEstimate natural_second(const Release& release, const Units& units);

}  // namespace jme
