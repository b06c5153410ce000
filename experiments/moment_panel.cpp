#include "experiments/moment_panel.hpp"

#include <cmath>

#include <fmt/format.h>

namespace jme::experiments {
namespace {

StreamConfig with(StreamConfig config, Method method, const Shape& shape) {
  config.method = method;
  config.shape = shape;
  return config;
}

SigmaCurve scaled(const SigmaCurve& curve, double scale) {
  return {.square = scale * scale * curve.square, .fourth = scale * scale * curve.fourth};
}

// PP's supremum over streams is the square term of its curve, 4 zeta^2 times 2(d+1) (full) or 4 (diagonal)
// times sup tr(M XX') (docs/theory/errors.md#squared-noisy-rows, where w = 4 sigma^2 zeta^2 norm(C)^2). The
// curve takes it from the alternating stream; a dual bound says how much more any other stream could give.
double certified_gap(StreamConfig config, const SigmaCurve& debiased) {
  config.budget = {.sigma = 1};
  const Mechanism mechanism(config);
  const double w = std::pow(mechanism.calibration().std_first, 2), zeta = config.norm_bound;
  const double count =
      config.second == SecondMoment::full ? 2 * (static_cast<double>(config.dimension) + 1) : 4;
  const double attained = debiased.square / (count * w * zeta * zeta);
  return pp_cross_term(mechanism.a2(), mechanism.c1()).high / attained - 1;
}

std::string resolved_name(StreamConfig config) {
  config.budget = {.sigma = 1};
  return Mechanism(config).shape_second().name();
}

struct Simulated {
  std::string name;
  Method method;
  Shape shape;
};

}  // namespace

std::vector<double> figure_sigmas() {
  return logarithmic_grid(0.1, 50, 55);
}

std::string crossover_text(const SigmaCurve& a, const SigmaCurve& b) {
  const auto sigma = crossover(a, b);
  return sigma ? fmt::format("{:.3f}", *sigma) : "nowhere";
}

MomentPanel moment_panel(const Effort& effort, const PanelRequest& request) {
  const StreamConfig& config = request.config;
  const Shape shape = config.shape, ours = Shape::automatic();
  const auto curves = [&](Method method, const Shape& c, Count count = Count::symmetric) {
    return scaled(second_error_curves(with(config, method, c), count).attained, request.scale);
  };
  MomentPanel panel{
      .chart = {.name = request.name,
                .title = request.title,
                .x = {.label = "noise multiplier σ", .logarithmic = true},
                .y = {.label = "error of the second moment, in ζ²", .logarithmic = true}},
      .jme_paper = curves(Method::jme, shape, Count::paper),
      .jme = curves(Method::jme, shape),
      .jme_ours = curves(Method::jme, ours),
      .our_shape = resolved_name(with(config, Method::jme, ours)),
      .pp = curves(Method::pp, shape),
      .pp_debiased = curves(Method::pp_debiased, shape),
      .certified_gap = certified_gap(with(config, Method::pp_debiased, shape),
                                     second_error_curves(with(config, Method::pp_debiased, shape)).attained),
      .agreement = {}};

  const std::vector<double> sigmas = figure_sigmas();
  const auto add_line = [&](std::string name, const SigmaCurve& curve) {
    panel.chart.series.push_back({.name = std::move(name), .x = sigmas, .y = errors_at(curve, sigmas)});
  };
  const bool has_two_counts = config.second == SecondMoment::full && config.dimension > 1;
  add_line("PP", panel.pp);
  add_line("PP debiased", panel.pp_debiased);
  add_line("JME", has_two_counts ? panel.jme_paper : panel.jme);
  if (has_two_counts) add_line("JME symmetric", panel.jme);
  add_line("JME our shape", panel.jme_ours);
  if (const auto sigma = crossover(has_two_counts ? panel.jme_paper : panel.jme, panel.pp_debiased))
    panel.chart.marks.push_back({.x = *sigma, .label = fmt::format("equal at σ = {:.3f}", *sigma)});

  std::vector<Simulated> simulated{{"PP, simulated", Method::pp, shape},
                                   {"PP debiased, simulated", Method::pp_debiased, shape}};
  if (request.simulation.jme)
    simulated.push_back({has_two_counts ? "JME symmetric, simulated" : "JME, simulated", Method::jme, shape});
  if (request.simulation.our_shape) simulated.push_back({"JME our shape, simulated", Method::jme, ours});
  const std::size_t points = simulated.size() * request.simulation.sigmas.size();
  std::size_t done = 0;
  for (const Simulated& one : simulated) {
    if (request.simulation.sigmas.empty()) break;
    Series series{.name = one.name, .drawn = Drawn::points};
    for (const double sigma : request.simulation.sigmas) {
      StreamConfig drawn = with(config, one.method, one.shape);
      drawn.budget = {.sigma = sigma};
      const Mechanism mechanism(drawn);
      const std::string what = fmt::format("{} {} {}", request.name, one.name, sigma);
      const auto share = [&](std::size_t k) { return static_cast<double>(k) / static_cast<double>(points); };
      const MomentErrors errors =
          simulated_errors(effort.part(share(done), share(done + 1)),
                           {.mechanism = mechanism, .runs = request.simulation.runs, .what = what});
      ++done;
      add_root_point(series, sigma, errors.second, request.scale);
      panel.agreement.compare(errors.second, expected_error(mechanism).second.low);
    }
    panel.chart.series.push_back(std::move(series));
  }
  return panel;
}

}  // namespace jme::experiments
