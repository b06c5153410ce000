#include "statistics/error_simulation.hpp"

#include <cmath>
#include <vector>

#include <jme/moments/moment_stream.hpp>

#include "statistics/oracle.hpp"

namespace jme::oracle {
namespace {
constexpr double tail = 22;
}

SquaredError simulate(const Mechanism& mechanism, const Eigen::MatrixXd& x, std::uint64_t seed) {
  const Eigen::MatrixXd y = workload_over_rows(mechanism.workload_first(), mechanism.horizon()) * x;
  const SecondMoment kind = mechanism.config().second;
  const Eigen::MatrixXd s =
      workload_over_rows(mechanism.workload_second(), mechanism.horizon()) * squares(x, kind);
  const Eigen::VectorXd weights = frobenius_weights(mechanism.config().dimension, kind);

  MomentStream stream(mechanism, InsecureTestSeed{seed});
  SquaredError error;
  std::vector<double> row(static_cast<std::size_t>(x.cols()));
  for (Eigen::Index t = 0; t < x.rows(); ++t) {
    Eigen::Map<Eigen::RowVectorXd>(row.data(), x.cols()) = x.row(t);
    const Release& release = stream.push(row);
    if (!release.is_new()) continue;
    const auto b = static_cast<Eigen::Index>(release.steps()) - 1;
    const Eigen::Map<const Eigen::RowVectorXd> first(release.first().data(), x.cols());
    error.first += (first - y.row(b)).squaredNorm();
    const Eigen::Map<const Eigen::RowVectorXd> second(release.second().data(), s.cols());
    error.second += (second - s.row(b)).cwiseAbs2().dot(weights);
  }
  return error;
}

ErrorSample simulate_many(const Mechanism& mechanism, const Eigen::MatrixXd& x, std::size_t runs,
                          std::uint64_t seed) {
  ErrorSample sample{.runs = runs, .mean = {}, .variance = {}};
  SquaredError square;
  for (std::size_t r = 0; r < runs; ++r) {
    const SquaredError error = simulate(mechanism, x, seed + r);
    sample.mean.first += error.first;
    sample.mean.second += error.second;
    square.first += error.first * error.first;
    square.second += error.second * error.second;
  }
  const auto n = static_cast<double>(runs);
  sample.mean.first /= n;
  sample.mean.second /= n;
  sample.variance.first = square.first / n - sample.mean.first * sample.mean.first;
  sample.variance.second = square.second / n - sample.mean.second * sample.mean.second;
  return sample;
}

ChiSquareLimits::ChiSquareLimits(const Eigen::VectorXd& weights, double multiplicity)
    : sum_(weights.sum() * multiplicity),
      norm_(weights.norm() * std::sqrt(multiplicity)),
      largest_(weights.maxCoeff()) {}

double ChiSquareLimits::upper(std::size_t runs) const {
  const auto n = static_cast<double>(runs);
  return sum_ + 2 * norm_ * std::sqrt(tail / n) + 2 * largest_ * tail / n;
}

double ChiSquareLimits::lower(std::size_t runs) const {
  return sum_ - 2 * norm_ * std::sqrt(tail / static_cast<double>(runs));
}

std::size_t ChiSquareLimits::runs_for_power() const {
  std::size_t runs = 16;
  // Noise of 0.9 the size has 0.81 of the squares, limits included.
  while (0.81 * upper(runs) >= lower(runs)) runs += runs / 16;
  return runs;
}

}  // namespace jme::oracle
