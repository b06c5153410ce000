#include "shaping/default_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <jme/base/errors.hpp>

#include "shaping/coordinates.hpp"
#include "shaping/optimise.hpp"
#include "shaping/scaled_blt_table.hpp"
#include "shaping/series.hpp"

namespace jme::shaping {
namespace {

/// A decay this fast leaves nothing to shape; poles below it would only lose digits.
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

}  // namespace

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
  if (workload.kind() == Workload::Kind::window) {
    throw InvalidParameter("shape", "scaled-blt has no schedule for windows; use blt, banded or sqrt");
  }
  const double ceiling = ceiling_of(workload, horizon);
  const auto steps = static_cast<double>(horizon.steps());
  const bool mean = workload.kind() == Workload::Kind::mean;
  const bool by_max = objective == Objective::max && !mean;  // of a mean the identity has the least maximum
  const double fading = -steps * std::log(ceiling);
  if (fading > ScaledBltGrid::largest_fading()) {
    // Start and end are a hundredth of the horizon or less: the schedule has nothing to gain.
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
