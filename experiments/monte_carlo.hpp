#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <jme/random/key.hpp>

#include "experiments/effort.hpp"

namespace jme::experiments {

/// A number averaged over independent simulated runs.
struct Sample {
  double mean = 0;
  double deviation = 0;  ///< standard deviation of one run
  double low = 0,
         high = 0;  ///< between which the middle 68% of the runs lie, as one deviation of a normal law
  std::size_t runs = 0;

  [[nodiscard]] double std_error() const;
  /// Distance from `expected` in standard errors.
  [[nodiscard]] double distance(double expected) const;
  /// The distance that a correct simulation passes with this probability: Student's t, two-sided, as if runs
  /// were normal. With few runs the limit is wide.
  [[nodiscard]] double limit(double false_alarm) const;
  /// The probability with which a correct simulation lies at least this far from `expected`, by the same law.
  [[nodiscard]] double chance(double expected) const;
};

/// A seed for run `run` of the simulation called `what`. Not secret: these are simulations on made-up data.
[[nodiscard]] InsecureTestSeed run_seed(const Effort& effort, std::string_view what, std::size_t run);

/// Runs `simulate(run, out)` for every run, `out` being the run's `statistics` numbers, on the effort's
/// threads. A run depends on its number alone and sums are made in order, so the result does not depend on
/// the threads.
[[nodiscard]] std::vector<Sample> monte_carlo(
    const Effort& effort, std::size_t runs, std::size_t statistics,
    const std::function<void(std::size_t run, std::span<double> out)>& simulate);

}  // namespace jme::experiments
