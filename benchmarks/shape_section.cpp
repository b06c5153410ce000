#include <string>
#include <vector>

#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>

#include "filter/error_norm_stream.hpp"
#include "sections.hpp"

namespace jme::bench {
namespace {

double rmse_of(const Workload& workload, std::size_t steps, const Shape& shape) {
  const Horizon horizon(steps);
  return shape_quality(workload.filter(horizon), shape.filter(workload, horizon)).rmse;
}

/// A proven lower bound on the rmse of every C, so that a ratio to it is never too good.
double optimum_of(const Workload& workload, std::size_t steps) {
  return dense_optimum(workload.filter(Horizon(steps)).to_dense(), 1e-5).lower_bound;
}

/// scaled-blt:4, and `auto` for windows, over the proven optimum.
Json over_optimum(bool quick) {
  Json result;
  for (const std::size_t steps : {100UL, 1000UL}) {
    if (quick && steps > 100) break;
    for (const Workload& workload : {prefix(), decay(0.9), decay(0.999), mean()}) {
      result["scaled_blt_4"][workload.name()][std::to_string(steps)] =
          rmse_of(workload, steps, Shape::scaled_blt(4)) / optimum_of(workload, steps);
    }
    for (const Workload& workload : {window(10), window(30), window(100)}) {
      const Shape shape = choose_shape(workload, Horizon(steps), Objective::rmse, state_limit({}, 1));
      result["auto"][workload.name()][std::to_string(steps)] =
          rmse_of(workload, steps, shape) / optimum_of(workload, steps);
    }
  }
  if (quick) return result;
  // Too long for the optimum itself; the certificate at the shape's own weights takes one decomposition.
  constexpr std::size_t long_steps = 4096;
  for (const Workload& workload : {prefix(), decay(0.9), decay(0.999), mean()}) {
    const Filter a = workload.filter(Horizon(long_steps));
    const Filter c = Shape::scaled_blt(4).filter(workload, Horizon(long_steps));
    result["certified"][workload.name()][std::to_string(long_steps)] =
        shape_quality(a, c).rmse / rmse_lower_bound(a, c);
  }
  return result;
}

/// How long `auto` takes to do what `jme shape` does: choose, make the filter, compute its errors.
Json auto_seconds(bool quick) {
  const Horizon horizon(1'000'000);
  Json result;
  for (const Workload& workload : {prefix(), mean(), decay(0.999)}) {
    std::vector<double> seconds;
    for (int turn = 0; turn < (quick ? 3 : 5); ++turn) {
      seconds.push_back(seconds_of([&] {
        const Shape shape = choose_shape(workload, horizon, Objective::rmse, state_limit({}, 1));
        (void)shape_quality(workload.filter(horizon), shape.filter(workload, horizon));
      }));
    }
    result[workload.name()] = median(seconds);
  }
  return result;
}

}  // namespace

Json shape_section(const Options& options) {
  return {{"rmse_over_optimum", over_optimum(options.quick)},
          {"rmse_million", rmse_of(prefix(), 1'000'000, Shape::scaled_blt(5))},
          {"auto_seconds", auto_seconds(options.quick)}};
}

}  // namespace jme::bench
