#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <jme/models/covariance.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_collector.hpp>
#include <jme/output/report_page.hpp>

#include "commands.hpp"
#include "demo_day.hpp"
#include "output.hpp"
#include "report_file.hpp"
#include "table.hpp"

namespace jme::cli {

namespace {

constexpr std::size_t every = 720;
constexpr std::size_t releases_shown = 6;

/// What the private numbers are compared with; possible because the demo's data are public.
struct ExactMoments {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  Eigen::Matrix3d products = Eigen::Matrix3d::Zero();
  double rows = 0;

  void add(const Eigen::Vector3d& row) {
    sum += row;
    products += row * row.transpose();
    ++rows;
  }
  [[nodiscard]] Eigen::Vector3d mean() const { return sum / rows; }
  [[nodiscard]] Eigen::Matrix3d covariance() const { return products / rows - mean() * mean().transpose(); }
};

struct Point {
  double exact, given;
};

/// Both curves as text, 12 lines high: 'o' private, '.' exact, '@' both in one cell.
std::string plot(const std::vector<Point>& points) {
  constexpr int height = 12;
  double low = points[0].exact, high = low;
  for (const Point& p : points) {
    low = std::min({low, p.exact, p.given});
    high = std::max({high, p.exact, p.given});
  }
  const auto line_of = [&](double value) {
    return static_cast<int>(std::lround((high - value) / std::max(high - low, 1e-12) * (height - 1)));
  };
  std::string text;
  for (int line = 0; line < height; ++line) {
    const double label = high - (high - low) * line / (height - 1);
    text += fmt::format("{:8.2f} |", label);
    for (const Point& p : points) {
      const bool exact = line_of(p.exact) == line, given = line_of(p.given) == line;
      text += exact && given ? '@' : given ? 'o' : exact ? '.' : ' ';
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace

DemoCommand::DemoCommand(CLI::App& root)
    : app_(root.add_subcommand("demo", "The whole pipeline on built-in public data, private beside exact")) {
  add_text(*app_, "--report", report_, "FILE", "Write a self-contained HTML page about it as well");
  app_->footer("Example:\n  jme demo");
}

ExitCode DemoCommand::run() const {
  const std::string bounds_text = "temp=-10:35,humidity=0:100,co=0:10";
  const std::vector<std::string> columns{"temp", "humidity", "co"};
  const ColumnBounds bounds = ColumnBounds::parse(bounds_text, columns);
  const Units units = units_of(bounds);
  StreamConfig config;
  config.budget = {.epsilon = 1.0, .delta = 1e-6};
  config.rows = demo_rows;
  config.every = every;
  config.dimension = 3;
  config.norm_bound = std::sqrt(3.0);
  std::optional<ReportFile> report_file;
  if (report_) report_file.emplace(*report_);
  const Mechanism mechanism(config);
  MomentStream stream(mechanism);
  const EmitOptions emit{.values = default_emit(config.second)};
  const RunDescription description{.mechanism = mechanism, .bounds = bounds, .emit = emit};
  ReportCollector report(description, columns);
  Output output;
  output.write(fmt::format(
      "A day of {} sensor readings (temp, humidity, co), made up by a formula and therefore public.\n"
      "Only for that reason are exact values shown here; with your data there is only the private column.\n"
      "The noise is keyed from the system and differs in every run.\n\n"
      "As a command:  jme run day.csv --bounds {} --epsilon 1 --delta 1e-6 --rows {} --every {}\n\n",
      demo_rows, bounds_text, demo_rows, every));

  ExactMoments exact;
  std::vector<Point> curve;
  std::vector<std::vector<std::string>> table{{"t", "value", "private", "exact", "noise_std", "off by"}};
  const auto figure = [](double value) { return fmt::format("{:.4f}", value); };
  std::size_t releases = 0;
  for (std::size_t t = 0; t < demo_rows; ++t) {
    std::array<double, 3> row = demo_row(t);
    exact.add(Eigen::Map<const Eigen::Vector3d>(row.data()));
    bounds.to_unit(row);
    const Release& release = stream.push(row);
    if (!release.is_new()) continue;
    ++releases;
    report.add(release);
    const MeanEstimate mean = running_mean(release, units);
    curve.push_back({.exact = exact.mean()(0), .given = mean.value(0)});
    if (releases % (demo_rows / every / releases_shown) != 0) continue;
    const CovarianceEstimate covariance = running_covariance(release, units);
    const auto line = [&](std::string label, double given, double truth, double noise) {
      table.push_back({fmt::format("{}", release.rows()), std::move(label), figure(given), figure(truth),
                       figure(noise), fmt::format("{:+.1f} std", (given - truth) / noise)});
    };
    for (Eigen::Index i = 0; i < 3; ++i) {
      line("mean " + columns[static_cast<std::size_t>(i)], mean.value(i), exact.mean()(i), mean.noise_std(i));
    }
    line("cov temp,humidity", covariance.value(0, 1), exact.covariance()(0, 1), covariance.noise_std(0, 1));
    line("var co", covariance.value(2, 2), exact.covariance()(2, 2), covariance.noise_std(2, 2));
  }
  using enum Align;
  output.write(aligned(table, {right, left, right, right, right, right}));
  output.write("\nRunning mean of temp over the day: o private, . exact, @ both\n\n" + plot(curve));
  output.write(
      "\nGuarantee: one reading replaced by any other changes what can be learnt from all of this by no "
      "more\n"
      "than epsilon = 1, delta = 1e-6 differential privacy allows. jme run --dry-run says it in full.\n");
  if (report_file) {
    report_file->write(report_page({.run = description,
                                    .collected = report,
                                    .last = stream.release(),
                                    .title = "A day of sensor readings",
                                    .shape_was_chosen = true})
                           .html());
    output.write(fmt::format("\nReport: {}\n", report_file->path()));
  }
  return ExitCode::ok;
}

}  // namespace jme::cli
