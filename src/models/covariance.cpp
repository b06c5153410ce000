#include <algorithm>
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

}  // namespace

Units Units::identity(std::size_t dimension) {
  const auto d = static_cast<Eigen::Index>(dimension);
  return {.centre = Eigen::VectorXd::Zero(d), .half_width = Eigen::VectorXd::Ones(d)};
}

MeanEstimate running_mean(const Release& release, const Units& units) {
  return running_mean(release, units, Divisors(release));
}

MeanEstimate running_mean(const Release& release, const Units& units, const Divisors& divisors) {
  models::check_release(release, units);
  models::check_weights(release);
  MeanEstimate result{.value = first_of(release), .noise_std = units.half_width.cwiseAbs()};
  for (Eigen::Index i = 0; i < result.value.size(); ++i) {
    const double n = divisors.first(static_cast<std::size_t>(i));
    const double unit_mean = result.value(i) / n;
    result.value(i) = units.centre(i) + units.half_width(i) * result.value(i) / n;
    // A noisy divisor adds the noise of m n/N.
    result.noise_std(i) *= std::hypot(release.std_first(), unit_mean * divisors.std_first()) / n;
  }
  return result;
}

MeanInterval mean_interval(const Release& release, const Units& units) {
  return mean_interval(release, units, Eigen::VectorXd::Zero(units.centre.size()));
}

MeanInterval mean_interval(const Release& release, const Units& units, const Eigen::VectorXd& variance) {
  models::check_release(release, units);
  models::check_weights(release);
  constexpr double z = half_95;
  // Every count serves here, also one that nothing else is divided by.
  const Eigen::Index d = units.centre.size();
  MeanInterval result{.low = Eigen::VectorXd::Constant(d, NAN), .high = Eigen::VectorXd::Constant(d, NAN)};
  for (Eigen::Index i = 0; i < d; ++i) {
    const double x = first_of(release)(i);
    double v1 = std::pow(release.std_first(), 2), n = release.weight_first(), vc = 0;
    if (release.layout().cell_counts) {
      n = release.counts()[static_cast<std::size_t>(i)];
      vc = std::pow(release.std_count(), 2);
    } else if (release.row_count()) {
      n = *release.row_count();
      vc = std::pow(release.std_rows(), 2);
    }
    v1 += n * n * variance(i) / std::pow(units.half_width(i), 2);
    // m^2 (n^2 - z^2 vc) - 2 m x n + x^2 - z^2 v1 <= 0 is an interval where the parabola opens upwards.
    const double open = n * n - z * z * vc;
    if (!(n > 0) || !(open > 0) || std::isnan(v1)) {
      result.reasons = {NoInterval::few_rows};
      continue;
    }
    const double half = z * std::sqrt(v1 * open + x * x * vc);
    const double one = units.centre(i) + units.half_width(i) * (x * n - half) / open;
    const double other = units.centre(i) + units.half_width(i) * (x * n + half) / open;
    result.low(i) = std::min(one, other);
    result.high(i) = std::max(one, other);
  }
  return result;
}

CovarianceEstimate running_covariance(const Release& release, const Units& units, Bias bias) {
  return running_covariance(release, units, bias, Divisors(release));
}

CovarianceEstimate running_covariance(const Release& release, const Units& units, Bias bias,
                                      const Divisors& divisors) {
  models::check_second(release, units, true);
  models::check_weights(release);
  const Eigen::MatrixXd scale = units.half_width * units.half_width.transpose();
  return {
      .value = models::unit_covariance(release, divisors, bias).cwiseProduct(scale),
      .noise_std = models::covariance_noise(MomentNoise(release, divisors)).cwiseProduct(scale.cwiseAbs())};
}

CovarianceEstimate covariance(const RunningMoments& moments) {
  const Eigen::VectorXd& h = moments.units().half_width;
  const Eigen::MatrixXd scale = h * h.transpose();
  return {.value = moments.covariance().cwiseProduct(scale),
          .noise_std = models::covariance_noise(moments.noise()).cwiseProduct(scale.cwiseAbs())};
}

VectorEstimate running_variance(const Release& release, const Units& units, Bias bias) {
  return running_variance(release, units, bias, Divisors(release));
}

VectorEstimate running_variance(const Release& release, const Units& units, Bias bias,
                                const Divisors& divisors) {
  models::check_second(release, units, false);
  models::check_weights(release);
  const MomentNoise noise(release, divisors);
  const Eigen::VectorXd scale = units.half_width.cwiseAbs2();
  VectorEstimate result{
      .value = models::unit_covariance(release, divisors, bias).diagonal().cwiseProduct(scale),
      .noise_std = scale};
  for (Eigen::Index i = 0; i < scale.size(); ++i) result.noise_std(i) *= noise.std_of_pair(i, i, {.ii = 1});
  return result;
}

Eigen::MatrixXd models::covariance_noise(const MomentNoise& noise) {
  const Eigen::Index d = noise.mean().size();
  Eigen::MatrixXd deviation(d, d);
  for (Eigen::Index i = 0; i < d; ++i) {
    deviation(i, i) = noise.std_of_pair(i, i, {.ii = 1});
    for (Eigen::Index j = i + 1; j < d; ++j) {
      deviation(i, j) = deviation(j, i) = noise.std_of_pair(i, j, {.ij = 0.5});
    }
  }
  return deviation;
}

Eigen::MatrixXd nearest_semidefinite(const Eigen::MatrixXd& symmetric, double floor) {
  const models::Spectrum parts = models::spectrum(symmetric);
  if (parts.values(0) >= floor) return symmetric;
  return models::rebuilt(parts, parts.values.cwiseMax(floor));
}

}  // namespace jme
