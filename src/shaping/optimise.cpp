#include "shaping/optimise.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shaping/coordinates.hpp"

namespace jme::shaping {
namespace {

/// With more buffers than the horizon needs, some directions are flat: this much of the squared coordinates
/// is added, so that poles and zeros keep apart in floating point. It costs less than 1e-6 of the loss.
constexpr double ridge = 1e-8;
/// With one or two buffers the powers of the schedule would grow without bound, as (1 + t/c)^s tends to an
/// exponential, for gains of a few 1e-4. This keeps them of order 1, where tables can be interpolated.
constexpr double power_ridge = 1e-5;
/// Over a long horizon the end's offset hardly matters; this keeps it near 1 step.
constexpr double end_offset_ridge = 1e-6;

/// Taps after which only few steps come hardly matter.
constexpr double tap_ridge = 1e-6;

double longest_time(double steps, double decay) {
  return decay < 1 ? std::min(steps, 1 / (1 - decay)) : steps;
}

}  // namespace

std::vector<double> geometric_coordinates(std::size_t buffers, double longest) {
  const double shortest = 1.5;
  const double ratio = std::max(2.0, longest / shortest);
  BltParameters start;
  for (std::size_t i = 0; i < 2 * buffers; ++i) {
    const double below = static_cast<double>(i) / static_cast<double>(2 * buffers - 1);
    (i % 2 == 0 ? start.poles : start.zeros).push_back(1 - 1 / (shortest * std::pow(ratio, 1 - below)));
  }
  return coordinates_of(start, 1);
}

Minimum optimise_blt(const BltLoss::Problem& problem, std::size_t buffers) {
  const BltLoss loss(problem);
  const double longest = problem.window > 0 ? static_cast<double>(problem.window)
                                            : longest_time(static_cast<double>(problem.steps), problem.decay);
  const auto regularised = [&loss](std::span<const double> x) {
    double penalty = 0;
    for (const double value : x) penalty += ridge * value * value;
    return loss(x) + penalty;
  };
  // Central differences are good to about 1e-10 here.
  return minimise(by_differences(regularised), geometric_coordinates(buffers, longest),
                  {.max_iterations = 300, .gradient_tolerance = 1e-7, .value_tolerance = 1e-10});
}

Minimum optimise_window(const WindowLoss& loss, std::size_t window, std::size_t buffers) {
  std::vector<double> start = geometric_coordinates(buffers, static_cast<double>(window));
  // (1 - y)^(-1/2) = 1 + y/2 + 3/8 y^2 + ..., slightly smaller because it ends after three terms.
  constexpr double root[WindowLoss::most_lags] = {0.4, 0.2, 0.1};
  start.insert(start.end(), root, root + loss.lags());
  const std::size_t gaps = 2 * buffers;
  const auto regularised = [&loss, gaps](std::span<const double> x) {
    double penalty = 0;
    for (std::size_t i = 0; i < x.size(); ++i) penalty += (i < gaps ? ridge : tap_ridge) * x[i] * x[i];
    return loss(x) + penalty;
  };
  return minimise(by_differences(regularised), std::move(start),
                  {.max_iterations = 100, .gradient_tolerance = 1e-6, .value_tolerance = 1e-8});
}

Minimum optimise_scaled_blt(const ScaledBltProblem& problem, std::size_t buffers, std::vector<double> start,
                            const LbfgsOptions& options) {
  if (start.empty()) {
    start = geometric_coordinates(buffers, longest_time(static_cast<double>(problem.steps), problem.decay));
    start.insert(start.end(), {0.0, problem.mean ? -0.9 : 0.0, 0.7, 0.05});
  }
  const std::size_t gaps = start.size() - 4;
  const auto regularised = [&problem, gaps](std::span<const double> x, std::span<double> gradient) {
    double loss = scaled_blt_log_loss(problem, x, gradient);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double weight = i < gaps + 1 ? ridge : i == gaps + 2 ? end_offset_ridge : power_ridge;
      loss += weight * x[i] * x[i];
      gradient[i] += 2 * weight * x[i];
    }
    return loss;
  };
  return minimise(regularised, std::move(start), options);
}

}  // namespace jme::shaping
