// Figure 5 of the paper: the error of Adam's second moment, a vector, with JME and with PP.
#include <cmath>

#include <fmt/format.h>

#include "experiments/items.hpp"
#include "experiments/moment_claims.hpp"
#include "experiments/moment_panel.hpp"

namespace jme::experiments {
namespace {

constexpr std::size_t adam_steps = 1000, adam_dimension = 1'000'000, simulated_dimension = 100;
constexpr double beta1 = 0.9, beta2 = 0.999;  // Algorithm 2's

PanelRequest request(const Shape& shape) {
  const bool identity = shape.kind() == Shape::Kind::identity;
  return {.name = fmt::format("adam-{}", shape.name()),
          .title = identity ? "Adam, C = I" : "Adam, C = square roots",
          .config = {.budget = {},
                     .rows = adam_steps,
                     .dimension = adam_dimension,
                     .norm_bound = 1,
                     .geometry = Geometry::ball,
                     .workload = decay(beta1),
                     .workload_second = decay(beta2),
                     .shape = shape,
                     .second = SecondMoment::diagonal},
          .scale = 1 - beta2};
}

/// The formula is the same for every d, and a run of a hundred coordinates takes milliseconds.
Agreement simulated(const Effort& effort, const Shape& shape) {
  PanelRequest small = request(shape);
  small.config.dimension = simulated_dimension;
  small.simulation = {.sigmas = {0.3, 3}, .runs = effort.runs(60, 24)};
  return moment_panel(effort, small).agreement;
}

}  // namespace

Figure adam_moment_error(const Effort& effort) {
  Figure figure{
      .title = "Adam's second moment: JME against PP",
      .source = "Figure 5",
      .setting = fmt::format("v = (1 − β₂) E_β₂ of squared gradients, β₁ = {}, β₂ = {}, n = {}, d = 10⁶, "
                             "ζ = 1, σ = 0.1 … 50",
                             beta1, beta2, adam_steps)};
  figure.notes = {
      "The paper does not say which weights its figure has. Here they are Algorithm 2's: β₁ = 0.9 for m, β₂ "
      "= 0.999 for v, before Adam's own bias correction. With C = I the crossover is the same for any "
      "weights.",
      "An error is the root of the expected squared error summed over n steps and d coordinates.",
      "Square roots: C₁ is that of the decay β₁, C₂ that of the decay β₂. PP's squares inherit C₁."};
  figure.notes.push_back(
      fmt::format("Simulated with d = {}, against the same formula.", simulated_dimension));
  const ShapePair pair{.subject = "Adam",
                       .identity = moment_panel(effort, request(Shape::identity())),
                       .square_root = moment_panel(effort, request(Shape::square_root()))};
  Agreement agreement = simulated(effort.part(0, 0.2), Shape::identity());
  agreement += simulated(effort.part(0.2, 1), Shape::square_root());
  figure.charts = {pair.identity.chart, pair.square_root.chart};
  figure.claims.push_back(better_above(
      "JME has less error than PP and debiased PP for σ ≥ 1/2 (the paper's σ ≥ 1 counts twice ours), C = I.",
      pair.identity, 0.5));
  add_shape_claims(figure, {pair});
  figure.tables.push_back(crossover_table("adam-crossovers", {pair}));
  figure.claims.push_back(agreement.claim());
  return figure;
}

}  // namespace jme::experiments
