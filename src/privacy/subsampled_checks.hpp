#pragma once

#include <limits>

#include <jme/privacy/allocation.hpp>
#include <jme/privacy/subsampled.hpp>

#include "privacy/loss_pair.hpp"

namespace jme::privacy {

/// Where rows are sampled, sigma must lie between these. Less noise gives hardly any privacy (epsilon above
/// 200 for a single step on a sampled row), more is never useful.
inline constexpr double least_sigma = 0.05;
inline constexpr double largest_sigma = 1e9;

/// An epsilon as it is reported: not below 0, and infinite (no promise) rather than NaN.
[[nodiscard]] constexpr double at_least_zero(double epsilon) {
  if (epsilon > 0) return epsilon;
  return epsilon <= 0 ? 0.0 : std::numeric_limits<double>::infinity();
}

/// Throws InvalidParameter naming sampling-rate, steps or sigma.
void check(const SubsampledGaussian& mechanism);

/// The machinery behind pld_epsilon and pld_delta without the shortcut at sampling rate 1, for tests.
[[nodiscard]] double composed_epsilon(const SubsampledGaussian& mechanism, double delta);
[[nodiscard]] double composed_delta(const SubsampledGaussian& mechanism, double epsilon);
/// That behind allocation_epsilons for one direction; infinity where delta is too small for it.
[[nodiscard]] double allocation_in_direction(const Allocation& mechanism, Direction direction, double delta);

}  // namespace jme::privacy
