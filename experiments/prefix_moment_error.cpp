// Figure 2 of the paper: the second moment's error of JME and PP against sigma, for prefix sums.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/items.hpp"
#include "experiments/moment_claims.hpp"
#include "experiments/moment_panel.hpp"

namespace jme::experiments {
namespace {

constexpr std::size_t prefix_rows = 1000;

PanelRequest request(const Effort& effort, std::size_t dimension, const Shape& shape) {
  PanelRequest panel{
      .name = fmt::format("prefix-d{}-{}", dimension, shape.name()),
      .title = fmt::format("prefix sums, d = {}, {}", dimension,
                           shape.kind() == Shape::Kind::identity ? "C = I" : "C = square root"),
      .config = {.budget = {},
                 .rows = prefix_rows,
                 .dimension = dimension,
                 .norm_bound = 1,
                 .geometry = Geometry::ball,
                 .workload = prefix(),
                 .shape = shape}};
  if (dimension == 1) {
    panel.simulation = {.sigmas = {0.2, 1, 5, 25}, .runs = effort.runs(1000, 200), .our_shape = true};
  } else if (!effort.quick) {
    // A run has half a million coordinates: a few runs tell as much as thousands of small ones. The square
    // root keeps the noise of all rows, 4 GB here, and is left to d = 1.
    const bool identity = shape.kind() == Shape::Kind::identity;
    panel.simulation = {.sigmas = {0.3, 3}, .runs = 3, .jme = identity};
  }
  return panel;
}

}  // namespace

Figure prefix_moment_error(const Effort& effort) {
  Figure figure{
      .title = "Second moment of prefix sums: JME against PP",
      .source = "Figure 2",
      .setting = fmt::format("prefix sums, n = {}, d = 1 and 1000, ζ = 1, σ = 0.1 … 50", prefix_rows)};
  figure.notes = moment_figure_notes();
  if (effort.quick)
    figure.notes.emplace_back("d = 1000 is simulated in the full form only (a run takes seconds).");
  std::vector<ShapePair> pairs;
  Agreement agreement;
  double begin = 0;
  for (const std::size_t dimension : {1U, 1000U}) {
    std::vector<MomentPanel> panels;
    for (const Shape& shape : {Shape::identity(), Shape::square_root()}) {
      panels.push_back(moment_panel(effort.part(begin, begin + 0.25), request(effort, dimension, shape)));
      begin += 0.25;
      figure.charts.push_back(panels.back().chart);
      agreement += panels.back().agreement;
    }
    pairs.push_back(
        {.subject = fmt::format("d = {}", dimension), .identity = panels[0], .square_root = panels[1]});
  }
  figure.claims.push_back(
      always_better("For d = 1 JME has less error than PP at every σ, with and without shaping.",
                    {&pairs[0].identity, &pairs[0].square_root}));
  figure.claims.push_back(better_above("For d = 1000 and C = I, JME has less error than PP for σ ≥ 1/√2.",
                                       pairs[1].identity, 1 / std::sqrt(2.0)));
  add_shape_claims(figure, pairs);
  figure.tables.push_back(crossover_table("prefix-crossovers", pairs));
  figure.claims.push_back(agreement.claim());
  return figure;
}

}  // namespace jme::experiments
