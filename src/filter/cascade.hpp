#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <jme/filter/filter.hpp>

namespace jme {

/// One time-invariant filter of few states inside a cascade: the series of `core` itself, or its inverse as
/// feedback.
struct Stage {
  const Toeplitz* series;
  bool feedback;

  [[nodiscard]] std::size_t states() const { return series->taps.size() + series->modes.size(); }
};

/// White noise with standard deviation noise[t] runs through `first`, is multiplied by gain[t], and runs
/// through `second`.
struct Cascade {
  Stage first;
  std::span<const double> noise;
  std::span<const double> gain;
  std::optional<Stage> second{};
  /// Weight of the second stage's single mode at the last step, where it differs (Filter::last_mode_weight).
  std::optional<double> last_mode_weight{};
};

/// More states than this cost more than they save.
inline constexpr std::size_t max_cascade_states = 40;
[[nodiscard]] std::size_t states(const Cascade& cascade);

/// Var of the cascade's output at every step, by a recursion for the covariance of all its states:
/// O(states^2) per step (docs/theory/shaping.md#norms-by-recursion).
[[nodiscard]] std::vector<double> output_variances(const Cascade& cascade);

}  // namespace jme
