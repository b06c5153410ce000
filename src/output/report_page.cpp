#include <fmt/format.h>

#include <jme/output/privacy_statement.hpp>
#include <jme/output/report_page.hpp>
#include <jme/version.hpp>

#include "report/number_text.hpp"

namespace jme {

namespace {

using report::count_text;
using report::number_text;
using report::plain_text;
using report::text;

std::string privacy_fact(const Mechanism& mechanism) {
  const auto target = mechanism.config().budget.approx_dp();
  if (!target) return fmt::format("μ = {}", number_text(mechanism.mu()));
  return fmt::format("ε\u00a0=\u00a0{}, δ\u00a0=\u00a0{}", plain_text(target->epsilon),
                     plain_text(target->delta));
}

std::string lead(const ReportInput& input) {
  const StreamConfig& config = input.run.mechanism.config();
  const bool one_row = config.participation.rows == 1 && !config.persons_are_limited;
  const bool in_windows = config.participation.windows && config.participation.windows->are_units;
  return fmt::format(
      "What a stream of {} {} looks like as a whole: its averages, its spread and how its columns move "
      "together. "
      "Every number carries noise that was added on purpose, to hide {}. How well it does so is said under "
      "\"What is "
      "promised\".",
      count_text(input.last.rows()), steps_name(input.run.mechanism),
      one_row      ? "each single row"
      : in_windows ? "each person's rows of one window of time"
                   : "each person's rows");
}

bool is_thinned(const ReportCollector& collected) {
  for (const report::SeriesSketch& sketch : collected.centres()) {
    if (sketch.count() > 300) return true;
  }
  return false;
}

std::string all_covered_rows(const Mechanism& mechanism, const Workload& workload) {
  if (mechanism.horizon().has_slots() && workload.kind() == Workload::Kind::window) {
    return fmt::format("the last {} slots of time", count_text(workload.window_rows()));
  }
  if (mechanism.horizon().has_slots() && workload.kind() == Workload::Kind::decay) {
    return fmt::format("all rows so far, those of a slot counting {} times as much as those of the next one",
                       workload.beta());
  }
  switch (workload.kind()) {
    case Workload::Kind::prefix:
    case Workload::Kind::mean:
      return "all rows so far";
    case Workload::Kind::decay:
      return fmt::format("all rows so far, each counting {} times as much as the one after it",
                         workload.beta());
    case Workload::Kind::window:
      return fmt::format("the last {} rows", count_text(workload.window_rows()));
    case Workload::Kind::custom:
      return fmt::format("the rows so far with the weights of {}", workload.name());
  }
  return "";
}

}  // namespace

std::string steps_name(const Mechanism& mechanism) {
  return mechanism.horizon().has_slots() ? "slots of time" : "rows";
}

std::string covered_rows(const Mechanism& mechanism, const Workload& workload) {
  const std::string limit = limit_of_person(mechanism.config());
  return all_covered_rows(mechanism, workload) + (limit.empty() ? "" : ", as far as they count" + limit);
}

report::Page report_page(const ReportInput& input) {
  const std::size_t columns = input.collected.columns().size();
  report::Page page(input.title.empty() ? "Private running statistics" : input.title);
  if (input.run.insecure_seed) {
    page.warning(text(
        "NOT PRIVATE: the noise comes from a test seed that anybody can guess. This page protects nobody "
        "and is for tests only."));
  }
  page.lead(text(lead(input)));
  std::vector<report::Fact> facts{{count_text(input.last.rows()), "rows included"}};
  if (input.last.row_count()) {
    facts.front().name = input.run.clock ? "slots of time" : "records read";
    const double unit = input.last.count_unit();
    facts.push_back(
        {report::plus_minus_text(unit * *input.last.row_count(), band_95 * unit * input.last.std_rows()),
         counted_rows(input.run.mechanism.config()) + ", counted privately"});
  }
  if (!input.run.clock)
    facts.push_back({count_text(input.last.steps()), input.last.steps() == 1 ? "release" : "releases"});
  facts.push_back({count_text(columns), columns == 1 ? "column" : "columns"});
  facts.push_back({privacy_fact(input.run.mechanism), "privacy loss of all releases together"});
  page.facts(facts);
  add_centres(page, input);
  add_covariance(page, input);
  add_second(page, input);
  add_components(page, input);
  add_regressions(page, input);
  add_noise(page, input);
  add_plan(page, input);
  add_privacy(page, input);
  page.section("How to read this page");
  page.paragraph(text(
      "Numbers are written with ± half of their 95% band: what would have been published without noise lies "
      "within it 19 times out of 20. The bands describe the noise alone. They do not say how well the rows "
      "represent "
      "anything beyond them, or what was cut away by limits on the values."));
  if (is_thinned(input.collected)) {
    page.paragraph(
        text("Where a curve has more points than the picture has pixels, each pixel's first, last, highest "
             "and lowest values are drawn."));
  }
  page.footer(text("Made by jme " + std::string(version) +
                   ". The page is complete in itself: it loads nothing and runs nothing."));
  return page;
}

}  // namespace jme
