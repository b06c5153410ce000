#pragma once

#include <cstddef>
#include <string>

#include "experiments/figure.hpp"
#include "experiments/monte_carlo.hpp"

namespace jme::experiments {

/// How well simulated averages agree with what theory expects of them: each on its own, and all of them on
/// average, which notices smaller differences if they are common to all.
class Agreement {
 public:
  /// Probability with which one correct comparison counts as a disagreement, as if runs were normal. All
  /// items make fewer than 250 of them: together below 1e-9.
  static constexpr double false_alarm = 4e-12;
  /// Squared errors of noise 10% too small are this much too small. A mean that could miss this would prove
  /// little.
  static constexpr double must_notice = 0.19;

  void compare(const Sample& simulated, double expected);
  Agreement& operator+=(const Agreement& other);

  [[nodiscard]] std::size_t comparisons() const { return comparisons_; }
  [[nodiscard]] std::size_t disagreements() const { return disagreements_; }
  /// Mean ratio of simulated to expected squared errors, its standard error, and how far from 1 it may be.
  [[nodiscard]] double mean_ratio() const { return ratios_ / static_cast<double>(comparisons_); }
  [[nodiscard]] double mean_ratio_error() const;
  [[nodiscard]] double mean_ratio_limit() const;
  /// As a claim of ours.
  [[nodiscard]] Claim claim() const;

 private:
  std::size_t comparisons_ = 0, disagreements_ = 0;
  double least_chance_ = 1;            // of any comparison
  double ratios_ = 0, variances_ = 0;  // sums over comparisons
};

/// Points of the root of simulated squared errors, with the standard error of the root.
void add_root_point(Series& points, double x, const Sample& squared_error, double scale = 1);

}  // namespace jme::experiments
