#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <Eigen/Core>

#include <jme/models/divisors.hpp>
#include <jme/models/running_moments.hpp>
#include <jme/models/sample_size.hpp>
#include <jme/moments/release.hpp>

namespace jme::models {

/// A number that depends on every number of a release, and on nothing else.
[[nodiscard]] std::uint64_t digest(const Release& release);

/// Releases as they would be if what was estimated from one were the truth: mean, counts and the estimated
/// covariance, with fresh noise of the same law. With a `size` the rows are drawn again as well, so many
/// independent ones from a normal population with this mean and covariance.
class SimulatedRelease {
 public:
  SimulatedRelease(const Release& release, const Divisors& divisors, const RunningMoments& moments,
                   const SampleSize* size = nullptr);
  [[nodiscard]] Release next();
  /// Which of its counts are known: those that were.
  [[nodiscard]] const KnownCounts& known() const { return known_; }

 private:
  [[nodiscard]] double normal() { return normal_(noise_bits_); }
  void add_rows(Eigen::VectorXd& mean, Eigen::MatrixXd& covariance);
  void add_noise_on_diagonal(std::vector<double>& numbers, std::size_t begin);

  const Release& release_;
  const Divisors& divisors_;
  Eigen::VectorXd mean_;
  Eigen::MatrixXd covariance_, root_;
  Eigen::VectorXd rows_;       // independent rows behind each mean; empty without sampling
  Eigen::MatrixXd pair_rows_;  // and behind each entry of the covariance
  KnownCounts known_;
  std::vector<double> packed_;
  std::size_t first_at_;  // where the first channel's numbers begin
  std::mt19937_64 noise_bits_, row_bits_;
  std::normal_distribution<double> normal_;
};

}  // namespace jme::models
