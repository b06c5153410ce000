// Beyond the paper: its open question. When is PP better than JME at low privacy, and is it the best there?
#include "experiments/low_privacy.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/privacy/gaussian.hpp>

#include "experiments/agreement.hpp"
#include "experiments/both_estimates.hpp"
#include "experiments/items.hpp"
#include "report/number_text.hpp"

namespace jme::experiments {
namespace {

constexpr std::size_t high_dimension = 1000;

std::string frontier_text(const Frontier& frontier) {
  const auto sigma = frontier.sigma(high_dimension);
  return sigma ? fmt::format("σ < {:.3g} (ε > {})", *sigma,
                             report::number_text(gaussian_epsilon(*sigma, schedule_delta), 3))
               : "never";
}

Chart frontier_chart() {
  return {.name = "low-privacy-frontier",
          .title = "Debiased PP is better below its line (d → ∞)",
          .x = {.label = "rows between releases, k", .logarithmic = true},
          .y = {.label = "noise multiplier σ of equal error", .logarithmic = true}};
}

Chart dimension_chart() {
  return {.name = "low-privacy-dimension",
          .title = "Dimension d₀ up to which JME is better at every σ",
          .x = {.label = "rows between releases, k", .logarithmic = true},
          .y = {.label = "dimension d₀", .logarithmic = true}};
}

std::vector<double> low_sigmas() {
  return logarithmic_grid(0.01, 2, 60);
}

Chart both_chart(const char* subject, const BothEstimates& both) {
  Chart chart{.name = "low-privacy-both",
              .title = fmt::format("{}, d = {}, a release every row", subject, high_dimension),
              .x = {.label = "noise multiplier σ", .logarithmic = true},
              .y = {.label = "error over debiased PP's", .logarithmic = true}};
  Series pp{.name = "PP debiased"}, jme{.name = "JME our shape"}, together{.name = "both together"};
  for (const double sigma : low_sigmas()) {
    const double unit = both.pp_debiased().error(sigma);
    for (Series* series : {&pp, &jme, &together}) series->x.push_back(sigma);
    pp.y.push_back(1);
    jme.y.push_back(both.jme().error(sigma) / unit);
    together.y.push_back(std::sqrt(both.squared_error(sigma)) / unit);
  }
  chart.series = {std::move(pp), std::move(jme), std::move(together)};
  return chart;
}

/// Error of both together divided by the error of the better one.
Series gain(const char* subject, const BothEstimates& both) {
  Series series{.name = subject};
  for (const double sigma : low_sigmas()) {
    series.x.push_back(sigma);
    series.y.push_back(std::sqrt(both.squared_error(sigma)) /
                       std::min(both.jme().error(sigma), both.pp_debiased().error(sigma)));
  }
  return series;
}

/// The formula at other dimensions and lengths, where a run takes milliseconds.
Agreement simulated(const Effort& effort) {
  Agreement agreement;
  const std::size_t runs = effort.runs(400, 60);
  for (const Workload& workload : {prefix(), decay(0.9), mean()}) {
    const BothEstimates both(workload, 128, 12);
    for (const double sigma : {0.1, 0.4}) {
      const std::string what = fmt::format("low-privacy {} {}", workload.name(), sigma);
      agreement.compare(simulated_both(effort, both, sigma, runs, what), both.squared_error(sigma));
    }
  }
  return agreement;
}

}  // namespace

Frontier Frontier::of(const ScheduleErrors& errors, std::size_t dimension) {
  // (4 d(d+1) beta) / (8 (d+1) alpha), the limit of their ratio as sigma goes to 0, is d/2 rho.
  return {.rho = 2 / static_cast<double>(dimension) * errors.jme.square / errors.pp_debiased.square};
}

std::optional<double> Frontier::sigma(std::size_t dimension) const {
  const double squared = rho / 4 - 1 / (2 * static_cast<double>(dimension));
  if (squared <= 0) return std::nullopt;
  return std::sqrt(squared);
}

double Frontier::highest_sigma() const {
  return std::sqrt(rho) / 2;
}

Figure low_privacy(const Effort& effort) {
  Figure figure{.title = "Low privacy: when is PP better, and is it optimal?",
                .source = "Section 7, the open question",
                .setting = fmt::format("{} rows, d = {}, ζ = 1, δ = 10⁻⁶", schedule_rows, high_dimension)};
  figure.notes = {
      "JME's squared error is 4 d(d+1) β σ² and debiased PP's (d+1) α (8 σ² + 16 d σ⁴), with β = ‖C‖² ‖A "
      "C⁻¹‖² over releases and α = ‖A‖² over rows. So PP is better exactly where σ² < ρ/4 − 1/(2d), ρ = β/α. "
      "ρ "
      "is at most 1, because C = I is one of the shapes, and falls with whatever shaping and blocks gain.",
      "Up to d₀ = 2/ρ dimensions JME is better at every σ.",
      "Both together: JME with C₁ = I publishes noisy rows just as PP does. Their debiased squares are PP's "
      "estimate, with noise independent of the second channel's, so the mean of both, weighted by inverse "
      "variances at each release, costs no privacy and leaves the first moment as it is.",
      "JME has symmetric noise and the library's default shape; PP has C = I, which no shape improves on."};
  Chart frontier = frontier_chart(), dimensions = dimension_chart();
  Chart gains{.name = "low-privacy-gain",
              .title = fmt::format("Both together against the better one, d = {}", high_dimension),
              .x = {.label = "noise multiplier σ", .logarithmic = true},
              .y = {.label = "error over the better one's"}};
  Table table{.name = "low-privacy-values",
              .title = fmt::format("When debiased PP has less error than JME, d = {}; and both together at "
                                   "k = 1 as σ → 0",
                                   high_dimension),
              .columns = {"workload", "k = 1", "k = 64", "d₀ at k = 1", "d₀ at k = 64", "both together / PP"},
              .rows = {}};
  bool pp_wins = false, jme_wins = false, never_optimal = true;
  double highest = 0, least_gain = 1, most_gain = 0;
  const std::vector<ScheduledWorkload> all = scheduled_workloads();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ScheduledWorkload& which = all[i];
    Series line{.name = which.subject}, least{.name = which.subject};
    std::vector<Frontier> frontiers;
    for (const ScheduleErrors& one : schedule_errors(which.workload, schedule_rows, high_dimension)) {
      frontiers.push_back(Frontier::of(one, high_dimension));
      least.x.push_back(static_cast<double>(one.every));
      least.y.push_back(frontiers.back().least_dimension());
      highest = std::max(highest, frontiers.back().highest_sigma());
      (frontiers.back().sigma(high_dimension) ? pp_wins : jme_wins) = true;
      line.x.push_back(static_cast<double>(one.every));
      line.y.push_back(frontiers.back().highest_sigma());
    }
    const BothEstimates both(which.workload, schedule_rows, high_dimension);
    if (i == 0) figure.charts.push_back(both_chart(which.subject, both));
    gains.series.push_back(gain(which.subject, both));
    for (const double y : gains.series.back().y) never_optimal = never_optimal && y < 1;
    const double limit = std::sqrt(both.low_privacy_ratio());
    least_gain = std::min(least_gain, limit);
    most_gain = std::max(most_gain, limit);
    table.rows.push_back({which.subject, frontier_text(frontiers[0]), frontier_text(frontiers[6]),
                          fmt::format("{:.3g}", least.y[0]), fmt::format("{:.3g}", least.y[6]),
                          fmt::format("{:.4f}", limit)});
    frontier.series.push_back(std::move(line));
    dimensions.series.push_back(std::move(least));
    effort.progress(0.5 * static_cast<double>(i + 1) / static_cast<double>(all.size()));
  }
  figure.charts.push_back(std::move(gains));
  figure.charts.push_back(std::move(frontier));
  figure.charts.push_back(std::move(dimensions));
  figure.tables.push_back(std::move(table));
  figure.claims.push_back(
      {.statement = "In high dimension and at low privacy PP is more accurate than JME.",
       .verdict = pp_wins && jme_wins ? Verdict::partly : verdict_of(pp_wins),
       .found = fmt::format(
           "Exactly where σ² < ρ/4 − 1/(2d). That needs d > 2/ρ, and σ < ½ whatever the workload, the "
           "dimension "
           "and the schedule: ε > {:.3g} at δ = 10⁻⁶. The highest frontier here is σ = {:.3f} (d → ∞).",
           gaussian_epsilon(0.5, schedule_delta), highest)});
  figure.claims.push_back(
      {.statement = "PP is the best strategy at low privacy (left open).",
       .verdict = verdict_of(!never_optimal),
       .found = fmt::format(
           "At no σ > 0 and in no dimension: PP's estimate and JME's together have less error than either, "
           "with the same privacy and the same first moment. As σ → 0 they have {:.3f} to {:.3f} of PP's "
           "error for these workloads at d = {}; where the two are equal, {:.3f} of it or less.",
           least_gain, most_gain, high_dimension, std::sqrt(0.5))});
  figure.claims.push_back(simulated(effort.part(0.5, 1)).claim());
  return figure;
}

}  // namespace jme::experiments
