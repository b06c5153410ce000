#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/subsampled.hpp>

#include "privacy/composition.hpp"
#include "privacy/least_root.hpp"
#include "privacy/loss_cumulants.hpp"
#include "privacy/subsampled_checks.hpp"

namespace jme {
namespace privacy {

// Cells of the one-step law far from zero: their relative width adds 1/(6 * 512^2) of the variance.
constexpr double cell_resolution = 512;
// Single losses that are left out are charged to delta: this share of it.
constexpr double truncated_share = 1e-9;

/// A position past which less than `mass` of N(0, 1) lies.
double tail_position(double mass) {
  double z = 1;
  while (std::erfc(z / std::numbers::sqrt2) / 2 > mass && z < 38) z += 1.0 / 8;
  return z;
}

Grid grid_for(const Window& window, double steps, double epsilon, double last) {
  return {.spacing = affordable_spacing(window, steps, epsilon),
          .centre = window.centre / steps,
          .resolution = cell_resolution,
          .last = last};
}

/// A bound on any sum of losses: with an added row, one loss is at most -log(1 - q).
double largest_sum(const SubsampledGaussian& mechanism, Direction direction) {
  if (direction != Direction::add) return std::numeric_limits<double>::infinity();
  return -static_cast<double>(mechanism.steps) * std::log1p(-mechanism.sampling_rate) * (1 + 0x1p-50);
}

/// The epsilon of one direction, or any bound on it that is at most `enough`.
double epsilon_in_direction(const SubsampledGaussian& mechanism, Direction direction, double delta,
                            double enough) {
  const double largest = largest_sum(mechanism, direction);
  if (largest <= enough) return largest;
  const LossPair pair(mechanism, direction);
  const auto steps = static_cast<double>(mechanism.steps);
  const double last = pair.shift() + tail_position(truncated_share * delta / steps);
  const LossCumulants cumulants(pair, last);
  Window window = window_for_delta(cumulants, steps, delta);
  Grid grid = grid_for(window, steps, window.centre, last);
  double epsilon = DeltaCurve(discretise(pair, grid), steps, window).epsilon(delta);
  // The saddle point may be far off where few steps, or rare ones, decide: look again from the epsilon found.
  for (int pass = 0; pass < 4; ++pass) {
    const bool fine = grid.spacing <= 1.5 * wanted_spacing(window, steps, epsilon);
    const bool central = std::abs(window.centre - epsilon) <= epsilon / 4;
    if (epsilon <= enough || (fine && central) || !std::isfinite(epsilon)) break;
    const double before = epsilon;
    window = window_for_epsilon(cumulants, steps, epsilon);
    grid = grid_for(window, steps, epsilon, last);
    epsilon = std::min(epsilon, DeltaCurve(discretise(pair, grid), steps, window).epsilon(delta));
    if (epsilon > before * (1 - grid_tolerance)) break;
  }
  return std::min(largest, epsilon);
}

double delta_in_direction(const SubsampledGaussian& mechanism, Direction direction, double epsilon) {
  if (epsilon >= largest_sum(mechanism, direction)) return 0;
  const LossPair pair(mechanism, direction);
  const auto steps = static_cast<double>(mechanism.steps);
  // Chernoff's bound says how small delta is, and with it how far the one-step law must be followed.
  const LossCumulants all(pair, pair.shift() + 38);
  const double tilt = window_for_epsilon(all, steps, epsilon).tilt;
  const double log_delta = steps * all.at(tilt).value - tilt * epsilon;
  const double delta = std::max(1e-290, std::exp(std::min(0.0, log_delta)) * 1e-3);
  const double last = pair.shift() + tail_position(truncated_share * delta / steps);
  const LossCumulants cumulants(pair, last);
  // No sum gets there without a loss from beyond the last position.
  if (epsilon >= steps * (cumulants.largest_loss() + pair.loss_error(last))) return steps * pair.tail(last);
  const Window window = window_for_epsilon(cumulants, steps, epsilon);
  const auto step = discretise(pair, grid_for(window, steps, epsilon, last));
  return DeltaCurve(step, steps, window).delta(epsilon);
}

std::vector<Direction> directions(Adjacency adjacency) {
  if (adjacency == Adjacency::replace_one) return {Direction::replace};
  return {Direction::remove, Direction::add};
}

double composed_epsilon(const SubsampledGaussian& mechanism, double delta) {
  double largest = 0;
  for (const Direction direction : directions(mechanism.adjacency)) {
    largest = std::max(largest, epsilon_in_direction(mechanism, direction, delta, largest));
  }
  return largest;
}

double composed_delta(const SubsampledGaussian& mechanism, double epsilon) {
  double largest = 0;
  for (const Direction direction : directions(mechanism.adjacency)) {
    largest = std::max(largest, delta_in_direction(mechanism, direction, epsilon));
  }
  return std::min(1.0, largest);
}

}  // namespace privacy

namespace {

/// Without subsampling all steps together are one Gaussian mechanism, known exactly.
double joined_sigma(const SubsampledGaussian& mechanism) {
  return mechanism.sigma / std::sqrt(static_cast<double>(mechanism.steps)) *
         (1 - 4 * std::numeric_limits<double>::epsilon());
}

}  // namespace

double pld_epsilon(const SubsampledGaussian& mechanism, Delta delta) {
  privacy::check(mechanism);
  if (mechanism.sampling_rate == 1) return gaussian_epsilon(joined_sigma(mechanism), delta);
  const double epsilon = privacy::composed_epsilon(mechanism, delta);
  // Both are upper bounds; at the ends of the range the grid's bound is the looser one.
  const double renyi = rdp_epsilon(mechanism, delta).epsilon;
  return std::isfinite(epsilon) ? std::min(epsilon, renyi) : renyi;
}

double pld_delta(const SubsampledGaussian& mechanism, double epsilon) {
  privacy::check(mechanism);
  if (!(epsilon >= 0) || !std::isfinite(epsilon))
    throw InvalidParameter("epsilon", epsilon, "a finite number of at least 0");
  if (mechanism.sampling_rate == 1) return gaussian_delta(joined_sigma(mechanism), epsilon);
  return privacy::composed_delta(mechanism, epsilon);
}

double subsampled_noise_multiplier(const SubsampledGaussian& mechanism, ApproxDp budget) {
  SubsampledGaussian candidate = mechanism;
  candidate.sigma = 1;
  privacy::check(candidate);
  if (candidate.sampling_rate == 1) {
    return noise_multiplier(budget) * std::sqrt(static_cast<double>(candidate.steps)) *
           (1 + 4 * std::numeric_limits<double>::epsilon());
  }
  const double goal = budget.epsilon;
  // log of epsilon over the goal: nearly linear in log sigma.
  const auto excess = [&](double sigma) {
    candidate.sigma = sigma;
    return std::log(std::max(pld_epsilon(candidate, budget.delta), 1e-3 * goal) / goal);
  };
  // Renyi accounting is quick and never gives a smaller epsilon: a sigma that is enough for it is enough.
  double high = 1;
  const auto enough_for_rdp = [&](double sigma) {
    candidate.sigma = sigma;
    return rdp_epsilon(candidate, budget.delta).epsilon <= goal;
  };
  while (!enough_for_rdp(high)) {
    high *= 2;
    if (high > privacy::largest_sigma)
      throw InvalidParameter("epsilon", goal, "large enough for a finite noise multiplier");
  }
  while (high / 2 >= privacy::least_sigma && enough_for_rdp(high / 2)) high /= 2;
  double low = std::max(privacy::least_sigma, high / 2);
  if (enough_for_rdp(low)) return low;
  for (int i = 0; i < 8; ++i) {
    const double middle = std::sqrt(low * high);
    (enough_for_rdp(middle) ? high : low) = middle;
  }
  double at_high = excess(high);
  while (at_high > 0) {  // only where rounding made PLD the looser one
    high *= 1.01;
    at_high = excess(high);
  }
  low = std::max(privacy::least_sigma, high / 1.05);
  double at_low = excess(low);
  while (at_low <= 0) {
    high = low, at_high = at_low;
    low /= 1.1;
    if (low < privacy::least_sigma) return high;
    at_low = excess(low);
  }
  return privacy::least_root(excess, {.at = low, .value = at_low}, {.at = high, .value = at_high}, 1e-6);
}

}  // namespace jme
