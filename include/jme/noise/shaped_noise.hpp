#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <jme/filter/filter.hpp>
#include <jme/filter/stream.hpp>
#include <jme/noise/draw_periods.hpp>
#include <jme/noise/noise_scale.hpp>

namespace jme {

/// scale_j [C^-1 Z]_{t,j} rounded to the nearest whole number, one step after another: noise in whole lattice
/// units, made without any data.
class ShapedNoise {
 public:
  /// `scale`: standard deviations in lattice units. Throws InvalidParameter where noise could reach 2^38
  /// units (then its double has too few digits below the lattice, SAFETY 2): where
  ///     GaussianSource::largest_draw * scale_j * ||row t of C^-1|| >= 2^38,
  /// a length that a Gaussian of this variance passes with probability below 1e-36. Whatever is drawn, by
  /// Cauchy-Schwarz noise stays below 2^38 sqrt(steps) <= 2^51, so that its sum with data below 2^52 is
  /// exact.
  ShapedNoise(const Filter& shape, DrawPeriods draws, Channel channel, NoiseScale scale);
  // A copy would add the same noise to other data.
  ShapedNoise(const ShapedNoise&) = delete;
  ShapedNoise& operator=(const ShapedNoise&) = delete;
  ShapedNoise(ShapedNoise&&) = default;
  ShapedNoise& operator=(ShapedNoise&&) = default;

  /// Adds step t's noise to `values` (whole numbers in lattice units); t = number of calls before. Throws
  /// BudgetExhausted past the horizon, before anything is drawn.
  void add_to(std::span<double> values);

  /// The same in tiles, as FilterStream's: begin, every tile once, in any order and from any thread, end.
  void begin_step();
  /// `values` in whole lanes; the padding stays as it is. Fetches the caller's `upcoming` memory meanwhile.
  void add_tile(std::size_t begin, std::span<double> values, Upcoming upcoming = {});
  void end_step();

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
  /// An older step whose draws this one takes in: made again under their own nonce, instead of stored.
  struct OldDraws {
    const GaussianSource* source;
    std::uint64_t step;
    double weight;
  };
  void shape_tile(std::size_t begin, std::span<double> noise, Upcoming upcoming = {});
  [[nodiscard]] bool sum_lagged(std::size_t begin, std::size_t count, std::span<double> lagged) const;

  DrawPeriods periods_;
  Channel channel_;
  std::size_t steps_;
  NoiseScale scale_;
  std::vector<LagTap> lag_taps_;
  Schedule row_;
  FilterStream stream_;
  // The step that is under way.
  const GaussianSource* source_ = nullptr;
  std::vector<OldDraws> old_draws_;
};

}  // namespace jme
