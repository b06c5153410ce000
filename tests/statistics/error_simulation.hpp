#pragma once

#include <cstddef>
#include <cstdint>

#include <Eigen/Core>

#include <jme/mechanism/mechanism.hpp>

namespace jme::oracle {

/// Squared errors of one simulated stream, summed over releases and coordinates.
struct SquaredError {
  double first = 0, second = 0;
};
SquaredError simulate(const Mechanism& mechanism, const Eigen::MatrixXd& x, std::uint64_t seed);

/// Mean and variance of the squared errors over `runs` seeds.
struct ErrorSample {
  std::size_t runs;
  SquaredError mean, variance;
};
ErrorSample simulate_many(const Mechanism& mechanism, const Eigen::MatrixXd& x, std::size_t runs,
                          std::uint64_t seed);

/// A sum of squares of Gaussians, sum_i a_i z_i^2, averaged over `runs` independent repetitions: two-sided
/// limits that it leaves with probability below 1e-9. Source: Laurent & Massart 2000, Lemma 1, at x = 22 (2
/// exp(-22) = 6e-10).
class ChiSquareLimits {
 public:
  /// `weights` a_i, each `multiplicity` times.
  ChiSquareLimits(const Eigen::VectorXd& weights, double multiplicity);

  [[nodiscard]] double mean() const { return sum_; }
  [[nodiscard]] double upper(std::size_t runs) const;
  [[nodiscard]] double lower(std::size_t runs) const;
  /// Least number of runs at which noise scaled by 0.9 falls below lower(), except with probability 1e-9.
  [[nodiscard]] std::size_t runs_for_power() const;

 private:
  double sum_, norm_, largest_;
};

}  // namespace jme::oracle
