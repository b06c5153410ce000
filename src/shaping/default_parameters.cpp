#include "shaping/default_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include <jme/base/errors.hpp>

#include "shaping/coordinates.hpp"
#include "shaping/optimise.hpp"
#include "shaping/scaled_blt_table.hpp"
#include "shaping/series.hpp"

namespace jme::shaping {
namespace {

/// With a decay this fast there is nothing to shape; poles below it would only lose digits.
double ceiling_of(const Workload& workload, const Horizon& horizon) {
  return std::max(decay_per_step(workload, horizon), 1e-3);
}

/// The L_256 norm of the variances is within log(n)/256 of their maximum, and its minimiser within 0.3%.
constexpr double max_exponent = 256;

/// Optimised coordinates to four digits or so: the loss is flat there, and machines whose libraries differ in
/// the last bit mostly arrive at the same C.
std::vector<double> rounded(std::vector<double> x) {
  for (double& value : x) value = std::ldexp(std::round(std::ldexp(value, 14)), -14);
  return x;
}

void need_closed_form(const Workload& workload) {
  if (workload.kind() == Workload::Kind::custom) {
    throw InvalidParameter(
        "shape",
        "blt and scaled-blt are optimised for prefix, mean, decay and window only; for a custom "
        "workload use identity, dense or a matrix");
  }
}

/// What a stream without a horizon is designed for: longer than the engine's 2^26 releases.
constexpr std::size_t endless_steps = 100'000'000;

/// Schedules that fall for ever, slowly enough to be good at every length (GUARANTEES.md has the errors).
constexpr double endless_prefix_offset = 30, endless_prefix_power = -0.3, endless_mean_power = -0.9;

ScaledBltParameters endless_scaled_blt(const Workload& workload, const Horizon& horizon,
                                       std::size_t buffers) {
  switch (workload.kind()) {
    case Workload::Kind::prefix:
      return {.blt = blt_from_coordinates(rounded(optimise_blt({.steps = endless_steps}, buffers).x), 1),
              .start_offset = endless_prefix_offset,
              .start_power = endless_prefix_power};
    case Workload::Kind::mean: {
      ScaledBltParameters parameters = scaled_blt_from_coordinates(
          tabulated_scaled_blt(ScaledBltTable::mean, buffers, static_cast<double>(endless_steps), 0), 1);
      return {.blt = std::move(parameters.blt), .start_offset = 0, .start_power = endless_mean_power};
    }
    default: {
      const double ceiling = ceiling_of(workload, horizon);
      const Minimum minimum = optimise_blt({.steps = endless_steps, .decay = ceiling}, buffers);
      return {.blt = blt_from_coordinates(rounded(minimum.x), ceiling)};
    }
  }
}

/// A BLT and taps at the window's multiples; a window that never ends is a prefix sum.
ScaledBltParameters window_blt(const Workload& workload, const Horizon& horizon, std::size_t buffers,
                               Objective objective) {
  if (horizon.is_unbounded()) {
    throw InvalidParameter("workload", workload.name(), "prefix, mean or decay with an unbounded horizon");
  }
  const std::size_t window = steps_in_window(workload, horizon);
  if (window >= horizon.steps()) return default_scaled_blt(prefix(), horizon, buffers, objective);
  const WindowLoss loss(horizon.steps(), window);
  const std::vector<double> x = rounded(optimise_window(loss, window, buffers).x);
  ScaledBltParameters parameters{.blt = blt_from_coordinates(std::span(x).first(2 * buffers), 1)};
  for (std::size_t i = 0; i < loss.lags(); ++i) {
    parameters.lag_taps.push_back({.lag = (i + 1) * window, .weight = x[2 * buffers + i]});
  }
  return parameters;
}

}  // namespace

std::size_t endless_decay_buffers(const Workload& workload, const Horizon& horizon, std::size_t most) {
  constexpr double close = 1e-5;
  const double beta = decay_per_step(workload, horizon);
  const double optimum = 2 * std::numbers::inv_pi * std::comp_ellint_1(beta);
  if (1 / std::sqrt((1 - beta) * (1 + beta)) < optimum * (1 + close)) return 0;
  for (std::size_t buffers = 1; buffers < std::min(most, Shape::max_buffers); ++buffers) {
    const double log_squared =
        optimise_blt({.steps = endless_steps, .decay = ceiling_of(workload, horizon)}, buffers).value;
    if (std::exp(log_squared / 2) < optimum * (1 + close)) return buffers;
  }
  return std::min(most, Shape::max_buffers);
}

BltParameters default_blt(const Workload& workload, const Horizon& horizon, std::size_t buffers,
                          Objective objective) {
  need_closed_form(workload);
  const bool window = workload.kind() == Workload::Kind::window;
  const double ceiling = ceiling_of(workload, horizon);
  const Minimum minimum = optimise_blt({.steps = horizon.steps(),
                                        .decay = ceiling,
                                        .window = window ? steps_in_window(workload, horizon) : 0,
                                        .mean = workload.kind() == Workload::Kind::mean,
                                        .objective = objective},
                                       buffers);
  return blt_from_coordinates(rounded(minimum.x), ceiling);
}

ScaledBltParameters default_scaled_blt(const Workload& workload, const Horizon& horizon, std::size_t buffers,
                                       Objective objective) {
  need_closed_form(workload);
  if (workload.kind() == Workload::Kind::window) return window_blt(workload, horizon, buffers, objective);
  if (horizon.is_unbounded()) return endless_scaled_blt(workload, horizon, buffers);
  const double ceiling = ceiling_of(workload, horizon);
  const auto steps = static_cast<double>(horizon.steps());
  const bool mean = workload.kind() == Workload::Kind::mean;
  const bool by_max = objective == Objective::max && !mean;  // for a mean the identity has the least maximum
  const double fading = -steps * std::log(ceiling);
  if (fading > ScaledBltGrid::largest_fading()) {
    // Start and end are a hundredth of the horizon or less: a schedule would gain nothing.
    return {.blt = default_blt(workload, horizon, buffers, objective)};
  }
  if (steps >= ScaledBltGrid::smallest_steps()) {
    const ScaledBltTable table = mean     ? ScaledBltTable::mean
                                 : by_max ? ScaledBltTable::max
                                          : ScaledBltTable::rmse;
    return scaled_blt_from_coordinates(tabulated_scaled_blt(table, buffers, steps, fading), ceiling);
  }
  const ScaledBltProblem by_rmse{.steps = horizon.steps(), .decay = ceiling, .mean = mean, .exponent = 1};
  Minimum minimum = optimise_scaled_blt(by_rmse, buffers);
  if (by_max) {
    for (const double sharper : {16.0, max_exponent}) {  // towards the maximum by stages
      ScaledBltProblem problem = by_rmse;
      problem.exponent = sharper;
      minimum = optimise_scaled_blt(problem, buffers, std::move(minimum.x));
    }
  }
  return scaled_blt_from_coordinates(rounded(minimum.x), ceiling);
}

}  // namespace jme::shaping
