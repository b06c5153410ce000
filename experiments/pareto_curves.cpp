// Figure 1 of the paper: what the first moment's error costs the second, for lambda-JME, IME and CS.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <jme/sensitivity/joint.hpp>

#include "experiments/agreement.hpp"
#include "experiments/items.hpp"
#include "experiments/sigma_curve.hpp"
#include "experiments/simulated_errors.hpp"

namespace jme::experiments {
namespace {

constexpr std::size_t pareto_rows = 100, pareto_dimension = 10;
constexpr double pareto_sigma = 0.5;

StreamConfig base() {
  return {.budget = {.sigma = pareto_sigma},
          .rows = pareto_rows,
          .dimension = pareto_dimension,
          .norm_bound = 1,
          .geometry = Geometry::ball,
          .workload = prefix(),
          .shape = Shape::identity()};
}

/// A method at one value of its own parameter (nu = lambda zeta^2, alpha or tau).
Mechanism tuned(Method method, double parameter) {
  StreamConfig config = base();
  config.method = method;
  if (method == Method::lambda_jme) config.lambda = parameter;
  if (method == Method::ime) config.alpha = parameter;
  if (method == Method::cs) config.tau = parameter;
  return Mechanism(config);
}

struct Family {
  const char* name;
  Method method;
  std::vector<double> drawn, simulated;
};

std::vector<Family> families() {
  // IME's share alpha is spaced evenly in its odds: alpha / (1 - alpha) is on a logarithmic grid.
  std::vector<double> shares = logarithmic_grid(25, 0.08, 60);
  for (double& share : shares) share = share / (1 + share);
  return {{"λ-JME", Method::lambda_jme, logarithmic_grid(0.5, 25, 60), {0.5, 1, 2, 4, 8, 16}},
          {"IME", Method::ime, std::move(shares), {0.9, 0.75, 0.5, 0.25, 0.15}},
          {"CS", Method::cs, logarithmic_grid(0.05, 12, 60), {0.1, 0.4, 1, 2.5, 7}}};
}

/// The first and second squared error at which lambda-JME meets a given first one, by the inverse of r_d
/// (docs/theory/sensitivity.md#the-gain-of-one-row).
double jme_second_at(double first_squared_error, Count count) {
  const Mechanism free = tuned(Method::lambda_jme, 0.5);
  const double gain = 4 * first_squared_error / expected_error(free).first;
  const double nu = inverse_joint_gain(Adjacency::replace_one, pareto_dimension, std::max(gain, 4.0));
  return expected_error(tuned(Method::lambda_jme, nu), count).second.high;
}

Claim dominance(const Family& family) {
  double least = 1e300, most = 0;
  for (const double parameter : family.drawn) {
    const ExpectedError other = expected_error(tuned(family.method, parameter), Count::paper);
    const double ratio = jme_second_at(other.first, Count::paper) / other.second.high;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return {
      .statement = fmt::format("λ-JME has a better trade-off than {} everywhere.", family.name),
      .verdict = verdict_of(most < 1),
      .found = fmt::format("At equal first-moment error, λ-JME's squared second-moment error is {:.3f} to "
                           "{:.3f} of {}'s.",
                           least, most, family.name)};
}

// Algorithm 4 draws the second noise with sigma instead of sigma_2: its error would then be the same for
// every alpha, and IME would be ahead of JME near alpha = 1. The figure cannot have been made that way.
Claim printed_ime() {
  const double alpha = 0.99;
  const ExpectedError private_one = expected_error(tuned(Method::ime, alpha), Count::paper);
  const double printed = private_one.second.high * (1 - alpha);
  const double jme = jme_second_at(private_one.first, Count::paper);
  return {
      .statement = "IME as printed in Algorithm 4 (second noise drawn with σ) is what the figure shows.",
      .verdict = verdict_of(printed >= jme),
      .found = fmt::format("At α = {} the printed noise gives a second-moment error of {:.1f}, λ-JME {:.1f} "
                           "at the same first-moment error: as printed, IME would win. It is not private; "
                           "the private one has {:.1f}.",
                           alpha, std::sqrt(printed), std::sqrt(jme), std::sqrt(private_one.second.high))};
}

Chart chart(const Effort& effort, Count count, Agreement& agreement) {
  const bool paper = count == Count::paper;
  Chart chart{.name = paper ? "pareto-paper" : "pareto-symmetric",
              .title = paper ? "The paper's noise: d² draws" : "Our noise: d(d+1)/2 draws",
              .x = {.label = "error of the first moment, in ζ", .logarithmic = true},
              .y = {.label = "error of the second moment, in ζ²", .logarithmic = true}};
  const std::size_t runs = effort.runs(2000, 300);
  std::size_t done = 0;
  for (const Family& family : families()) {
    Series line{.name = family.name};
    for (const double parameter : family.drawn) {
      const ExpectedError error = expected_error(tuned(family.method, parameter), count);
      line.x.push_back(std::sqrt(error.first));
      line.y.push_back(std::sqrt(error.second.high));
    }
    chart.series.push_back(std::move(line));
  }
  for (const Family& family : families()) {
    Series points{.name = std::string(family.name) + ", simulated", .drawn = Drawn::points};
    for (const double parameter : family.simulated) {
      const Mechanism mechanism = tuned(family.method, parameter);
      const std::string what = fmt::format("{} {} {}", chart.name, family.name, parameter);
      const auto part = [&](std::size_t k) { return static_cast<double>(k) / 16; };
      const Effort share = effort.part(part(done), part(done + 1));
      ++done;
      const MomentErrors ours = simulated_errors(share, {.mechanism = mechanism, .runs = runs, .what = what});
      const Sample second =
          paper ? simulated_noise(share, mechanism.a2(), mechanism.c2(), mechanism.calibration().std_second,
                                  pareto_dimension * pareto_dimension, runs, what)
                : ours.second;
      const ExpectedError expected = expected_error(mechanism, count);
      agreement.compare(ours.first, expected.first);
      agreement.compare(second, expected.second.high);
      add_root_point(points, std::sqrt(ours.first.mean), second);
    }
    chart.series.push_back(std::move(points));
  }
  return chart;
}

}  // namespace

Figure pareto_curves(const Effort& effort) {
  Agreement agreement;
  Figure figure{.title = "First moment against second: λ-JME, IME and CS",
                .source = "Figure 1",
                .setting = fmt::format("prefix sums, n = {}, d = {}, C₁ = C₂ = I, ζ = 1, σ = {}", pareto_rows,
                                       pareto_dimension, pareto_sigma)};
  figure.notes = {"An error is the root of the expected squared Frobenius error summed over all n releases.",
                  fmt::format("Points are averages over {} simulated runs.", effort.runs(2000, 300))};
  figure.charts.push_back(chart(effort.part(0, 0.5), Count::paper, agreement));
  figure.charts.push_back(chart(effort.part(0.5, 1), Count::symmetric, agreement));
  for (const Family& family : families()) {
    if (family.method != Method::lambda_jme) figure.claims.push_back(dominance(family));
  }
  figure.claims.push_back(printed_ime());
  const double free_paper = expected_error(tuned(Method::lambda_jme, 0.5), Count::paper).second.high;
  const double free_ours = expected_error(tuned(Method::lambda_jme, 0.5)).second.high;
  figure.claims.push_back(
      {.statement = "Symmetric noise lowers every curve at no cost.",
       .from_paper = false,
       .verdict = verdict_of(free_ours < free_paper),
       .found = fmt::format("Second-moment errors are {:.3f} of the paper's: √((d + 1)/(2d)).",
                            std::sqrt(free_ours / free_paper))});
  figure.claims.push_back(agreement.claim());
  return figure;
}

}  // namespace jme::experiments
