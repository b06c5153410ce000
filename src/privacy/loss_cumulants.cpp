#include "privacy/loss_cumulants.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <numbers>

namespace jme::privacy {
namespace {

// A window leaves out e^-reach of the tilted law at each end: what is left out wraps round. From above it
// lands below the epsilon asked for; from below it lands where its weight is small.
constexpr double reach = 14;
// Past its top lies e^-margin of the delta asked for, which is charged to it.
constexpr double margin = 18;
constexpr double first_position = -10;
constexpr double fewest_points = 0x1p15;
constexpr double most_points = 0x1p21;

/// The t up to `largest` where the rising function is `goal`, to some digits, on a logarithmic scale.
double solve_rising(std::invocable<double> auto&& function, double goal, double largest) {
  double low = std::log(largest) - 100, high = std::log(largest);
  for (int i = 0; i < 70; ++i) {
    const double middle = (low + high) / 2;
    (function(std::exp(middle)) < goal ? low : high) = middle;
  }
  return std::exp(low);
}

/// With a larger tilt, only the very end of the one-step law would matter, and few points would represent it.
double largest_tilt(const LossCumulants& cumulants) {
  return 400 / (cumulants.largest_loss() - cumulants.at(0).mean);
}

/// log of e^(n (K - t K')) / delta at epsilon = n K', by the saddle-point approximation, tamed near t = 0.
double log_prefactor(const LossCumulants::Values& k, double steps, double tilt) {
  return std::log(2 + std::sqrt(2 * std::numbers::pi * steps * k.variance) * tilt * (1 + tilt));
}

/// Least value over t > 0 of a function that first falls and then rises in log t: golden section.
struct Least {
  double at, value;
};
Least least_over_scale(std::invocable<double> auto&& function, double guess, double largest) {
  constexpr double golden = 0.6180339887498949;
  double high = std::log(std::min(largest, guess * 1e6)), low = high - 28;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double fa = function(std::exp(a)), fb = function(std::exp(b));
  for (int i = 0; i < 40; ++i) {
    if (fa < fb) {
      high = b, b = a, fb = fa;
      a = high - golden * (high - low);
      fa = function(std::exp(a));
    } else {
      low = a, a = b, fa = fb;
      b = low + golden * (high - low);
      fb = function(std::exp(b));
    }
  }
  return fa < fb ? Least{std::exp(a), fa} : Least{std::exp(b), fb};
}

Window window_at(const LossCumulants& cumulants, double steps, double tilt) {
  const auto here = cumulants.at(tilt);
  const double centre = steps * here.mean;
  const double guess = std::sqrt(2 * reach / (steps * here.variance));
  const double furthest = largest_tilt(cumulants);
  const auto growth = [&](double t) { return steps * (cumulants.at(tilt + t).value - here.value); };
  const Least below = least_over_scale([&](double t) { return (growth(-t) + reach) / t; }, guess, furthest);
  const Least above = least_over_scale([&](double t) { return (growth(t) + reach) / t; }, guess, furthest);
  const double left_out = margin + log_prefactor(here, steps, tilt);
  const Least past = least_over_scale(
      [&](double t) { return (growth(t) + left_out + tilt * centre) / (tilt + t); }, guess, furthest);
  const double bottom = -below.value;
  return {.tilt = tilt,
          .bottom = bottom,
          .top = std::max(past.value, above.value - (centre - bottom) / 2),
          .centre = centre,
          .top_tilt = tilt + past.at};
}

}  // namespace

LossCumulants::LossCumulants(const LossPair& pair, double last) {
  constexpr double spacing = 1.0 / 64;
  const auto points = static_cast<std::size_t>(std::ceil((last - first_position) / spacing));
  const double step = (last - first_position) / static_cast<double>(points);
  for (std::size_t i = 0; i <= points; ++i) {
    const double x = first_position + step * static_cast<double>(i);
    losses_.push_back(pair.loss(x));
    log_masses_.push_back(std::log(step * pair.density(x)));
  }
}

LossCumulants::Values LossCumulants::at(double tilt) const {
  double largest = -1e300;
  for (std::size_t i = 0; i < losses_.size(); ++i)
    largest = std::max(largest, log_masses_[i] + tilt * losses_[i]);
  double sum = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    const double weight = std::exp(log_masses_[i] + tilt * losses_[i] - largest);
    sum += weight;
    first += weight * losses_[i];
  }
  const double mean = first / sum;
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    const double weight = std::exp(log_masses_[i] + tilt * losses_[i] - largest);
    second += weight * (losses_[i] - mean) * (losses_[i] - mean);
  }
  return {.value = largest + std::log(sum), .mean = mean, .variance = second / sum};
}

Window window_for_delta(const LossCumulants& cumulants, double steps, double delta) {
  const double tilt = solve_rising(
      [&](double t) {
        const auto k = cumulants.at(t);
        return steps * (t * k.mean - k.value) + log_prefactor(k, steps, t);
      },
      -std::log(delta), largest_tilt(cumulants));
  return window_at(cumulants, steps, tilt);
}

Window window_for_epsilon(const LossCumulants& cumulants, double steps, double epsilon) {
  const double tilt =
      solve_rising([&](double t) { return steps * cumulants.at(t).mean; }, epsilon, largest_tilt(cumulants));
  return window_at(cumulants, steps, tilt);
}

double wanted_spacing(const Window& window, double steps, double epsilon) {
  return std::sqrt(12 * grid_tolerance * epsilon / (steps * (1 + window.tilt)));
}

double affordable_spacing(const Window& window, double steps, double epsilon) {
  const double range = window.top - window.bottom;
  const double wanted = wanted_spacing(window, steps, std::max(epsilon, 1e-3 * range));
  const double points = std::clamp(range / wanted, fewest_points, most_points);
  return range / (std::exp2(std::ceil(std::log2(points))) - 4);
}

}  // namespace jme::privacy
