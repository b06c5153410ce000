// Beyond the paper: the second moment's error when something is published every k rows
// (docs/theory/blocks.md#what-it-gains).
#include "experiments/release_schedule.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/privacy/gaussian.hpp>

#include "experiments/items.hpp"
#include "report/number_text.hpp"

namespace jme::experiments {
namespace {

constexpr double privacy_levels[] = {0.05, 0.5, 5};

std::size_t releases(std::size_t every) {
  return Horizon(schedule_rows, every).steps();
}

Chart chart_of(const ScheduledWorkload& which, std::size_t dimension, const std::vector<ScheduleErrors>& all,
               double sigma) {
  Chart chart{.name = fmt::format("schedule-{}-sigma-{}", which.file, sigma),
              .title = fmt::format("{}, d = {}, σ = {} (ε = {:.3g})", which.subject, dimension, sigma,
                                   gaussian_epsilon(sigma, schedule_delta)),
              .x = {.label = "rows between releases, k", .logarithmic = true},
              .y = {.label = "rms error of an entry, in ζ²", .logarithmic = true}};
  const auto add = [&](const char* name, SigmaCurve ScheduleErrors::*curve) {
    Series series{.name = name};
    for (const ScheduleErrors& one : all) {
      series.x.push_back(static_cast<double>(one.every));
      series.y.push_back(per_entry(one.*curve, sigma, dimension, releases(one.every)));
    }
    chart.series.push_back(std::move(series));
  };
  add("PP", &ScheduleErrors::pp);
  add("PP debiased", &ScheduleErrors::pp_debiased);
  add("JME", &ScheduleErrors::jme);
  return chart;
}

/// Noise of a diagonal entry, where all of a prefix sum's rows have come.
double diagonal_noise(Method method, std::size_t every, double sigma) {
  constexpr std::size_t many = 1'000'000, dimension = 10;
  const Mechanism mechanism({.budget = {.sigma = sigma},
                             .rows = many,
                             .every = every,
                             .dimension = dimension,
                             .norm_bound = 1,
                             .geometry = Geometry::ball,
                             .workload = prefix(),
                             .method = method,
                             .second = SecondMoment::diagonal});
  const auto entries = static_cast<double>(mechanism.horizon().steps() * dimension);
  return std::sqrt(expected_error(mechanism).second.high / entries);
}

Table million_rows() {
  Table table{.name = "schedule-million-rows",
              .title = "A million rows, prefix sums, d = 10: rms error of a diagonal entry",
              .columns = {"σ", "JME, k = 1", "JME, k = 1000", "PP debiased, k = 1", "PP debiased, k = 1000"},
              .rows = {}};
  for (const double sigma : {1.0, 0.05}) {
    std::vector<std::string> row{fmt::format("{}", sigma)};
    for (const Method method : {Method::jme, Method::pp_debiased}) {
      for (const std::size_t every : {1U, 1000U})
        row.push_back(report::number_text(diagonal_noise(method, every, sigma), 3));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Claim block_claim(const std::vector<ScheduledWorkload>& workloads) {
  std::string gains;
  double least = 1e300;
  for (const ScheduledWorkload& which : workloads) {
    const std::vector<ScheduleErrors> errors = schedule_errors(which.workload, schedule_rows, 10);
    const ScheduleErrors &all = errors[0], &some = errors[6];
    const double gain =
        per_entry(all.jme, 1, 10, releases(1)) / per_entry(some.jme, 1, 10, releases(some.every));
    least = std::min(least, gain);
    gains += fmt::format("{}{} {:.2f}", gains.empty() ? "" : ", ", which.subject, gain);
  }
  return {.statement = "Publishing every 64 rows instead of after each lowers JME's error.",
          .from_paper = false,
          .verdict = verdict_of(least > 1),
          .found = "Root mean square error of an entry falls by the factors: " + gains + "."};
}

// Fast decay, high dimension and hardly any privacy is where PP is ahead even of blocks
// (docs/theory/blocks.md#pp-needs-rows).
Claim short_memory_claim() {
  constexpr std::size_t every = 10, dimension = 100;
  constexpr double sigma = 0.05;
  const auto error = [&](Method method) {
    return expected_error(Mechanism({.budget = {.sigma = sigma},
                                     .rows = 10'000,
                                     .every = every,
                                     .dimension = dimension,
                                     .norm_bound = 1,
                                     .geometry = Geometry::ball,
                                     .workload = decay(0.9),
                                     .method = method}))
        .second.high;
  };
  const double ratio = error(Method::jme) / error(Method::pp_debiased);
  return {
      .statement = "Even against blocks PP can be ahead: short memory, high dimension, hardly any privacy.",
      .from_paper = false,
      .verdict = verdict_of(ratio > 1),
      .found = fmt::format("Decay 0.9, k = {}, d = {}, σ = {}: JME's squared error is {:.1f} times "
                           "debiased PP's. The item low-privacy says exactly when.",
                           every, dimension, sigma, ratio)};
}

}  // namespace

std::vector<ScheduledWorkload> scheduled_workloads() {
  return {{"prefix", "prefix", prefix()},
          {"mean", "mean", mean()},
          {"decay 0.999", "decay-0.999", decay(0.999)},
          {"decay 0.9", "decay-0.9", decay(0.9)},
          {"window 64", "window-64", window(64)}};
}

double per_entry(const SigmaCurve& curve, double sigma, std::size_t dimension, std::size_t releases) {
  return curve.error(sigma) / (static_cast<double>(dimension) * std::sqrt(static_cast<double>(releases)));
}

std::vector<ScheduleErrors> schedule_errors(const Workload& workload, std::size_t horizon_rows,
                                            std::size_t dimension) {
  const bool is_window = workload.kind() == Workload::Kind::window;
  const std::size_t longest = is_window ? workload.window_rows() : horizon_rows;
  std::vector<ScheduleErrors> result;
  for (std::size_t every = 1; every <= longest; every *= 2) {
    const auto curve = [&](Method method) {
      return second_error_curves({.budget = {},
                                  .rows = horizon_rows,
                                  .every = every,
                                  .dimension = dimension,
                                  .norm_bound = 1,
                                  .geometry = Geometry::ball,
                                  .workload = workload,
                                  .method = method})
          .proven;
    };
    result.push_back({.every = every,
                      .jme = curve(Method::jme),
                      .pp = curve(Method::pp),
                      .pp_debiased = curve(Method::pp_debiased)});
  }
  return result;
}

Figure release_schedule(const Effort& effort) {
  Figure figure{.title = "Publishing every k rows",
                .source = "beyond the paper",
                .setting = fmt::format("{} rows, a release every k = 1 … {} rows, ζ = 1, δ = 10⁻⁶",
                                       schedule_rows, schedule_rows)};
  figure.notes = {
      "A block of k rows is one step of the mechanism and has the sensitivity of a single row, so JME draws "
      "noise once per block. PP squares noisy rows: it must add noise to each row, whatever k is.",
      "JME has symmetric noise and the library's default shape for its releases; PP has C = I, its best.",
      "Privacy levels: σ = 0.05, 0.5 and 5; the ε of each is over its chart."};
  const std::vector<ScheduledWorkload> workloads = scheduled_workloads();
  for (const auto& [which, dimension] :
       {std::pair{workloads[0], std::size_t{10}}, std::pair{workloads[1], std::size_t{10}},
        std::pair{workloads[3], std::size_t{100}}}) {
    const std::vector<ScheduleErrors> errors = schedule_errors(which.workload, schedule_rows, dimension);
    for (const double sigma : privacy_levels)
      figure.charts.push_back(chart_of(which, dimension, errors, sigma));
    effort.progress(static_cast<double>(figure.charts.size()) / 12);
  }
  figure.tables.push_back(million_rows());
  figure.claims = {block_claim(workloads), short_memory_claim()};
  effort.progress(1);
  return figure;
}

}  // namespace jme::experiments
