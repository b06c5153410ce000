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

RunningMoments::RunningMoments(const Release& release, Units units, Bias bias)
    : RunningMoments(release, std::move(units), bias, Divisors(release)) {}

RunningMoments::RunningMoments(const Release& release, Units units, Bias bias, const Divisors& divisors)
    : units_(std::move(units)),
      noise_(checked(release, units_), divisors),
      mean_(noise_.mean()),
      covariance_(models::unit_covariance(release, divisors, bias)) {
  if (divisors.kind() != Divisors::Kind::weights && covariance_.hasNaN()) {
    is_known_ = false;
    definite_ = inverse_ = Eigen::MatrixXd::Constant(mean_.size(), mean_.size(), NAN);
    log_det_ = NAN;
    return;
  }
  const models::Spectrum parts = models::spectrum(covariance_);
  const Eigen::VectorXd values = parts.values.cwiseMax(noise_.level());
  definite_ = parts.values(0) < noise_.level() ? models::rebuilt(parts, values) : covariance_;
  inverse_ = models::rebuilt(parts, values.cwiseInverse());
  log_det_ = values.array().log().sum();
}

}  // namespace jme
