#include <vector>

#include <jme/moments/moment_stream.hpp>
#include <jme/theory/plan.hpp>

#include "sections.hpp"

namespace jme::bench {
namespace {

StreamConfig million_steps(const Workload& workload) {
  return {.budget = {.epsilon = 1, .delta = 1e-6},
          .rows = 1'000'000,
          .dimension = 10,
          .norm_bound = 1,
          .workload = workload};
}

template <typename Work>
double median_seconds(bool quick, const Work& work) {
  std::vector<double> seconds;
  for (int turn = 0; turn < (quick ? 3 : 5); ++turn) seconds.push_back(seconds_of(work));
  return median(seconds);
}

}  // namespace

Json start_section(const Options& options) {
  Json result;
  for (const Workload& workload : {prefix(), mean()}) {
    const StreamConfig config = million_steps(workload);
    result["stream_seconds"][workload.name()] =
        median_seconds(options.quick, [&] { const MomentStream stream(config); });
    result["plan_seconds"][workload.name()] = median_seconds(options.quick, [&] { (void)plan(config, {}); });
  }
  return result;
}

}  // namespace jme::bench
