#pragma once

#include <cstddef>
#include <optional>

#include <Eigen/Core>

#include <jme/models/best_estimate.hpp>
#include <jme/models/divisors.hpp>
#include <jme/models/estimate.hpp>
#include <jme/models/moment_noise.hpp>
#include <jme/models/units.hpp>
#include <jme/moments/release.hpp>

namespace jme {

enum class Bias { removed, kept };

/// Mean and covariance of one release with the law of their noise, computed once: every model is made from
/// them. Everything here is in the unit box, where columns that are there as often carry the same noise;
/// models return natural units. Threads must not share one.
///
///     const RunningMoments moments(release, units);
///     const MatrixEstimate r = correlation(moments);
class RunningMoments {
 public:
  /// Needs the full second moment and the same weights in both channels.
  RunningMoments(const Release& release, Units units, Bias bias = Bias::removed,
                 Estimator estimator = Estimator::raw);
  RunningMoments(const Release& release, Units units, Bias bias, const Divisors& divisors,
                 Estimator estimator = Estimator::raw);
  /// Of another release with the noise of `like`: units, bias, estimator and noise are taken over, and
  /// estimates are computed to a thousandth of the noise. For draws of a bootstrap.
  RunningMoments(const RunningMoments& like, const Release& release, const Divisors& divisors);

  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(mean_.size()); }
  [[nodiscard]] const Units& units() const { return units_; }
  [[nodiscard]] const MomentNoise& noise() const { return noise_; }
  [[nodiscard]] Estimator estimator() const { return estimator_; }
  [[nodiscard]] Bias bias() const { return bias_; }
  /// False as long as a count is not known well enough to divide by it. Mean and covariance are then NaN
  /// where they need it, and all that is made of the whole covariance is NaN.
  [[nodiscard]] bool is_known() const { return is_known_; }
  [[nodiscard]] const Eigen::VectorXd& mean() const { return mean_; }
  /// As the estimator makes it. As released while it is not known, because an estimate needs every entry.
  [[nodiscard]] const Eigen::MatrixXd& covariance() const { return covariance_; }
  /// As released: the noise may have made it indefinite.
  [[nodiscard]] const Eigen::MatrixXd& released_covariance() const {
    return released_.size() > 0 ? released_ : covariance_;
  }
  /// The nearest matrix to covariance(), in Frobenius norm, that has no eigenvalue below noise().level(), and
  /// its inverse: for models that cannot use an indefinite or singular covariance. An eigenvalue below the
  /// level cannot be told from zero, and its inverse would be noise.
  [[nodiscard]] const Eigen::MatrixXd& definite_covariance() const { return definite().covariance; }
  [[nodiscard]] const Eigen::MatrixXd& inverse() const { return definite().inverse; }
  [[nodiscard]] double log_det() const { return definite().log_det; }
  /// True where an eigenvalue was below the level.
  [[nodiscard]] bool is_floored() const { return definite().is_floored; }
  /// What correlations are formed from: as the definite covariance, but with the best estimate the released
  /// variances are kept, which have less noise than the rest.
  [[nodiscard]] Eigen::MatrixXd covariance_for_correlation() const;

 private:
  struct Definite {
    Eigen::MatrixXd covariance, inverse;
    double log_det;
    bool is_floored;
  };
  [[nodiscard]] const Definite& definite() const;
  void estimate(const BestOptions& options);

  Units units_;
  MomentNoise noise_;
  Bias bias_;
  Estimator estimator_;
  Eigen::VectorXd mean_;
  Eigen::MatrixXd covariance_, released_;  // released_ is empty where the two are the same
  Eigen::VectorXd multipliers_;
  bool is_known_ = true;
  mutable std::optional<Definite> definite_;
};

}  // namespace jme
