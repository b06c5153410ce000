#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <jme/filter/filter.hpp>

#include "filter/stream.hpp"

namespace jme {

/// ||row t of A C^-1||^2 for t = 0, 1, 2, ...: the variance that unit noise gives release t, one release
/// after another. Where A has one tap and at most one mode (prefix, mean, decay, identity), by a recursion:
/// C of one tap and modes (identity, BLT, scaled BLT) takes O(modes^2) per step and keeps no more than the
/// covariance of its states, so that the number of steps does not matter; banded C and their inverses keep
/// the coefficients of C^-1 that are not zero. Else all of them at once, from the first call
/// (squared_error_row_norms).
class ErrorNormStream {
 public:
  ErrorNormStream(const Filter& a, const Filter& c);
  ErrorNormStream(ErrorNormStream&&) noexcept;
  ErrorNormStream& operator=(ErrorNormStream&&) noexcept;
  ~ErrorNormStream();

  /// The norm of the next step. May be called only as often as there are steps.
  [[nodiscard]] double next();
  /// The same for as many steps as `out` is long.
  void next(std::span<double> out);
  /// The norm of step `step`, the newest or a later one; the steps between are passed over.
  [[nodiscard]] double at(std::size_t step);
  /// Passes over steps so that `step` is the next one.
  void skip_to(std::size_t step);
  /// The norm of the next step where it closes the workload early, with these overrides. Only where
  /// closes_early().
  [[nodiscard]] double last(const LastStep& last) const;
  /// True for the recursion: the vector of all norms knows whole blocks only.
  [[nodiscard]] bool closes_early() const;
  [[nodiscard]] std::size_t steps_done() const { return done_; }

  class Recursion;

 private:
  std::unique_ptr<Recursion> recursion_;
  std::vector<double> all_;
  std::size_t done_ = 0;
  double newest_ = 0;
};

}  // namespace jme
