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
    : units_(std::move(units)),
      noise_(checked(release, units_)),
      mean_(noise_.mean()),
      covariance_(models::unit_covariance(release, bias)) {
  const models::Spectrum parts = models::spectrum(covariance_);
  const Eigen::VectorXd values = parts.values.cwiseMax(noise_.level());
  definite_ = parts.values(0) < noise_.level() ? models::rebuilt(parts, values) : covariance_;
  inverse_ = models::rebuilt(parts, values.cwiseInverse());
  log_det_ = values.array().log().sum();
}

}  // namespace jme
