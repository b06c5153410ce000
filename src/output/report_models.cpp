#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/changes/multiplicity.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>
#include <jme/output/report_page.hpp>

#include "report/bar_chart.hpp"
#include "report/heat_map.hpp"
#include "report/number_text.hpp"

namespace jme {

namespace {

using namespace report;  // NOLINT(google-build-using-namespace): every other word here is one of its

constexpr std::size_t default_components = 5;
constexpr std::size_t most_components = 10;
constexpr std::size_t most_columns = 60;
constexpr const char* too_few_pairs =
    "Not shown yet: it needs every two columns together in more rows than the noise on their count hides.";

std::string ordinal(std::size_t k) {
  switch (k) {
    case 1:
      return "1st";
    case 2:
      return "2nd";
    case 3:
      return "3rd";
    default:
      return fmt::format("{}th", k);
  }
}

std::size_t component_count(const ReportInput& input) {
  std::size_t count = default_components;
  for (const EmitItem& item : input.run.emit.values) {
    if (item.kind == Emit::pca) count = item.count;
  }
  return std::min({count, most_components, input.collected.columns().size()});
}

Drawing variance_bars(const PrincipalComponents& parts, bool bounded) {
  BarChart chart{.title = "Spread along each component",
                 .description = "Variance along each principal component, with 95% bands.",
                 .value = {.label = bounded ? "variance, in % of the most one column can have" : "variance",
                           .with_zero = true}};
  const double unit = bounded ? 100 : 1;
  Bars bars;
  for (Eigen::Index i = 0; i < parts.values.value.size(); ++i) {
    const double value = unit * parts.values.value(i), half = unit * band_95 * parts.values.noise_std(i);
    chart.categories.push_back(fmt::format("{} ({}%)", ordinal(static_cast<std::size_t>(i) + 1),
                                           fixed_text(100 * parts.shares.value(i), 0)));
    bars.values.push_back(value);
    bars.low.push_back(value - half);
    bars.high.push_back(value + half);
  }
  chart.bars = {bars};
  return draw(chart);
}

Drawing loadings(const PrincipalComponents& parts, const std::vector<std::string>& columns) {
  HeatMap map{.title = "What each component is made of",
              .description = "Weight of every column in each principal component.",
              .value_label = "weight"};
  const std::size_t shown = std::min(columns.size(), most_columns);
  const Eigen::Index count = parts.components.value.rows();
  const double of_all = bonferroni_factor(shown * static_cast<std::size_t>(count));
  for (Eigen::Index k = 0; k < count; ++k) map.columns.push_back(ordinal(static_cast<std::size_t>(k) + 1));
  for (std::size_t j = 0; j < shown; ++j) {
    map.rows.push_back(columns[j]);
    for (Eigen::Index k = 0; k < count; ++k) {
      const double value = parts.components.value(k, static_cast<Eigen::Index>(j));
      const double deviation = parts.components.noise_std(k, static_cast<Eigen::Index>(j));
      const double half = band_95 * deviation;
      map.values.push_back(value);
      map.cells.push_back(fixed_text(value, 2));
      // Where noise hides the difference of two components, it hides their weights as well.
      map.plain.push_back(!(std::abs(value) > of_all * deviation));
      map.tips.push_back(
          fmt::format("{}, {}: {}", columns[j], map.columns[static_cast<std::size_t>(k)],
                      std::isfinite(half) ? plus_minus_text(value, half) : "drowned in noise"));
    }
  }
  return draw(map);
}

void add_regression(Page& page, const ReportInput& input, const RunningMoments& moments,
                    const EmitItem& item) {
  const std::vector<std::string>& columns = input.collected.columns();
  const Units& units = input.collected.units();
  const std::string& target = columns[item.target];
  const bool bounded = !input.run.bounds.is_none();
  page.section("What goes with " + target);
  page.paragraph(
      text(fmt::format("Linear regression of {} on the other columns. A coefficient is how much {} differs, "
                       "on average, between rows "
                       "that differ by one in that column and in no other.",
                       target, target)));
  if (!moments.is_known()) {
    page.paragraph(text(too_few_pairs));
    return;
  }
  const LinearRegression fit = linear_regression(moments, item.target);
  Table table;
  table.columns = {{"column"}, {"coefficient", true}};
  table.rows.push_back(
      {text("intercept"), text(plus_minus_text(fit.intercept.value, band_95 * fit.intercept.noise_std))});
  BarChart chart{
      .title = fmt::format("Change of {} over each column's range", target),
      .description = fmt::format("Coefficient of each column times the width of its public range, with 95% "
                                 "bands, in units of {}.",
                                 target),
      .value = {.label = target, .with_zero = true}};
  Bars bars;
  for (std::size_t j = 0, k = 0; j < columns.size(); ++j) {
    if (j == item.target) continue;
    const auto i = static_cast<Eigen::Index>(k++);
    const double value = fit.coefficients.value(i), half = band_95 * fit.coefficients.noise_std(i);
    table.rows.push_back({text(columns[j]), text(plus_minus_text(value, half))});
    if (k > most_columns) continue;
    const double width = 2 * units.half_width(static_cast<Eigen::Index>(j));
    chart.categories.push_back(columns[j]);
    bars.values.push_back(value * width);
    bars.low.push_back((value - half) * width);
    bars.high.push_back((value + half) * width);
  }
  chart.bars = {bars};
  if (bounded) {
    page.figures(
        {{draw(chart), text("From one end of a column's public range to the other, the others unchanged: so "
                            "columns of different units can be compared.")}});
  }
  page.table(table);
}

}  // namespace

void add_components(Page& page, const ReportInput& input) {
  const std::vector<std::string>& columns = input.collected.columns();
  if (!input.collected.contents().covariance || columns.size() < 2) return;
  // In natural units the column with the largest numbers would be the first component, whatever the data.
  const RunningMoments moments(input.last, Units::identity(columns.size()), input.run.emit.bias,
                               *input.collected.divisors());
  page.section("Principal components");
  if (!moments.is_known()) {
    page.paragraph(text(too_few_pairs));
    return;
  }
  const PrincipalComponents parts = ComponentTracker().next(moments, component_count(input));
  const bool bounded = !input.run.bounds.is_none();
  page.paragraph(text(fmt::format(
      "Directions in which the rows differ most: the first is the combination of columns with the largest "
      "spread, the "
      "second the largest of what is left, and so on.{}",
      bounded ? " Every column is measured by its public range, so that its unit does not matter." : "")));
  page.figures(
      {{variance_bars(parts, bounded), text("In brackets: its share of the whole spread.")},
       {loadings(parts, columns),
        text("A cell without colour is a weight that the noise hides. All signs of a component may be "
             "turned together.")}});
}

void add_regressions(Page& page, const ReportInput& input) {
  for (const EmitItem& item : input.run.emit.values) {
    if (item.kind != Emit::regression) continue;
    const RunningMoments moments(input.last, input.collected.units(), input.run.emit.bias,
                                 *input.collected.divisors());
    add_regression(page, input, moments, item);
  }
}

}  // namespace jme
