#include "experiments/moment_claims.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "report/number_text.hpp"

namespace jme::experiments {
namespace {

struct Range {
  double low, high;
};

// The range of a ratio of errors over the figure's sigmas.
Range ratio_range(const SigmaCurve& of, const SigmaCurve& to) {
  Range range{1e300, 0};
  for (const double sigma : figure_sigmas()) {
    const double ratio = of.error(sigma) / to.error(sigma);
    range.low = std::min(range.low, ratio);
    range.high = std::max(range.high, ratio);
  }
  return range;
}

std::string range_text(const Range& range) {
  const std::string low = report::number_text(range.low, 3), high = report::number_text(range.high, 3);
  return low == high ? low : low + " to " + high;
}

}  // namespace

std::vector<std::string> moment_figure_notes() {
  return {
      "An error is the root of the expected squared Frobenius error summed over all n releases, at the "
      "stream where it is largest.",
      "JME: the paper's d² independent draws. JME symmetric: ours, d(d+1)/2 draws with the same privacy. JME "
      "our shape: symmetric, with the shape that auto chooses (a scaled BLT) in place of the panel's."};
}

Claim always_better(std::string statement, const std::vector<const MomentPanel*>& panels) {
  Range range{1e300, 0};
  for (const MomentPanel* panel : panels) {
    for (const SigmaCurve* pp : {&panel->pp, &panel->pp_debiased}) {
      const Range one = ratio_range(panel->jme_paper, *pp);
      range = {std::min(range.low, one.low), std::max(range.high, one.high)};
    }
  }
  return {.statement = std::move(statement),
          .verdict = verdict_of(range.high < 1),
          .found = fmt::format("JME's error is {} of PP's.", range_text(range))};
}

Claim better_above(std::string statement, const MomentPanel& panel, double least) {
  const auto paper = crossover(panel.jme_paper, panel.pp_debiased);
  const bool holds =
      panel.jme_paper.error(least) < panel.pp_debiased.error(least) && (!paper || *paper <= least);
  return {.statement = std::move(statement),
          .verdict = verdict_of(holds),
          .found = fmt::format("The curves cross at σ = {}; with symmetric noise at {}.",
                               crossover_text(panel.jme_paper, panel.pp_debiased),
                               crossover_text(panel.jme, panel.pp_debiased))};
}

void add_shape_claims(Figure& figure, const std::vector<ShapePair>& pairs) {
  bool both = true, ours_best = true;
  std::string found, ours;
  double widest = 0;
  for (const ShapePair& pair : pairs) {
    const Range jme = ratio_range(pair.square_root.jme, pair.identity.jme);
    const Range pp = ratio_range(pair.square_root.pp, pair.identity.pp);
    const Range debiased = ratio_range(pair.square_root.pp_debiased, pair.identity.pp_debiased);
    both = both && jme.high < 1 && pp.high < 1 && debiased.high < 1;
    found += fmt::format(
        "{}{}: with the square root JME's error is {} of that with C = I, PP's {}, debiased PP's {}.",
        found.empty() ? "" : " ", pair.subject, range_text(jme), range_text(pp), range_text(debiased));
    const Range gain = ratio_range(pair.square_root.jme_ours, pair.square_root.jme);
    ours_best = ours_best && gain.high <= 1.01;
    ours += fmt::format("{}{}: {}, {:.4f} of the square root's error.", ours.empty() ? "" : " ", pair.subject,
                        pair.square_root.our_shape, gain.high);
    widest = std::max(widest, pair.square_root.certified_gap);
  }
  figure.claims.push_back({.statement = "The square root improves both methods substantially.",
                           .verdict = verdict_of(both),
                           .found = found});
  figure.claims.push_back({.statement =
                               "Our default shape is as good as the square root for JME or within 1%, with "
                               "bounded memory.",
                           .from_paper = false,
                           .verdict = verdict_of(ours_best),
                           .found = ours});
  figure.notes.push_back(fmt::format(
      "PP with shaped noise: the supremum over streams is attained by +ζe₁, −ζe₁, …; a dual bound leaves at "
      "most {} of it to any other.",
      report::number_text(std::max(widest, 1e-15), 1)));
}

Table crossover_table(std::string name, const std::vector<ShapePair>& pairs) {
  Table table{
      .name = std::move(name),
      .title = "σ at which JME and debiased PP have the same error (JME is better above it)",
      .columns = {"", "shape", "JME, d² draws", "JME symmetric", "JME, our shape, against PP with C = I"},
      .rows = {}};
  for (const ShapePair& pair : pairs) {
    for (const auto& [shape, panel] : {std::pair{"identity", &pair.identity}, {"sqrt", &pair.square_root}}) {
      table.rows.push_back({pair.subject, shape, crossover_text(panel->jme_paper, panel->pp_debiased),
                            crossover_text(panel->jme, panel->pp_debiased),
                            crossover_text(panel->jme_ours, pair.identity.pp_debiased)});
    }
  }
  return table;
}

}  // namespace jme::experiments
