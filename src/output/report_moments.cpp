#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/changes/multiplicity.hpp>
#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/output/means_at_bounds.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_page.hpp>
#include <jme/report/line_chart.hpp>

#include "report/heat_map.hpp"
#include "report/number_text.hpp"

namespace jme {

namespace {

using namespace report;  // NOLINT(google-build-using-namespace): every other word here is one of its

constexpr std::size_t most_table_rows = 200;
constexpr std::size_t most_open_rows = 15;  // a longer table is folded
constexpr std::size_t most_heat_columns = 60;
constexpr std::size_t most_tips = 24;     // columns; with more, one tip per cell would be most of the page
constexpr std::size_t most_numbers = 12;  // columns; with more, nobody reads a table of a matrix

/// Chooses a range that shows the part of the series with little noise well. At the beginning of a stream the
/// noise may be hundreds of times what it is later, and would make everything else look flat. So values count
/// for the range only where their band is no wider than the range of the half with less noise.
void fit_range(Axis& axis, const Series& series) {
  std::vector<double> widths;
  std::vector<double> sorted;
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    widths.push_back(series.high[i] - series.low[i]);
    if (std::isfinite(widths.back())) sorted.push_back(widths.back());
  }
  if (sorted.empty()) return;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  const double median = sorted[sorted.size() / 2];
  const auto range_up_to = [&](double widest) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!(widths[i] <= widest)) continue;  // a gap is NaN
      low = std::min(low, series.low[i]);
      high = std::max(high, series.high[i]);
    }
    return std::pair(low, high);
  };
  const auto [quiet_low, quiet_high] = range_up_to(median);
  const auto [low, high] = range_up_to(std::max(median, quiet_high - quiet_low));
  const double room = 0.04 * (high - low);
  axis.low = low - room;
  axis.high = high + room;
}

bool goes_beyond(const Series& series, const Axis& axis) {
  return std::any_of(series.low.begin(), series.low.end(), [&](double v) { return v < *axis.low; }) ||
         std::any_of(series.high.begin(), series.high.end(), [&](double v) { return v > *axis.high; });
}

std::string range_words(const ReportInput& input, std::size_t i) {
  const double centre = input.run.bounds.centre()[i], half = input.run.bounds.half_width()[i];
  return fmt::format("{} to {}", plain_text(centre - half), plain_text(centre + half));
}

/// The square root of a variance and of the ends of its band: sqrt is monotone, so it is still a 95% band.
std::string standard_deviation(double variance, double noise_std) {
  if (std::isnan(variance)) return plus_minus_text(variance, noise_std);
  const double low = std::max(0.0, variance - band_95 * noise_std);
  const double high = std::max(0.0, variance + band_95 * noise_std);
  if (high == 0) return "0";
  if (low == 0) return fmt::format("below {}", number_text(std::sqrt(high)));
  return plus_minus_text(std::sqrt(std::max(0.0, variance)), (std::sqrt(high) - std::sqrt(low)) / 2);
}

/// Variances, from whichever second moment there is.
std::optional<VectorEstimate> variances(const ReportInput& input) {
  const ReportContents& contents = input.collected.contents();
  if (!contents.covariance && !contents.variance) return std::nullopt;
  return running_variance(input.last, input.collected.units(), input.run.emit.bias,
                          *input.collected.divisors());
}

/// A private count in rows.
std::string count_words(const Release& release, double count, double noise_std) {
  const double unit = release.count_unit();
  return plus_minus_text(unit * count, band_95 * unit * noise_std);
}

