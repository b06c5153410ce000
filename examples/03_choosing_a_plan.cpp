// What accuracy will I get, and from which method? Theory answers before any data is touched.
#include <fmt/core.h>

#include <jme/jme.hpp>

int main() {
  const jme::StreamConfig config{.budget = {.epsilon = 1.0, .delta = 1e-6},
                                 .rows = 1'000,
                                 .every = 10,
                                 .dimension = 5,
                                 .norm_bound = 1.0,
                                 .workload = jme::mean()};
  const jme::Plan plan = jme::plan(config, {});
  fmt::print("{:<12} {:<18} {:>12} {:>12} {:>7}\n", "method", "shape", "rmse first", "rmse second", "state");
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const jme::PlanCandidate& c = plan.candidates[i];
    fmt::print("{:<12} {:<18} {:>12.5f} {:>12.5f} {:>7}{}\n", jme::name(c.method), c.shape.name(),
               c.rmse_first, c.rmse_second, c.state_vectors, i == plan.recommended ? "  <- recommended" : "");
  }
}
