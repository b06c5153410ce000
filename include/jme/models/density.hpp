#pragma once

#include <random>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <jme/models/running_moments.hpp>

namespace jme {

/// The Gaussian with the running mean and the definite covariance, in natural units. Every number of it is
/// NaN where the moments are not known.
class GaussianDensity {
 public:
  explicit GaussianDensity(const RunningMoments& moments);
  /// A density that is public and carries no noise, to compare with. `covariance` must be positive definite.
  GaussianDensity(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance);

  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(mean_.size()); }
  [[nodiscard]] VectorEstimate mean() const;
  [[nodiscard]] MatrixEstimate covariance() const;
  [[nodiscard]] Estimate log_det() const;  ///< log of the covariance's determinant

  /// Natural logarithm of the density at a point.
  [[nodiscard]] Estimate log_density(std::span<const double> point) const;
  /// Mahalanobis distance from the mean: how far out a point lies, in standard deviations of its direction.
  /// For points of the Gaussian itself its square is chi-square with `dimension` degrees of freedom.
  [[nodiscard]] Estimate outlier_score(std::span<const double> point) const;

  /// The point that standard normal draws z become: mean + L z, covariance = LL'.
  [[nodiscard]] Eigen::VectorXd point_of(std::span<const double> z) const;
  /// A made-up row. Post-processing: it may be published, and any generator will do.
  template <class Generator>
  [[nodiscard]] Eigen::VectorXd sample(Generator& generator) const {
    std::normal_distribution<double> normal;
    std::vector<double> z(dimension());
    for (double& value : z) value = normal(generator);
    return point_of(z);
  }

 private:
  friend Estimate kl_divergence(const GaussianDensity& p, const GaussianDensity& q);
  [[nodiscard]] bool is_unknown() const { return mean_.hasNaN(); }

  Units units_;
  MomentNoise noise_;
  // In the unit box.
  Eigen::VectorXd mean_;
  Eigen::MatrixXd covariance_, inverse_, root_;
  double log_det_;
};

/// KL(p || q) in nats. The two may come from one stream or from two: the standard deviations of their noise
/// are added, which is an upper bound whatever the correlation, and exact where one of them is public.
[[nodiscard]] Estimate kl_divergence(const GaussianDensity& p, const GaussianDensity& q);

}  // namespace jme