Table centre_table(const ReportInput& input, const VectorEstimate& centre, const char* title) {
  const std::vector<std::string>& columns = input.collected.columns();
  const std::optional<VectorEstimate> variance = variances(input);
  const bool bounded = !input.run.bounds.is_none();
  Table table;
  table.columns = {{bounded ? "column, range" : "column"}, {title, true}};
  if (variance) table.columns.push_back({"standard deviation", true});
  const bool counted = input.last.layout().cell_counts;
  if (counted) table.columns.push_back({"cells there" + limit_of_person(input.run.mechanism.config()), true});
  for (std::size_t i = 0; i < std::min(columns.size(), most_table_rows); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    // The range is written below the name, so that a phone has room for the numbers.
    std::vector<Markup> row{bounded ? text(columns[i]) + small(range_words(input, i)) : text(columns[i]),
                            text(plus_minus_text(centre.value(k), band_95 * centre.noise_std(k)))};
    if (variance) row.push_back(text(standard_deviation(variance->value(k), variance->noise_std(k))));
    if (counted) {
      row.push_back(text(count_words(input.last, input.last.counts()[i], input.last.std_count())));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The figure, and whether bands were cut off at its frame.
std::pair<Figure, bool> centre_figure(const ReportInput& input, std::size_t i, bool mean) {
  const SeriesSketch& sketch = input.collected.centres()[i];
  const std::string& column = input.collected.columns()[i];
  LineChart chart{.title = column, .x = {.label = steps_name(input.run.mechanism) + " included"}};
  chart.series = {sketch.series()};
  fit_range(chart.y, chart.series[0]);
  const Series& series = chart.series[0];
  // A value may have gone again since.
  const bool known = !mean || !std::isnan(input.collected.divisors()->first(i));
  const double last = series.y.empty() || !known ? NAN : series.y.back();
  const double half = series.y.empty() ? NAN : (series.high.back() - series.low.back()) / 2;
  chart.description = fmt::format(
      "{} of {} against the number of {} included, with a 95% band for the noise. The last value is {}.",
      mean ? "Running mean" : "Running weighted sum", column, steps_name(input.run.mechanism),
      plus_minus_text(last, half));
  chart.y.label = fmt::format("{}, now {}", mean ? "mean" : "sum", plus_minus_text(last, half));
  const bool cut = chart.y.low && goes_beyond(series, chart.y);
  if (!cut) chart.y.low = chart.y.high = std::nullopt;
  return {{draw(chart), {}}, cut};
}

/// How many of the columns a matrix shows.
std::size_t shown(const ReportInput& input) {
  return std::min(input.collected.columns().size(), most_heat_columns);
}

double heat_width(std::size_t columns) {
  return columns <= 6 ? 340 : columns <= 24 ? 120 + 38.0 * static_cast<double>(columns) : 340;
}

/// A symmetric matrix by its columns' names. `colour` decides the colour, `value` the number.
HeatMap matrix_map(const ReportInput& input, const MatrixEstimate& value, const Eigen::MatrixXd& colour) {
  const std::size_t n = shown(input);
  const std::vector<std::string>& columns = input.collected.columns();
  HeatMap map;
  map.rows.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(n));
  map.columns = map.rows;
  map.width = heat_width(n);
  const double of_all = bonferroni_factor(n * (n - 1) / 2);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      const double half = band_95 * value.noise_std(r, c);
      map.values.push_back(colour(r, c));
      map.cells.push_back(number_text(value.value(r, c), 2));
      map.plain.push_back(std::abs(value.value(r, c)) <= of_all * value.noise_std(r, c));
      if (n <= most_tips) {
        map.tips.push_back(
            fmt::format("{}, {}: {}", columns[i], columns[j], plus_minus_text(value.value(r, c), half)));
      }
    }
  }
  return map;
}

