#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/filter/filter.hpp>
#include <jme/filter/stream.hpp>
#include <jme/noise/draw_periods.hpp>

namespace jme {

/// scale_j [C^-1 Z]_{t,j} rounded to the nearest whole number, one step after another: noise in whole lattice
/// units, made without any data.
class ShapedNoise {
 public:
  /// `scale[j]`: standard deviation of coordinate j in lattice units. Throws InvalidParameter where noise
  /// could reach 2^38 units (then its double has too few digits below the lattice, SAFETY 2): where
  ///     GaussianSource::largest_draw * scale_j * ||row t of C^-1|| >= 2^38,
  /// a length that a Gaussian of this variance passes with probability below 1e-36. Whatever is drawn, by
  /// Cauchy-Schwarz noise stays below 2^38 sqrt(steps) <= 2^51, so that its sum with data below 2^52 is
  /// exact.
  ShapedNoise(const Filter& shape, DrawPeriods draws, Channel channel, std::vector<double> scale);
  // A copy would add the same noise to other data.
  ShapedNoise(const ShapedNoise&) = delete;
  ShapedNoise& operator=(const ShapedNoise&) = delete;
  ShapedNoise(ShapedNoise&&) = default;
  ShapedNoise& operator=(ShapedNoise&&) = default;

  /// Adds step t's noise to `values` (whole numbers in lattice units); t = number of calls before. Throws
  /// BudgetExhausted past the horizon, before anything is drawn.
  void add_to(std::span<double> values);

  [[nodiscard]] std::size_t steps_done() const { return stream_.steps_done(); }

  /// SECRET: the filter's buffers, which with the releases reveal the data. Empty where they grow with every
  /// step; such noise is replayed.
  [[nodiscard]] std::vector<double> memory() const;
  [[nodiscard]] std::size_t memory_size(std::size_t steps_done) const;
  /// Goes on after `steps_done` steps of a noise with the same shape and draws. Throws StateError where
  /// `memory` is not memory_size(steps_done) finite numbers.
  void restore(std::size_t steps_done, std::span<const double> memory);
  /// The same from the draws alone: makes all steps again. Only on a noise that has made none.
  void replay(std::size_t steps_done);

 private:
  void make_step();
  void sum_lagged();

  DrawPeriods periods_;
  Channel channel_;
  std::size_t steps_;
  std::vector<double> scale_, draws_, old_draws_, lagged_;
  Filter shape_;
  FilterStream stream_;
};

}  // namespace jme
