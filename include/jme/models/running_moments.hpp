#pragma once

#include <cstddef>

#include <Eigen/Core>

#include <jme/models/divisors.hpp>
#include <jme/models/estimate.hpp>
#include <jme/models/moment_noise.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>

namespace jme {

enum class Bias { removed, kept };

/// Mean and covariance of one release with the law of their noise, computed once: every model is made from
/// them. Everything here is in the unit box, where columns that are there as often carry the same noise;
/// models return natural units.
class RunningMoments {
 public:
  /// Needs the full second moment and the same weights in both channels.
  RunningMoments(const Release& release, Units units, Bias bias = Bias::removed);
  RunningMoments(const Release& release, Units units, Bias bias, const Divisors& divisors);

  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(mean_.size()); }
  [[nodiscard]] const Units& units() const { return units_; }
  [[nodiscard]] const MomentNoise& noise() const { return noise_; }
  /// False as long as a count is not known well enough to divide by it. Mean and covariance are then NaN
  /// where they need it, and all that is made of the whole covariance is NaN.
  [[nodiscard]] bool is_known() const { return is_known_; }
  [[nodiscard]] const Eigen::VectorXd& mean() const { return mean_; }
  /// As released: the noise may have made it indefinite.
  [[nodiscard]] const Eigen::MatrixXd& covariance() const { return covariance_; }
  /// The nearest matrix, in Frobenius norm, that has no eigenvalue below noise().level(), and its inverse:
  /// for models that cannot use an indefinite or singular covariance. An eigenvalue below the level cannot be
  /// told from zero, and its inverse would be noise.
  [[nodiscard]] const Eigen::MatrixXd& definite_covariance() const { return definite_; }
  [[nodiscard]] const Eigen::MatrixXd& inverse() const { return inverse_; }
  [[nodiscard]] double log_det() const { return log_det_; }

 private:
  Units units_;
  MomentNoise noise_;
  Eigen::VectorXd mean_;
  Eigen::MatrixXd covariance_, definite_, inverse_;
  double log_det_ = 0;
  bool is_known_ = true;
};

}  // namespace jme
