// Figure 7 of the paper: the second moment's error of JME and PP against sigma, for decay and window.
#include <fmt/format.h>

#include "experiments/items.hpp"
#include "experiments/moment_claims.hpp"
#include "experiments/moment_panel.hpp"

namespace jme::experiments {
namespace {

constexpr std::size_t fading_rows = 1000, fading_dimension = 100;

struct FadingWorkload {
  const char* subject;
  const char* file;
  Workload workload;
};

PanelRequest request(const Effort& effort, const FadingWorkload& which, const Shape& shape) {
  const bool identity = shape.kind() == Shape::Kind::identity;
  return {.name = fmt::format("{}-{}", which.file, shape.name()),
          .title = fmt::format("{}, {}", which.subject, identity ? "C = I" : "C = square root"),
          .config = {.budget = {},
                     .rows = fading_rows,
                     .dimension = fading_dimension,
                     .norm_bound = 1,
                     .geometry = Geometry::ball,
                     .workload = which.workload,
                     .shape = shape},
          // A run has 5050 coordinates and, with these short workloads, hundreds of independent stretches.
          // The square root convolves with all rows before, which takes seconds per run.
          .simulation = {.sigmas = effort.quick ? std::vector{3.0} : std::vector{0.3, 3.0, 30.0},
                         .runs = effort.runs(16, 12),
                         .jme = identity || !effort.quick}};
}

}  // namespace

Figure decay_and_window_error(const Effort& effort) {
  Figure figure{.title = "Second moment of decaying sums and windows: JME against PP",
                .source = "Figure 7",
                .setting = fmt::format("decay β = 0.9 and window w = 10, n = {}, d = {}, ζ = 1, σ = 0.1 … 50",
                                       fading_rows, fading_dimension)};
  figure.notes = moment_figure_notes();
  std::vector<ShapePair> pairs;
  Agreement agreement;
  double begin = 0;
  for (const FadingWorkload& which : {FadingWorkload{"decay 0.9", "decay-0.9", decay(0.9)},
                                      FadingWorkload{"window 10", "window-10", window(10)}}) {
    std::vector<MomentPanel> panels;
    for (const Shape& shape : {Shape::identity(), Shape::square_root()}) {
      panels.push_back(moment_panel(effort.part(begin, begin + 0.25), request(effort, which, shape)));
      begin += 0.25;
      figure.charts.push_back(panels.back().chart);
      agreement += panels.back().agreement;
    }
    pairs.push_back({.subject = which.subject, .identity = panels[0], .square_root = panels[1]});
  }
  add_shape_claims(figure, pairs);
  figure.tables.push_back(crossover_table("decay-window-crossovers", pairs));
  figure.claims.push_back(agreement.claim());
  return figure;
}

}  // namespace jme::experiments