Table matrix_table(const ReportInput& input, const MatrixEstimate& value) {
  const std::vector<std::string>& columns = input.collected.columns();
  Table table;
  table.columns = {{""}};
  for (const std::string& column : columns) table.columns.push_back({column, true});
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::vector<Markup> row{text(columns[i])};
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const auto r = static_cast<Eigen::Index>(i), c = static_cast<Eigen::Index>(j);
      row.push_back(j > i ? text("")
                          : text(plus_minus_text(value.value(r, c), band_95 * value.noise_std(r, c))));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_means_at_bounds(Page& page, const ReportInput& input) {
  std::string words = means_at_bounds_words(
      means_at_bounds(input.last, *input.collected.divisors(), input.run.bounds), input.collected.columns());
  if (words.empty()) return;
  words.front() = 'T';
  page.warning(text(words + ". Values beyond a bound are clamped to it, and the mean cannot show that."));
}

const char* no_colour_words =
    "A cell without colour is one whose sign the noise hides. This is corrected for the number of pairs: if "
    "there is nothing to see, no cell has a colour in 95% of such pictures.";

}  // namespace

void add_centres(Page& page, const ReportInput& input) {
  const ReportCollector& collected = input.collected;
  if (collected.contents().centre == ReportContents::Centre::none) return;
  const bool mean = collected.contents().centre == ReportContents::Centre::mean;
  page.section(mean ? "Running means" : "Running sums");
  page.paragraph(text(
      fmt::format("Each point of a curve is the {} of {}, published when that many {} had come. The band "
                  "around it is where "
                  "the value without noise lies with 95% probability.",
                  mean ? "average" : "weighted sum",
                  covered_rows(input.run.mechanism, input.run.mechanism.workload_first()),
                  steps_name(input.run.mechanism))));
  const std::size_t all = collected.columns().size(), drawn = collected.centres().size();
  if (drawn < all) {
    page.paragraph(
        text(fmt::format("Drawn are the first {} of {} columns; the table has {}.", drawn, all,
                         all <= most_table_rows ? "them all" : fmt::format("{}", most_table_rows))));
  }
  std::vector<Figure> figures;
  bool any_cut = false;
  for (std::size_t i = 0; i < drawn; ++i) {
    auto [figure, cut] = centre_figure(input, i, mean);
    figures.push_back(std::move(figure));
    any_cut = any_cut || cut;
  }
  if (input.collected.divisors()->kind() != Divisors::Kind::weights && mean) {
    page.paragraph(text(
        "How many rows a mean is over is private, and counted with noise as well. A mean appears when its "
        "count is ten standard deviations of the count's own noise; a dash stands for one that is not "
        "there."));
  }
  if (any_cut)
    page.paragraph(text("In the beginning the noise is large: bands wider than the frame are cut off."));
  page.figures(figures);
  const VectorEstimate centre = mean ? running_mean(input.last, collected.units(), *collected.divisors())
                                     : natural_first(input.last, collected.units());
  page.subsection(fmt::format("After {} {}", count_text(input.last.rows()), steps_name(input.run.mechanism)));
  if (mean) add_means_at_bounds(page, input);
  const Table table = centre_table(input, centre, mean ? "mean" : "weighted sum");
  if (all <= most_open_rows) {
    page.table(table);
  } else {
    page.folded_table("Every column", table);
  }
}

void add_second(Page& page, const ReportInput& input) {
  if (!input.collected.contents().second) return;
  const MatrixEstimate second =
      natural_second(input.last, input.collected.units(), *input.collected.divisors());
  page.section("Second moments");
  page.paragraph(text(fmt::format(
      "Weighted sums of the {} over {}.",
      input.last.second_kind() == SecondMoment::full ? "products of two columns" : "squares of a column",
      covered_rows(input.run.mechanism, input.run.mechanism.workload_second()))));
  const std::vector<std::string>& columns = input.collected.columns();
  if (input.last.second_kind() == SecondMoment::full) {
    // Numbers of different units share no colour scale; each is measured by the sizes of its two columns.
    Eigen::VectorXd size = second.value.diagonal().cwiseAbs().cwiseSqrt();
    size = (size.array() > 0).select(size, 1.0);
    HeatMap map = matrix_map(input, second, second.value.cwiseQuotient(size * size.transpose()));
    map.title = "Second moment";
    map.description = "Second moments of every two columns after the last release.";
    map.high = 1;
    map.value_label = "relative to the diagonal";
    page.figures({{draw(map), text(no_colour_words)}});
    if (columns.size() <= most_numbers)
      page.folded_table("The numbers with their bands", matrix_table(input, second));
    return;
  }
  Table table;
  table.columns = {{"column"}, {"second moment", true}};
  for (std::size_t i = 0; i < std::min(columns.size(), most_table_rows); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    table.rows.push_back(
        {text(columns[i]), text(plus_minus_text(second.value(k, k), band_95 * second.noise_std(k, k)))});
  }
  page.table(table);
}

