#include "experiments/sigma_curve.hpp"

#include <algorithm>
#include <cmath>

#include <jme/calibration/calibration.hpp>

namespace jme::experiments {
namespace {

// Far apart, so that either term dominates at one of them and neither is lost to rounding.
constexpr double small_sigma = 0.1, large_sigma = 10;

// Squared ratio of the second channel's noise without and with the slack for rounding to the lattice.
double without_slack(const Mechanism& mechanism) {
  const StreamConfig& config = mechanism.config();
  const Calibration ideal = calibrate({.method = config.method,
                                       .sigma = mechanism.sigma(),
                                       .rows = {.adjacency = config.adjacency,
                                                .dimension = config.dimension,
                                                .norm_bound = config.norm_bound,
                                                .geometry = mechanism.geometry()},
                                       .exposure = mechanism.exposure(),
                                       .second = config.second,
                                       .lambda = mechanism.calibration().lambda,
                                       .alpha = config.alpha,
                                       .tau = config.tau});
  const double ratio = ideal.std_second / mechanism.calibration().std_second;
  return ratio * ratio;
}

Interval second_error(StreamConfig config, double sigma, Count count) {
  config.budget = {.sigma = sigma};
  const Mechanism mechanism(config);
  const Interval error = expected_error(mechanism, count).second;
  if (squares_noisy_rows(config.method)) return error;  // nothing is rounded in it
  const double ratio = without_slack(mechanism);
  return {ratio * error.low, ratio * error.high};
}

SigmaCurve fitted(double at_small, double at_large) {
  const double s = small_sigma * small_sigma, l = large_sigma * large_sigma;
  const double fourth = (at_large / l - at_small / s) / (l - s);
  // For methods without a fourth power, rounding leaves a small number there, which would make a false
  // crossover.
  const bool has_fourth = std::abs(fourth) * l > 1e-9 * at_large / l;
  return {.square = has_fourth ? at_small / s - fourth * s : at_small / s, .fourth = has_fourth ? fourth : 0};
}

}  // namespace

SigmaCurve SigmaCurve::through(const std::function<double(double)>& squared_error) {
  return fitted(squared_error(small_sigma), squared_error(large_sigma));
}

double SigmaCurve::squared_error(double sigma) const {
  const double w = sigma * sigma;
  return w * (square + fourth * w);
}

double SigmaCurve::error(double sigma) const {
  return std::sqrt(squared_error(sigma));
}

std::optional<double> crossover(const SigmaCurve& a, const SigmaCurve& b) {
  const double squares = a.square - b.square, fourths = b.fourth - a.fourth;
  // Equal to rounding, as JME and PP are for d = 2 rows in a ball: no crossover at some tiny sigma.
  if (std::abs(squares) < 1e-9 * std::max(a.square, b.square)) return std::nullopt;
  if (fourths == 0 || squares / fourths <= 0) return std::nullopt;
  return std::sqrt(squares / fourths);
}

std::vector<double> errors_at(const SigmaCurve& curve, const std::vector<double>& sigmas) {
  std::vector<double> errors(sigmas.size());
  std::transform(sigmas.begin(), sigmas.end(), errors.begin(),
                 [&](double sigma) { return curve.error(sigma); });
  return errors;
}

std::vector<double> logarithmic_grid(double low, double high, std::size_t count) {
  std::vector<double> grid(count);
  for (std::size_t i = 0; i < count; ++i) {
    grid[i] = low * std::pow(high / low, static_cast<double>(i) / static_cast<double>(count - 1));
  }
  grid.back() = high;
  return grid;
}

SecondErrorCurves second_error_curves(const StreamConfig& config, Count count) {
  const Interval small = second_error(config, small_sigma, count);
  const Interval large = second_error(config, large_sigma, count);
  return {.attained = fitted(small.low, large.low), .proven = fitted(small.high, large.high)};
}

}  // namespace jme::experiments
