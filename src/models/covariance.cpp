#include <cmath>

#include <jme/models/covariance.hpp>

#include "models/release_checks.hpp"
#include "models/spectrum.hpp"
#include "models/unit_covariance.hpp"

namespace jme {
namespace {

Eigen::Map<const Eigen::VectorXd> first_of(const Release& release) {
  return {release.first().data(), static_cast<Eigen::Index>(release.dimension())};
}

// Noise on the variance of column i: G = e_i e_i'.
double variance_noise(const MomentNoise& noise, Eigen::Index i) {
  return noise.std_from(1, 4 * noise.mean()(i) * noise.mean()(i));
}

}  // namespace

Units Units::identity(std::size_t dimension) {
  const auto d = static_cast<Eigen::Index>(dimension);
  return {.centre = Eigen::VectorXd::Zero(d), .half_width = Eigen::VectorXd::Ones(d)};
}

MeanEstimate running_mean(const Release& release, const Units& units) {
  models::check_release(release, units);
  models::check_weights(release);
  const double w = release.weight_first();
  return {.value = units.centre + (units.half_width.array() * first_of(release).array() / w).matrix(),
          .noise_std = units.half_width.cwiseAbs() * (release.std_first() / w)};
}

CovarianceEstimate running_covariance(const Release& release, const Units& units, Bias bias) {
  models::check_second(release, units, true);
  models::check_weights(release);
  const MomentNoise noise(release);
  const Eigen::VectorXd& m = noise.mean();
  const Eigen::Index d = m.size();
  Eigen::MatrixXd deviation(d, d);
  for (Eigen::Index i = 0; i < d; ++i) {
    deviation(i, i) = variance_noise(noise, i);
    // G = (e_i e_j' + e_j e_i')/2.
    for (Eigen::Index j = i + 1; j < d; ++j) {
      deviation(i, j) = deviation(j, i) = noise.std_from(0.5, m(i) * m(i) + m(j) * m(j));
    }
  }
  const Eigen::MatrixXd scale = units.half_width * units.half_width.transpose();
  return {.value = models::unit_covariance(release, bias).cwiseProduct(scale),
          .noise_std = deviation.cwiseProduct(scale.cwiseAbs())};
}

VectorEstimate running_variance(const Release& release, const Units& units, Bias bias) {
  models::check_second(release, units, false);
  models::check_weights(release);
  const MomentNoise noise(release);
  const Eigen::VectorXd scale = units.half_width.cwiseAbs2();
  VectorEstimate result{.value = models::unit_covariance(release, bias).diagonal().cwiseProduct(scale),
                        .noise_std = scale};
  for (Eigen::Index i = 0; i < scale.size(); ++i) result.noise_std(i) *= variance_noise(noise, i);
  return result;
}

Eigen::MatrixXd nearest_semidefinite(const Eigen::MatrixXd& symmetric, double floor) {
  const models::Spectrum parts = models::spectrum(symmetric);
  if (parts.values(0) >= floor) return symmetric;
  return models::rebuilt(parts, parts.values.cwiseMax(floor));
}

MeanEstimate natural_first(const Release& release, const Units& units) {
  models::check_release(release, units);
  return {.value = release.weight_first() * units.centre + units.half_width.cwiseProduct(first_of(release)),
          .noise_std = units.half_width.cwiseAbs() * release.std_first()};
}

CovarianceEstimate natural_second(const Release& release, const Units& units) {
  models::check_second(release, units, false);
  const Eigen::VectorXd& c = units.centre;
  const Eigen::VectorXd h = units.half_width.cwiseAbs();
  const bool full = release.second_kind() == SecondMoment::full;
  CovarianceEstimate result{.value = release.second_matrix(), .noise_std = h * h.transpose()};
  // sum w (c + h u)(c + h u)' = W cc' + c (h Y)' + (h Y) c' + h S h, if Y and S have the same weights.
  const Eigen::VectorXd y = units.half_width.cwiseProduct(first_of(release));
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    for (Eigen::Index j = 0; j < c.size(); ++j) {
      double& value = result.value(i, j);
      double& deviation = result.noise_std(i, j);
      if (i != j && !full) {
        deviation = 0;
        continue;
      }
      value = value * units.half_width(i) * units.half_width(j) + release.weight_second() * c(i) * c(j) +
              c(i) * y(j) + c(j) * y(i);
      // Half the variance off the diagonal (docs/theory/calibration.md#symmetric-noise), where also the two
      // cross terms carry different noise.
      deviation *= release.std_second() * (i == j ? 1 : std::sqrt(0.5));
      const double cross =
          release.std_first() * (i == j ? 2 * std::abs(c(i)) * h(i) : std::hypot(c(i) * h(j), c(j) * h(i)));
      deviation = release.shares_noise() ? deviation + cross : std::hypot(deviation, cross);
    }
  }
  return result;
}

}  // namespace jme
