#include "experiments/simulated_errors.hpp"

#include <algorithm>
#include <vector>

#include <jme/models/covariance.hpp>
#include <jme/moments/moment_stream.hpp>

#include "filter/stream.hpp"
#include "random/gaussian_source.hpp"

namespace jme::experiments {
namespace {

double sign_at(Signs signs, std::size_t t) {
  return signs == Signs::constant || t % 2 == 0 ? 1 : -1;
}

// A applied to one coordinate of the data: all others are zero, or the same.
std::vector<double> truth(const Filter& a, const std::vector<double>& coordinate) {
  return a.apply(coordinate);
}

double squared(double x) {
  return x * x;
}

double squared_distance(std::span<const double> values, double first_value, double others) {
  double sum = squared(values[0] - first_value);
  for (const double value : values.subspan(1)) sum += squared(value - others);
  return sum;
}

}  // namespace

double squared_frobenius_distance(std::span<const double> packed, std::size_t d, double corner,
                                  double others) {
  double sum = 2 * squared_distance(packed, corner, others);
  for (std::size_t i = 0; i < d; ++i) {
    const std::size_t at = packed_index(i, i, d);
    sum -= squared(packed[at] - (at == 0 ? corner : others));
  }
  return sum;
}

MomentErrors simulated_errors(const Effort& effort, const Simulation& simulation) {
  const Mechanism& mechanism = simulation.mechanism;
  const std::size_t n = mechanism.horizon().rows(), d = mechanism.config().dimension;
  const double value = simulation.at_corners ? 1 : mechanism.config().norm_bound;
  std::vector<double> data(n);
  for (std::size_t t = 0; t < n; ++t) data[t] = sign_at(simulation.signs, t) * value;
  const std::vector<double> first = truth(mechanism.a1(), data);
  const std::vector<double> second = truth(mechanism.a2(), std::vector<double>(n, value * value));
  // All coordinates, and all their products, are the first one or zero.
  const double others = simulation.at_corners ? 1 : 0;
  const bool full = mechanism.config().second == SecondMoment::full;

  const auto samples =
      monte_carlo(effort, simulation.runs, 2, [&](std::size_t run, std::span<double> errors) {
        MomentStream stream(mechanism, run_seed(effort, simulation.what, run));
        std::vector<double> row(d, 0.0);
        for (std::size_t t = 0; t < n; ++t) {
          std::fill(row.begin(), row.end(), others * data[t]);
          row[0] = data[t];
          const Release& release = stream.push(row);
          errors[0] += squared_distance(release.first(), first[t], others * first[t]);
          errors[1] += full ? squared_frobenius_distance(release.second(), d, second[t], others * second[t])
                            : squared_distance(release.second(), second[t], others * second[t]);
        }
      });
  return {.first = samples[0], .second = samples[1]};
}

CovarianceErrors simulated_covariance_errors(const Effort& effort, const Simulation& simulation) {
  const Mechanism& mechanism = simulation.mechanism;
  const std::size_t n = mechanism.horizon().rows(), d = mechanism.config().dimension;
  const double zeta = mechanism.config().norm_bound;
  const Units units = Units::identity(d);
  const auto samples =
      monte_carlo(effort, simulation.runs, 2, [&](std::size_t run, std::span<double> errors) {
        MomentStream stream(mechanism, run_seed(effort, simulation.what, run));
        std::vector<double> row(d, 0.0);
        double sum = 0;
        for (std::size_t t = 0; t < n; ++t) {
          row[0] = sign_at(simulation.signs, t) * zeta;
          sum += row[0];
          const auto rows = static_cast<double>(t + 1);
          const double variance = zeta * zeta - squared(sum / rows);
          const Release& release = stream.push(row);
          Eigen::MatrixXd removed = running_covariance(release, units, Bias::removed).value;
          Eigen::MatrixXd kept = running_covariance(release, units, Bias::kept).value;
          removed(0, 0) -= variance;
          kept(0, 0) -= variance;
          errors[0] += removed.squaredNorm();
          errors[1] += kept.squaredNorm();
        }
      });
  return {.debiased = samples[0], .biased = samples[1]};
}

Sample simulated_noise(const Effort& effort, const Filter& a, const Filter& c, double std, std::size_t width,
                       std::size_t runs, std::string_view what) {
  const auto samples = monte_carlo(effort, runs, 1, [&](std::size_t run, std::span<double> errors) {
    const GaussianSource source(run_seed(effort, what, run).key(), Nonce{});
    FilterStream shape(c, Direction::inverse, width), workload(a, Direction::forward, width);
    std::vector<double> values(width);
    for (std::size_t t = 0; t < a.steps(); ++t) {
      source.fill(Channel::second, t, 0, values);
      for (double& value : values) value *= std;
      shape.step(values, values);
      workload.step(values, values);
      for (const double value : values) errors[0] += value * value;
    }
  });
  return samples[0];
}

}  // namespace jme::experiments
