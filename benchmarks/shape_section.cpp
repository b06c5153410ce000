#include <vector>

#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>

#include "sections.hpp"

namespace jme::bench {
namespace {

/// rmse of scaled-blt:4 over a proven lower bound of every C's: never flatters.
double rmse_over_optimum(const Workload& workload, std::size_t steps) {
  const Horizon horizon(steps);
  const Filter a = workload.filter(horizon);
  const ShapeQuality quality = shape_quality(a, Shape::scaled_blt(4).filter(workload, horizon));
  return quality.rmse / dense_optimum(a.to_dense(), 1e-5).lower_bound;
}

}  // namespace

Json shape_section(const Options& options) {
  Json result;
  std::vector<std::size_t> horizons{100, 1000};
  if (options.quick) horizons.pop_back();
  for (const Workload& workload : {prefix(), mean()}) {
    for (const std::size_t steps : horizons) {
      result["rmse_over_optimum"][workload.name()][std::to_string(steps)] =
          rmse_over_optimum(workload, steps);
    }
  }
  const Horizon horizon(1'000'000);
  for (const Workload& workload : {prefix(), mean()}) {
    std::vector<double> seconds;
    for (int turn = 0; turn < (options.quick ? 3 : 5); ++turn) {
      // What `jme shape` does: choose, make the filter, compute its errors.
      seconds.push_back(seconds_of([&] {
        const Shape shape = choose_shape(workload, horizon, Objective::rmse, 5);
        (void)shape_quality(workload.filter(horizon), shape.filter(workload, horizon));
      }));
    }
    result["auto_seconds"][workload.name()] = median(seconds);
  }
  return result;
}

}  // namespace jme::bench
