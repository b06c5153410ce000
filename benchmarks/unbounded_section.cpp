#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>

#include "filter/error_norm_stream.hpp"
#include "sections.hpp"

namespace jme::bench {
namespace {

Filter endless_shape(const Workload& workload) {
  const Horizon horizon = Horizon::unbounded();
  return choose_shape(workload, horizon, Objective::rmse, state_limit({}, 1)).filter(workload, horizon);
}

/// Largest error of the first hundred thousand releases over the least possible for an infinite horizon,
/// (2/pi) K(beta).
double decay_over_infinite_optimum(double beta) {
  const Filter a = decay(beta).filter(Horizon::unbounded());
  const double optimum = 2 * std::numbers::inv_pi * std::comp_ellint_1(beta);
  return shape_quality(a, endless_shape(decay(beta)), 100'000).max / optimum;
}

/// Worst over `lengths` of the rmse so far, over a proven lower bound for every C that knows the length.
double mean_over_optimum(std::span<const std::size_t> lengths) {
  const Filter a = mean().filter(Horizon::unbounded()), c = endless_shape(mean());
  double worst = 0;
  for (const std::size_t steps : lengths) {
    const Horizon horizon(steps);
    const Filter known = Shape::scaled_blt(5).filter(mean(), horizon);
    const double bound = rmse_lower_bound(mean().filter(horizon), known);
    worst = std::max(worst, shape_quality(a, c, steps).rmse / bound);
  }
  return worst;
}

/// Worst over `lengths` of the newest release's error, the largest so far, over the rmse of scaled-blt:5 for
/// a known length.
double prefix_over_known(std::span<const std::size_t> lengths) {
  ErrorNormStream releases(prefix().filter(Horizon::unbounded()), endless_shape(prefix()));
  double worst = 0, newest = 0;
  for (const std::size_t steps : lengths) {
    while (releases.steps_done() < steps) newest = releases.next();
    const Horizon horizon(steps);
    const Filter known = Shape::scaled_blt(5).filter(prefix(), horizon);
    worst = std::max(worst, std::sqrt(newest) / shape_quality(prefix().filter(horizon), known).rmse);
  }
  return worst;
}

}  // namespace

Json unbounded_section(const Options& options) {
  std::vector<std::size_t> means{100, 128, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 4096};
  std::vector<std::size_t> sums{100, 300, 1000, 3000, 10'000, 30'000, 100'000, 300'000, 1'000'000};
  if (options.quick) {
    means.resize(6);
    sums.resize(6);
  }
  return {{"decay_0.9", decay_over_infinite_optimum(0.9)},
          {"decay_0.999", decay_over_infinite_optimum(0.999)},
          {"mean", mean_over_optimum(means)},
          {"prefix", prefix_over_known(sums)}};
}

}  // namespace jme::bench
