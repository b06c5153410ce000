// Beyond the paper: the error of the second moment where every column has bounds, so that rows lie in a box,
// against the ball around it that the paper knows, and against PP.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/agreement.hpp"
#include "experiments/box_against_pp.hpp"
#include "experiments/box_errors.hpp"
#include "experiments/items.hpp"
#include "experiments/simulated_errors.hpp"

namespace jme::experiments {
namespace {

constexpr std::size_t sigma_dimension = 5;
constexpr std::array<std::size_t, 4> simulated_dimensions{2, 3, 5, 10};

Mechanism at_sigma(StreamConfig with, double sigma) {
  with.budget = {.sigma = sigma};
  return Mechanism(with);
}

/// Squared error of the second moment over runs of the engine, on rows at opposite corners of the box.
Sample simulated(const Effort& effort, const StreamConfig& with, double sigma, Agreement& agreement) {
  const Mechanism mechanism = at_sigma(with, sigma);
  const std::string what = fmt::format("geometry {} {} {} {} {}", with.dimension, name(with.method),
                                       name(with.geometry), name(with.second), sigma);
  const Sample sample =
      simulated_errors(
          effort, {.mechanism = mechanism, .at_corners = true, .runs = effort.runs(6000, 500), .what = what})
          .second;
  agreement.compare(sample, expected_error(mechanism).second.high);
  return sample;
}

/// One line of the table, and its points on the chart of dimensions.
struct Compared {
  std::size_t dimension;
  Sample ball, box;
};

/// From the root of an error summed over releases and entries to the root of its mean.
double root_mean(SecondMoment second, std::size_t dimension) {
  const auto d = static_cast<double>(dimension);
  return 1 / std::sqrt(static_cast<double>(box_rows) * (second == SecondMoment::full ? d * d : d));
}

Chart dimension_chart(SecondMoment second, const char* name, const char* title) {
  Chart chart{.name = name,
              .title = title,
              .x = {.label = "columns d", .logarithmic = true},
              .y = {.label = "rms error of an entry, in half widths²", .logarithmic = true}};
  Series ball{.name = "JME, ball"}, box{.name = "JME, box"};
  for (const std::size_t d : {1U, 2U, 3U, 4U, 5U, 7U, 10U, 14U, 20U, 30U, 50U}) {
    const BoxErrors errors = BoxErrors::of(d, second, Shape::identity());
    for (Series* series : {&ball, &box}) series->x.push_back(static_cast<double>(d));
    ball.y.push_back(root_mean(second, d) * errors.ball.error(1));
    box.y.push_back(root_mean(second, d) * errors.box.error(1));
  }
  chart.series = {std::move(ball), std::move(box)};
  return chart;
}

std::vector<Compared> simulate_dimensions(const Effort& effort, SecondMoment second, Chart& chart,
                                          Agreement& agreement) {
  std::vector<Compared> all;
  Series ball{.name = "JME, ball, simulated", .drawn = Drawn::points};
  Series box{.name = "JME, box, simulated", .drawn = Drawn::points};
  for (std::size_t i = 0; i < simulated_dimensions.size(); ++i) {
    const std::size_t d = simulated_dimensions[i];
    const auto part = [&](double done) {
      return (static_cast<double>(i) + done) / static_cast<double>(simulated_dimensions.size());
    };
    const auto draw = [&](Geometry geometry, double begin) {
      return simulated(effort.part(part(begin), part(begin + 0.5)),
                       box_config(d, Method::jme, geometry, second), 1, agreement);
    };
    all.push_back({.dimension = d, .ball = draw(Geometry::ball, 0), .box = draw(Geometry::box, 0.5)});
    add_root_point(ball, static_cast<double>(d), all.back().ball, root_mean(second, d));
    add_root_point(box, static_cast<double>(d), all.back().box, root_mean(second, d));
  }
  chart.series.push_back(std::move(ball));
  chart.series.push_back(std::move(box));
  return all;
}

/// Noise variances in the ball over those in the box.
struct EntryGains {
  double first, diagonal, off_diagonal;
};
EntryGains entry_gains(std::size_t dimension) {
  const auto noise = [&](Geometry geometry) {
    return at_sigma(box_config(dimension, Method::jme, geometry, SecondMoment::full), 1).calibration();
  };
  const Calibration ball = noise(Geometry::ball), box = noise(Geometry::box);
  const auto squared = [](double ratio) { return ratio * ratio; };
  return {.first = squared(ball.std_first / box.std_first),
          .diagonal = squared(ball.std_second / box.std_second),
          .off_diagonal = squared(ball.std_off_diagonal / box.std_off_diagonal)};
}

struct GainTable {
  Table table;
  bool all_agree = true, first_unchanged = true, variances_agree = true;
  std::string gains{}, simulated_gains{}, variance_gains{};
};

GainTable gain_table(const std::vector<Compared>& full) {
  GainTable result{.table = {.name = "geometry-gains",
                             .title = "Ball over box: how many times less squared error, or noise variance",
                             .columns = {"d", "second moment", "closed form", "simulated", "diagonal entry",
                                         "off-diagonal", "diagonal alone", "verdict"},
                             .rows = {}}};
  for (const Compared& one : full) {
    const auto d = static_cast<double>(one.dimension);
    const double gain = BoxErrors::of(one.dimension, SecondMoment::full, Shape::identity()).gain();
    const double formula = box_gain(one.dimension);
    const double ratio = one.ball.mean / one.box.mean;
    const double deviation =
        ratio * std::hypot(one.ball.std_error() / one.ball.mean, one.box.std_error() / one.box.mean);
    // A quotient of two averages of many runs is normal enough for seven deviations, 2.6e-12.
    const bool agrees = std::abs(gain / formula - 1) < 1e-9 && std::abs(ratio - formula) < 7 * deviation;
    const EntryGains entries = entry_gains(one.dimension);
    // The lattice's rounding slack is about 1e-6 of the noise.
    result.first_unchanged = result.first_unchanged && std::abs(entries.first - 1) < 2e-5;
    result.variances_agree = result.variances_agree && std::abs(entries.diagonal / (4 * d) - 1) < 2e-5;
    result.all_agree = result.all_agree && agrees;
    const char* const comma = result.gains.empty() ? "" : ", ";
    result.gains += fmt::format("{}{:.3f}", comma, gain);
    result.simulated_gains += fmt::format("{}{:.2f}", comma, ratio);
    result.variance_gains += fmt::format("{}{:.3f}", comma, entries.diagonal);
    result.table.rows.push_back(
        {fmt::format("{}", one.dimension), fmt::format("{:.4f}", gain), fmt::format("{:.4f}", formula),
         fmt::format("{:.3f} ± {:.3f}", ratio, deviation), fmt::format("{:.3f}", entries.diagonal),
         fmt::format("{:.3f}", entries.off_diagonal),
         fmt::format("{:.2f}",
                     BoxErrors::of(one.dimension, SecondMoment::diagonal, Shape::identity()).gain()),
         name(verdict_of(agrees))});
  }
  return result;
}

Chart sigma_chart(const Effort& effort, Agreement& agreement) {
  Chart chart{.name = "geometry-sigma",
              .title = fmt::format("JME and PP, d = {}", sigma_dimension),
              .x = {.label = "noise multiplier σ", .logarithmic = true},
              .y = {.label = "error over debiased PP's", .logarithmic = true}};
  const BoxErrors errors = BoxErrors::of(sigma_dimension, SecondMoment::full, Shape::identity());
  const std::vector<double> sigmas = logarithmic_grid(0.1, 1, 40);
  const auto add_line = [&](const char* series, const SigmaCurve& curve) {
    Series line{.name = series, .x = sigmas};
    for (const double sigma : sigmas) line.y.push_back(curve.error(sigma) / errors.pp.error(sigma));
    chart.series.push_back(std::move(line));
  };
  add_line("JME, ball", errors.ball);
  add_line("JME, box", errors.box);
  add_line("PP debiased", errors.pp);
  for (const SigmaCurve* curve : {&errors.box, &errors.ball}) {
    if (const auto sigma = crossover(*curve, errors.pp))
      chart.marks.push_back({.x = *sigma, .label = fmt::format("{:.2f}", *sigma)});
  }
  struct PointKind {
    const char* series;
    Method method;
    Geometry geometry;
  };
  const std::array<double, 4> points{0.12, 0.25, 0.5, 0.9};
  const std::array<PointKind, 3> kinds{PointKind{"JME, ball, simulated", Method::jme, Geometry::ball},
                                       {"JME, box, simulated", Method::jme, Geometry::box},
                                       {"PP debiased, simulated", Method::pp_debiased, Geometry::ball}};
  std::size_t done = 0;
  for (const PointKind& kind : kinds) {
    Series series{.name = kind.series, .drawn = Drawn::points};
    for (const double sigma : points) {
      const auto part = [&](std::size_t k) {
        return static_cast<double>(k) / static_cast<double>(kinds.size() * points.size());
      };
      const StreamConfig with = box_config(sigma_dimension, kind.method, kind.geometry, SecondMoment::full);
      add_root_point(series, sigma,
                     simulated(effort.part(part(done), part(done + 1)), with, sigma, agreement),
                     1 / errors.pp.error(sigma));
      ++done;
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void add_gain_claims(Figure& figure, const GainTable& gains) {
  figure.claims.push_back(
      {.statement = "Rows in a box have d(d+1) / (½ + (d−1)²) times less squared error of the second moment "
                    "than rows in the ball around it, with the same noise on the first moment.",
       .from_paper = false,
       .verdict = verdict_of(gains.all_agree && gains.first_unchanged),
       .found = fmt::format("{} times less at d = {}; simulated: {}.", gains.gains,
                            fmt::join(simulated_dimensions, ", "), gains.simulated_gains)});
  figure.claims.push_back({.statement = "An entry of the diagonal has 4d times less noise variance.",
                           .from_paper = false,
                           .verdict = verdict_of(gains.variances_agree),
                           .found = fmt::format("{} times less at d = {}.", gains.variance_gains,
                                                fmt::join(simulated_dimensions, ", "))});
}

}  // namespace

Figure rows_in_a_box(const Effort& effort) {
  Figure figure{.title = "Rows in a box: the second moment of bounded columns",
                .source = "beyond the paper",
                .setting = fmt::format("prefix sums, n = {}, C = I, bounds for every column, σ = 1 where d "
                                       "varies, δ = 10⁻⁶",
                                       box_rows)};
  figure.notes = {
      "Columns with public bounds are centred and divided by their half widths. A row is then in the box "
      "[−1, 1]^d, and in the ball of radius √d around it, which is all that the paper uses.",
      "Errors are roots of the expected squared Frobenius error, summed over all n releases, or averaged "
      "over "
      "releases and entries. The ratio of ball and box depends neither on the workload nor on the shape.",
      "PP adds noise to rows, for which the box is no better than the ball. Kind rows are two opposite "
      "corners of the box, where PP's error is largest."};
  Chart full = dimension_chart(SecondMoment::full, "geometry-dimension", "The whole second moment, σ = 1");
  Chart alone = dimension_chart(SecondMoment::diagonal, "geometry-diagonal", "The diagonal alone, σ = 1");
  Agreement agreement;
  const auto compared = simulate_dimensions(effort.part(0, 0.3), SecondMoment::full, full, agreement);
  static_cast<void>(simulate_dimensions(effort.part(0.3, 0.5), SecondMoment::diagonal, alone, agreement));
  Chart sigmas = sigma_chart(effort.part(0.5, 0.8), agreement);
  GainTable gains = gain_table(compared);
  add_gain_claims(figure, gains);
  BoxCrossings against_pp = box_crossings();
  add_pp_claims(figure, against_pp);
  figure.charts = {std::move(full), std::move(alone), std::move(sigmas), std::move(against_pp.chart)};
  figure.tables = {std::move(gains.table), std::move(against_pp.table)};
  figure.claims.push_back(agreement.claim());
  effort.progress(1);
  return figure;
}

}  // namespace jme::experiments
