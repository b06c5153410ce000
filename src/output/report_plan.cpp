#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/base/quoted_part.hpp>
#include <jme/clock/time.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/output/report_page.hpp>
#include <jme/report/line_chart.hpp>
#include <jme/theory/expected_error.hpp>
#include <jme/theory/plan.hpp>

#include "report/bar_chart.hpp"
#include "report/number_text.hpp"

namespace jme {

namespace {

using namespace report;  // NOLINT(google-build-using-namespace): every other word here is one of its

/// For longer horizons, predicting errors or comparing shapes takes theory seconds; their reports leave this
/// out.
constexpr std::size_t longest_prediction = 1'000'000;
constexpr std::size_t longest_comparison = 20'000;

/// Where ids limit the rows of a person in windows of time.
std::string window_limit(const StreamConfig& config) {
  const std::optional<RowWindows>& windows = config.participation.windows;
  if (!windows) return "";
  const std::string words = window_words(config);
  if (windows->are_units) return fmt::format(" in each window of time ({}, UTC)", words);
  return fmt::format(", {} of them in one window of time ({}, UTC)", count_text(windows->rows), words);
}

const char* method_words(Method method) {
  switch (method) {
    case Method::jme:
      return "both moments in one mechanism, so that the second costs the first no extra noise";
    case Method::lambda_jme:
      return "both moments in one mechanism, weighed against each other";
    case Method::ime:
      return "each moment has its own share of the budget";
    case Method::cs:
      return "rows and their squares stacked into one vector";
    case Method::pp:
      return "noise on every row, squares of the noisy rows";
    case Method::pp_debiased:
      return "noise on every row, squares of the noisy rows, bias removed";
  }
  return "";
}

/// Noise on a mean after the last release, as theory predicts it for the rest of the horizon.
Series predicted_mean_noise(const Mechanism& mechanism, std::size_t rows_so_far) {
  Series series;
  const Horizon& horizon = mechanism.horizon();
  if (horizon.is_unbounded() || rows_so_far >= horizon.rows() || horizon.steps() > longest_prediction)
    return series;
  // Nobody knows beforehand how many rows there will be to divide by.
  if (mechanism.config().observed || mechanism.config().private_count) return series;
  const std::vector<double> variance = release_variance(mechanism).first;
  double next = 0;
  for (std::size_t step = 0; step < horizon.steps(); ++step) {
    const std::size_t rows = horizon.rows_through(step);
    const bool last = step + 1 == horizon.steps();
    if (rows < rows_so_far || (static_cast<double>(rows) < next && !last)) continue;
    next = 1.015 * static_cast<double>(rows);
    series.x.push_back(static_cast<double>(rows));
    series.y.push_back(std::sqrt(variance[step]) /
                       mechanism.workload_first().weight_sum(step, rows, horizon));
  }
  return series;
}

void scale(Series& series, double factor) {
  for (double& y : series.y) y *= factor;
}

LineChart noise_chart(const char* title, const char* label, const std::string& steps,
                      std::vector<Series> series) {
  LineChart chart{
      .title = title,
      .description = fmt::format("Standard deviation of the noise against the number of {} included.", steps),
      .x = {.label = steps + " included"},
      .y = {.label = label},
      .series = std::move(series)};
  const Series& known = chart.series.front();
  if (known.x.back() >= 10 * known.x.front()) chart.x.scale = chart.y.scale = AxisScale::logarithmic;
  if (chart.x.scale == AxisScale::linear) chart.y.with_zero = true;
  return chart;
}

std::string shape_words(const ReportInput& input) {
  const Mechanism& mechanism = input.run.mechanism;
  std::string shape = mechanism.shape_first().name();
  if (mechanism.has_second() && mechanism.shape_second().name() != shape) {
    shape += fmt::format(" (second moment: {})", mechanism.shape_second().name());
  }
  return fmt::format("{}, {}", shape,
                     input.shape_was_chosen ? "chosen for this workload and length" : "as asked for");
}

std::string budget_text(const Mechanism& mechanism) {
  const auto target = mechanism.config().budget.approx_dp();
  if (!target) return fmt::format("sigma = {}", number_text(mechanism.sigma(), 6));
  return fmt::format("epsilon = {}, delta = {}", plain_text(target->epsilon), plain_text(target->delta));
}

const char* fill_words(std::string_view rule) {
  if (rule == "mean") return "the column's mean as last published";
  if (rule == "model") return "the value predicted from what was published before and the rest of the row";
  if (rule == "centre") return "the middle of the column's range";
  if (rule == "observed") return "absent; every average is over the cells that are there";
  return "they end the stream";
}

/// The rule for missing cells. Only the writer may know whether it was needed.
std::string missing_words(const RunDescription& run) {
  if (run.missing.empty()) return "make a row unreadable";
  bool has_values = false;
  std::string rest;
  for (std::string_view text = run.missing; !text.empty();) {
    const std::optional<std::string> name = take_part(text, "=,");
    if (text.starts_with('=')) {
      has_values = true;
    } else {
      rest = fill_words(name.value_or(""));
    }
    text.remove_prefix(std::min(text.find(','), text.size()));
    if (!text.empty()) text.remove_prefix(1);
  }
  return fmt::format("{}: {}{}{}", run.missing, has_values ? "these values" : "",
                     has_values && !rest.empty() ? ", otherwise " : "", rest);
}

std::string bad_row_words(const RunDescription& run) {
  if (run.on_bad_row == OnBadRow::fail) return "end the stream before them";
  const StreamConfig& config = run.mechanism.config();
  if (config.observed || config.private_count) return "are rows without cells, which count nowhere";
  return run.bounds.is_none() ? "count as zero" : "count as the middle of every column's range";
}

/// Standard deviations of all that a step releases.
std::string noise_words(const Mechanism& mechanism) {
  const Calibration& noise = mechanism.calibration();
  std::string words = number_text(noise.std_first, 5);
  const auto add = [&](double deviation, const char* what) {
    if (deviation > 0) words += fmt::format(", {} on {}", number_text(deviation, 5), what);
  };
  const bool full = mechanism.config().second == SecondMoment::full && mechanism.config().dimension > 1;
  if (mechanism.has_second() && noise.std_second > 0) {
    words += " on a column's sum";
    add(noise.std_diagonal(), "the sum of its squares");
    if (full) add(noise.std_off_diagonal, "the sum of a product of two columns");
  } else if (noise.std_count > 0 || noise.std_rows > 0) {
    words += " on a column's sum";
  }
  add(noise.std_count, "the count of its cells");
  add(noise.std_pair_count, "the count of rows with two columns");
  add(noise.std_rows, "the count of rows");
  return words;
}

std::vector<std::vector<Markup>> plan_rows(const ReportInput& input) {
  const Mechanism& mechanism = input.run.mechanism;
  const StreamConfig& config = mechanism.config();
  const Calibration& noise = mechanism.calibration();
  const Horizon& horizon = mechanism.horizon();
  std::vector<std::vector<Markup>> rows;
  const auto put = [&](std::string_view name, const std::string& value) {
    rows.push_back({text(name), text(value)});
  };
  const auto slot = [&] { return duration_text(static_cast<Seconds>(*config.slot_seconds)); };
  put("horizon",
      horizon.has_slots()
          ? fmt::format("{}slots of {}, a release after each",
                        horizon.is_unbounded() ? "" : count_text(horizon.steps()) + " ", slot())
      : horizon.is_unbounded()
          ? fmt::format("none: a release every {} rows for as long as they come", count_text(horizon.every()))
          : fmt::format("at most {} rows, a release every {}: at most {} releases",
                        count_text(horizon.rows()), count_text(horizon.every()),
                        count_text(horizon.steps())));
  put("workload", fmt::format("{}: {}", mechanism.workload_first().name(),
                              covered_rows(mechanism, mechanism.workload_first())));
  if (mechanism.has_second() && mechanism.workload_second().name() != mechanism.workload_first().name()) {
    put("workload of the second moment", fmt::format("{}: {}", mechanism.workload_second().name(),
                                                     covered_rows(mechanism, mechanism.workload_second())));
  }
  put("second moment", std::string(name(config.second)));
  put("method", fmt::format("{}: {}", name(config.method), method_words(config.method)));
  put("noise shape", shape_words(input));
  put("privacy budget", budget_text(mechanism));
  put("noise multiplier sigma", number_text(mechanism.sigma(), 5));
  put("neighbours", fmt::format("{}, {} {} per person", name(config.adjacency),
                                config.persons_are_limited ? "limited by ids to" : "at most",
                                config.participation.rows == 1
                                    ? "one row"
                                    : fmt::format("{} rows", count_text(config.participation.rows))) +
                        window_limit(config));
  put("longest row", fmt::format("{}{}", number_text(config.norm_bound, 5),
                                 input.run.bounds.is_none() ? "" : ", every column scaled to [−1, 1] first"));
  put("missing cells", missing_words(input.run));
  put("unreadable rows", bad_row_words(input.run));
  put("joint sensitivity", number_text(noise.sensitivity, 5));
  put("noise per step", noise_words(mechanism));
  return rows;
}

/// What the shape was chosen from: expected error of each candidate.
void add_comparison(Page& page, const ReportInput& input) {
  const Mechanism& mechanism = input.run.mechanism;
  if (!input.shape_was_chosen || mechanism.horizon().steps() > longest_comparison ||
      squares_noisy_rows(mechanism.config().method)) {
    return;
  }
  StreamConfig config = mechanism.config();
  config.shape = Shape::automatic();
  config.shape_second.reset();
  const Plan compared = plan(config, {.method = config.method});
  if (compared.candidates.size() < 2) return;
  BarChart chart{
      .title = "Expected error by noise shape",
      .description = "Root mean squared noise on one released number for every noise shape compared.",
      .value = {.label = "error relative to the shape in use", .with_zero = true},
      .with_numbers = true};
  double used = 0;
  for (const PlanCandidate& candidate : compared.candidates) {
    if (candidate.shape.name() == mechanism.shape_first().name()) used = candidate.rmse_first;
  }
  if (!(used > 0)) return;
  Bars bars;
  for (const PlanCandidate& candidate : compared.candidates) {
    chart.categories.push_back(candidate.shape.name());
    bars.values.push_back(candidate.rmse_first / used);
  }
  const auto [least, most] = std::minmax_element(bars.values.begin(), bars.values.end());
  if (*most < 1.01 * *least) return;
  const char* better = *least < 0.999 ? " Shapes with a shorter bar need more memory than was allowed." : "";
  chart.bars = {bars};
  page.figures(
      {{draw(chart),
        text(fmt::format("Root mean squared noise on a released number of the first moment, over the "
                         "whole horizon.{}",
                         better))}});
}

}  // namespace

void add_noise(Page& page, const ReportInput& input) {
  const Mechanism& mechanism = input.run.mechanism;
  const bool bounded = !input.run.bounds.is_none();
  const bool bound_only = squares_noisy_rows(mechanism.config().method);
  std::vector<Figure> figures;
  Series ahead;
  if (Series known = input.collected.mean_noise(); !known.x.empty()) {
    ahead = predicted_mean_noise(mechanism, input.last.rows());
    if (bounded) {
      scale(known, 50);  // a range is two wide in the unit box
      scale(ahead, 50);
    }
    std::vector<Series> series{known};
    const bool foresees = ahead.x.size() > 1;
    if (!foresees && known.x.size() < 2) return;  // one release: its bands show the noise already
    if (foresees) {
      ahead.colour = 0;
      ahead.stroke = Stroke::dashed;
      series.push_back(ahead);
    }
    figures.push_back({draw(noise_chart("Noise on a mean", bounded ? "in % of the column's public range" : "",
                                        steps_name(mechanism), series)),
                       text(foresees ? "Dashed: predicted for the rest of the horizon." : "")});
  }
  if (Series known = input.collected.covariance_noise(); !known.x.empty()) {
    if (bounded) scale(known, 100);
    figures.push_back(
        {draw(noise_chart(
             input.collected.contents().covariance ? "Noise on a covariance" : "Noise on a variance",
             bounded ? "in % of the most variance a column can have" : "", steps_name(mechanism), {known})),
         text("Root mean square over the entries.")});
  }
  if (figures.empty()) return;
  page.section("Error against time");
  page.paragraph(
      text(fmt::format("Standard deviation of the noise on one number, as theory gives it{}. A 95% band is "
                       "about four of them wide.",
                       bound_only ? "; for this method it is an upper bound" : "")));
  page.figures(figures);
}

void add_plan(Page& page, const ReportInput& input) {
  page.section("The plan");
  page.paragraph(text("Everything below was fixed and public before the first row."));
  page.table({.columns = {{"setting"}, {"value"}}, .rows = plan_rows(input)});
  add_comparison(page, input);
}

void add_privacy(Page& page, const ReportInput& input) {
  page.section("What is promised");
  for (const std::string& paragraph : privacy_statement(input.run)) {
    page.paragraph(text(paragraph));
  }
}

}  // namespace jme
