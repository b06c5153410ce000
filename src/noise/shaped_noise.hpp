#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <jme/filter/aligned_vector.hpp>
#include <jme/filter/filter.hpp>
#include <jme/filter/sum_words.hpp>

#include "filter/stream.hpp"
#include "noise/draw_periods.hpp"
#include "noise/noise_scale.hpp"

namespace jme {

/// Noise in whole lattice units, made without any data, one step after another: for every coordinate
///     y_t = nearest whole number of  (scale z_t - sum_{s<t} C_ts y_s) / C_tt ,
/// so scale C^-1 Z, rounded inside the recursion. Later steps depend on a draw through y_t alone, and the
/// rounding is decided exactly. src/noise/GUARANTEES.md proves what follows from this.
class ShapedNoise {
 public:
  /// `scale`: standard deviations in lattice units. `first_coordinate`: where this noise is a slice of a
  /// wider one, the place of its first coordinate there; it has the numbers that the wider one has. Throws
  /// InvalidParameter where noise could reach 2^50 units, or the shape has more than 2^26 steps.
  ShapedNoise(const Filter& shape, DrawPeriods draws, Channel channel, NoiseScale scale,
              SumWords words = SumWords::one, std::uint64_t first_coordinate = 0);
  // A copy would add the same noise to other data.
  ShapedNoise(const ShapedNoise&) = delete;
  ShapedNoise& operator=(const ShapedNoise&) = delete;
  ShapedNoise(ShapedNoise&&) = default;
  ShapedNoise& operator=(ShapedNoise&&) = default;

  /// Adds step t's noise to `values` (whole numbers below 2^52 in lattice units); t = number of calls before.
  /// Throws BudgetExhausted past the horizon, before anything is drawn.
  void add_to(std::span<double> values);

  /// The same in tiles, as in FilterStream: call begin, then every tile once, in any order and from any
  /// thread, then end.
  void begin_step();
  /// `values` in whole lanes; the padding stays as it is. Meanwhile it fetches the caller's `upcoming`
  /// memory.
  void add_tile(std::size_t begin, std::span<double> values, Upcoming upcoming = {});
  void end_step();

  [[nodiscard]] std::size_t steps_done() const { return stream_.steps_done(); }

  /// SECRET: the recursion's memory, which with the releases reveals the data. Empty where it grows with
  /// every step; such noise is replayed.
  [[nodiscard]] std::vector<double> memory() const;
  [[nodiscard]] bool memory_is_bounded() const { return stream_.memory_is_bounded(); }
  [[nodiscard]] std::size_t memory_size(std::size_t steps_done) const;
  /// Windows also need one vector of each of their last steps, which does not change once it is made: how
  /// many steps, and the vector of one of them. SECRET as well.
  [[nodiscard]] std::size_t steps_kept() const { return stream_.memory_is_bounded() ? lag_slots_ : 0; }
  [[nodiscard]] std::span<const double> kept(std::size_t step) const;  ///< empty where it keeps none
  /// Goes on after `steps_done` steps of a noise with the same shape and draws; kept_of(step) is what it kept
  /// of a step. Throws StateError where `memory` is not memory_size(steps_done) finite numbers, or a kept
  /// vector is not as long as the noise is wide.
  using KeptOf = std::function<std::span<const double>(std::size_t step)>;
  void restore(std::size_t steps_done, std::span<const double> memory, const KeptOf& kept_of = {});
  /// The same from the draws alone: makes all steps again. Only on a noise that has made none.
  void replay(std::size_t steps_done);

 private:
  struct Tile;
  [[nodiscard]] double decided(std::size_t coordinate, double own, double past) const;
  void add_general_tile(std::size_t begin, const double* draws, std::span<double> values,
                        const struct RoundedStep& step);
  void sum_lagged(std::size_t begin, std::span<double> sum) const;
  [[nodiscard]] std::size_t lag_place(std::size_t step, std::size_t begin) const;  // in lag_ring_

  DrawPeriods periods_;
  Channel channel_;
  std::size_t steps_;
  NoiseScale scale_;
  std::uint64_t first_coordinate_;
  FilterStream stream_;  // of the shape without its lag taps
  /// Lag taps divide the shape by 1 + sum_i weight_i x^lag_i: this is the ring of the last values so divided.
  std::vector<LagTap> lag_taps_;
  std::size_t lag_slots_;
  AlignedVector lag_ring_;
  AlignedVector second_words_;  // second words of the running sums, in the stream's layout; or none
  // The step that is under way.
  const GaussianSource* source_ = nullptr;
  FilterStream::Halves halves_{};
  double fresh_ = 0;  // standard deviation of the step's own part, for a ratio of 1; rounded up
};

}  // namespace jme
