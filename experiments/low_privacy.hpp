#pragma once

#include <optional>

#include "experiments/release_schedule.hpp"

namespace jme::experiments {

/// When debiased PP (C = I) has less error than JME, for one workload and schedule, d >= 2. JME's squared
/// error is N std2^2 ||A C^-1||^2 = 4 d(d+1) sigma^2 beta with beta = ||C||^2 ||A C^-1||^2 over the releases'
/// steps, PP's is (d+1) (8 sigma^2 + 16 d sigma^4) alpha with alpha = ||A||^2 over rows
/// (docs/theory/errors.md#who-wins). With rho = beta / alpha: PP is better exactly where sigma^2 < rho/4 -
/// 1/(2d). Since C = I is one of the shapes, rho <= 1, and PP is never better at sigma >= 1/2.
struct Frontier {
  double rho;

  [[nodiscard]] static Frontier of(const ScheduleErrors& errors, std::size_t dimension);
  /// JME is better at every sigma up to this dimension.
  [[nodiscard]] double least_dimension() const { return 2 / rho; }
  /// Below which sigma PP is better; nothing up to least_dimension().
  [[nodiscard]] std::optional<double> sigma(std::size_t dimension) const;
  /// The limit of sigma(dimension) as the dimension grows without end.
  [[nodiscard]] double highest_sigma() const;
};

}  // namespace jme::experiments
