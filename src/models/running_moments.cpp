#include <cmath>
#include <utility>

#include <jme/models/running_moments.hpp>

#include "models/release_checks.hpp"
#include "models/spectrum.hpp"
#include "models/unit_covariance.hpp"

namespace jme {
namespace {

const Release& checked(const Release& release, const Units& units) {
  models::check_second(release, units, true);
  models::check_weights(release);
  return release;
}

}  // namespace

RunningMoments::RunningMoments(const Release& release, Units units, Bias bias, Estimator estimator)
    : RunningMoments(release, std::move(units), bias, Divisors(release), estimator) {}

RunningMoments::RunningMoments(const Release& release, Units units, Bias bias, const Divisors& divisors,
                               Estimator estimator)
    : units_(std::move(units)),
      noise_(checked(release, units_), divisors),
      bias_(bias),
      estimator_(estimator),
      mean_(noise_.mean()),
      covariance_(models::unit_covariance(release, divisors, bias)),
      is_known_(divisors.kind() == Divisors::Kind::weights || !covariance_.hasNaN()) {
  estimate({});
}

RunningMoments::RunningMoments(const RunningMoments& like, const Release& release, const Divisors& divisors)
    : units_(like.units_),
      noise_(like.noise_),
      bias_(like.bias_),
      estimator_(like.estimator_),
      mean_(models::unit_mean(release, divisors)),
      covariance_(models::unit_covariance(release, divisors, bias_)),
      is_known_(divisors.kind() == Divisors::Kind::weights || !covariance_.hasNaN()) {
  estimate({.tolerance = 1e-3, .start = &like.multipliers_});
}

void RunningMoments::estimate(const BestOptions& options) {
  if (!is_known_ || estimator_ == Estimator::raw) return;
  if (estimator_ == Estimator::psd) {
    const models::Spectrum parts = models::spectrum(covariance_);
    if (parts.values(0) >= 0) return;
    released_ = std::exchange(covariance_, models::rebuilt(parts, parts.values.cwiseMax(0.0)));
    return;
  }
  BestEstimate best = best_estimate(covariance_, noise_.entry_variances(), options);
  released_ = std::exchange(covariance_, std::move(best.matrix));
  multipliers_ = std::move(best.multipliers);
}

const RunningMoments::Definite& RunningMoments::definite() const {
  if (definite_) return *definite_;
  if (!is_known_) {
    const Eigen::MatrixXd none = Eigen::MatrixXd::Constant(mean_.size(), mean_.size(), NAN);
    return definite_.emplace(
        Definite{.covariance = none, .inverse = none, .log_det = NAN, .is_floored = false});
  }
  const models::Spectrum parts = models::spectrum(covariance_);
  const double level = noise_.level();
  const Eigen::VectorXd values = parts.values.cwiseMax(level);
  const bool is_floored = parts.values(0) < level;
  return definite_.emplace(Definite{.covariance = is_floored ? models::rebuilt(parts, values) : covariance_,
                                    .inverse = models::rebuilt(parts, values.cwiseInverse()),
                                    .log_det = values.array().log().sum(),
                                    .is_floored = is_floored});
}

Eigen::MatrixXd RunningMoments::covariance_for_correlation() const {
  if (!is_known_) return covariance_;
  if (estimator_ != Estimator::best) return definite_covariance();
  EntryVariances noise = noise_.entry_variances();
  // In the box the estimate has the released variances already, but for their noise.
  if (noise.each.size() > 0 || 2 * noise.off > 1.5 * noise.diagonal) return covariance_;
  // In the ball it keeps their sum alone.
  constexpr double firmly = 100;
  noise.diagonal = 2 * noise.off / firmly;
  Eigen::MatrixXd restored = covariance_;
  restored.diagonal() = released_covariance().diagonal().cwiseMax(0.0);
  return nearest_in_noise(restored, noise).matrix;
}

}  // namespace jme
