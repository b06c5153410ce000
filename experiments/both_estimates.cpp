#include "experiments/both_estimates.hpp"

#include <numeric>

#include <jme/moments/moment_stream.hpp>

#include "experiments/simulated_errors.hpp"
#include "filter/norms.hpp"
#include "filter/stream.hpp"

namespace jme::experiments {
namespace {

std::vector<double> parts(std::vector<double> norms) {
  const double sum = std::accumulate(norms.begin(), norms.end(), 0.0);
  for (double& norm : norms) norm /= sum;
  return norms;
}

}  // namespace

BothEstimates::BothEstimates(const Workload& workload, std::size_t rows, std::size_t dimension)
    : config_{.budget = {},
              .rows = rows,
              .dimension = dimension,
              .norm_bound = 1,
              .geometry = Geometry::ball,
              .workload = workload,
              .shape = Shape::identity(),
              .shape_second = Shape::automatic()} {
  jme_ = second_error_curves(config_).attained;
  StreamConfig pp = config_;
  pp.method = Method::pp_debiased;
  pp.shape_second.reset();
  pp_ = second_error_curves(pp).attained;
  StreamConfig any = config_;
  any.budget = {.sigma = 1};
  const Mechanism mechanism(any);
  jme_parts_ = parts(squared_error_row_norms(mechanism.a2(), mechanism.c2()));
  pp_parts_ = parts(squared_error_row_norms(mechanism.a2(), Filter::identity(rows)));
}

std::vector<double> BothEstimates::weights(double sigma) const {
  const double jme = jme_.squared_error(sigma), pp = pp_.squared_error(sigma);
  std::vector<double> result(jme_parts_.size());
  for (std::size_t t = 0; t < result.size(); ++t)
    result[t] = pp * pp_parts_[t] / (jme * jme_parts_[t] + pp * pp_parts_[t]);
  return result;
}

double BothEstimates::squared_error(double sigma) const {
  const std::vector<double> jme_weights = weights(sigma);
  double sum = 0;
  for (std::size_t t = 0; t < jme_weights.size(); ++t) sum += jme_weights[t] * jme_parts_[t];
  return jme_.squared_error(sigma) * sum;
}

double BothEstimates::low_privacy_ratio() const {
  double sum = 0;
  for (std::size_t t = 0; t < jme_parts_.size(); ++t) {
    const double jme = jme_.square * jme_parts_[t], pp = pp_.square * pp_parts_[t];
    sum += jme * pp / (jme + pp);
  }
  return sum / pp_.square;
}

Sample simulated_both(const Effort& effort, const BothEstimates& both, double sigma, std::size_t runs,
                      std::string_view what) {
  StreamConfig config = both.config();
  config.budget = {.sigma = sigma};
  const Mechanism mechanism(config);
  const std::size_t n = *config.rows, d = config.dimension, entries = d * (d + 1) / 2;
  const double variance = mechanism.calibration().std_first * mechanism.calibration().std_first;
  const std::vector<double> weights = both.weights(sigma);
  const std::vector<double> truth = mechanism.a2().apply(std::vector<double>(n, 1.0));
  const auto samples = monte_carlo(effort, runs, 1, [&](std::size_t run, std::span<double> errors) {
    MomentStream stream(mechanism, run_seed(effort, what, run));
    FilterStream rows(mechanism.a1(), Direction::inverse, d);
    FilterStream squares(mechanism.a2(), Direction::forward, entries);
    std::vector<double> row(d, 0.0), noisy(d), products(entries);
    for (std::size_t t = 0; t < n; ++t) {
      row[0] = t % 2 == 0 ? 1 : -1;
      const Release& release = stream.push(row);
      rows.step(release.first(), noisy);
      for (std::size_t i = 0, at = 0; i < d; ++i) {
        for (std::size_t j = i; j < d; ++j, ++at)
          products[at] = noisy[i] * noisy[j] - (i == j ? variance : 0);
      }
      squares.step(products, products);
      for (std::size_t at = 0; at < entries; ++at)
        products[at] = weights[t] * release.second()[at] + (1 - weights[t]) * products[at];
      errors[0] += squared_frobenius_distance(products, d, truth[t]);
    }
  });
  return samples[0];
}

}  // namespace jme::experiments