void add_covariance(Page& page, const ReportInput& input) {
  const ReportContents& contents = input.collected.contents();
  const Units& units = input.collected.units();
  const std::size_t all = input.collected.columns().size();
  const bool variances_only = contents.variance || (contents.covariance && all == 1);
  // The table of means has standard deviations; without it they are shown here.
  if (variances_only && contents.centre == ReportContents::Centre::none) {
    page.section("Spread");
    const VectorEstimate variance =
        running_variance(input.last, units, input.run.emit.bias, *input.collected.divisors());
    Table table;
    table.columns = {{"column"}, {"variance", true}, {"standard deviation", true}};
    for (std::size_t i = 0; i < std::min(input.collected.columns().size(), most_table_rows); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      table.rows.push_back({text(input.collected.columns()[i]),
                            text(plus_minus_text(variance.value(k), band_95 * variance.noise_std(k))),
                            text(standard_deviation(variance.value(k), variance.noise_std(k)))});
    }
    page.table(table);
  }
  if (variances_only || !contents.covariance) return;
  const MatrixEstimate covariance =
      emitted_covariance(input.last, units, input.run.emit, *input.collected.divisors());
  const RunningMoments moments(input.last, units, input.run.emit.bias, *input.collected.divisors());
  page.section("How the columns move together");
  page.paragraph(text(fmt::format(
      "Correlation says how closely two columns follow each other, from −1 to 1; covariance says the same in "
      "their own units. Both are over {}, as of {} {}.",
      covered_rows(input.run.mechanism, input.run.mechanism.workload_first()), count_text(input.last.rows()),
      steps_name(input.run.mechanism))));
  if (shown(input) < all) {
    page.paragraph(text(fmt::format("Shown are the first {} of {} columns.", shown(input), all)));
  }
  std::vector<Figure> figures;
  const MatrixEstimate together = correlation(moments);
  HeatMap correlations = matrix_map(input, together, together.value);
  correlations.title = "Correlation";
  correlations.description = "Correlations of every two columns after the last release.";
  correlations.high = 1;
  correlations.value_label = "correlation";
  for (std::size_t i = 0; i < correlations.cells.size(); ++i) {
    correlations.cells[i] = fixed_text(correlations.values[i], 2);
  }
  figures.push_back({draw(correlations), text(no_colour_words)});
  // In the unit box all columns have the same scale, given by their public ranges, and the same noise.
  const Eigen::MatrixXd scale = units.half_width * units.half_width.transpose();
  HeatMap map = matrix_map(input, covariance, covariance.value.cwiseQuotient(scale));
  map.title = "Covariance";
  map.description = "Covariances of every two columns after the last release, in the columns' own units.";
  map.value_label = input.run.bounds.is_none() ? "covariance" : "part of the most possible";
  figures.push_back(
      {draw(map), text(input.run.bounds.is_none()
                           ? no_colour_words
                           : "Numbers are in the columns' own units; colours compare them with the most "
                             "that the columns' public ranges allow.")});
  page.figures(figures);
  if (all <= most_numbers) {
    page.folded_table("Correlations with their bands", matrix_table(input, together));
    page.folded_table("Covariances with their bands", matrix_table(input, covariance));
    if (input.last.layout().cell_counts) {
      page.folded_table("Rows in which two columns are there together",
                        matrix_table(input, pair_count_matrix(input.last)));
    }
  }
}

}  // namespace jme
