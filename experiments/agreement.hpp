#pragma once

#include <cstddef>
#include <string>

#include "experiments/figure.hpp"
#include "experiments/monte_carlo.hpp"

namespace jme::experiments {

/// How well simulated averages agree with what theory expects of them.
class Agreement {
 public:
  /// Probability with which one correct comparison counts as a disagreement.
  static constexpr double false_alarm = 1e-7;

  void compare(const Sample& simulated, double expected);
  Agreement& operator+=(const Agreement& other);

  [[nodiscard]] std::size_t comparisons() const { return comparisons_; }
  [[nodiscard]] std::size_t disagreements() const { return disagreements_; }
  /// Largest distance in standard errors, and the largest relative one of the errors (roots).
  [[nodiscard]] double farthest() const { return farthest_; }
  [[nodiscard]] double farthest_relative() const { return farthest_relative_; }
  /// As a claim of ours.
  [[nodiscard]] Claim claim() const;

 private:
  std::size_t comparisons_ = 0, disagreements_ = 0;
  double farthest_ = 0, farthest_relative_ = 0;
};

/// Points of the root of simulated squared errors, with the standard error of the root.
void add_root_point(Series& points, double x, const Sample& squared_error, double scale = 1);

}  // namespace jme::experiments
