#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <jme/filter/aligned_vector.hpp>
#include <jme/filter/filter.hpp>
#include <jme/filter/last_step.hpp>

#include "base/upcoming.hpp"

namespace jme {

struct OneTapStep;

/// One running sum per mode and coordinate: mode m's are at states + m * stride.
struct RunningSums {
  std::span<const Mode> modes;
  double* states;
  std::size_t stride;
};

enum class Direction { forward, inverse };

/// Applies F or F^-1 step by step to vectors of `width` coordinates with the memory the filter needs:
/// taps.size()-1 past vectors and one vector per mode; the whole history for dense and square-root filters.
/// The inverse runs in feedback form (docs/theory/shaping.md#streaming). A long window of equal taps costs
/// three additions per step on average, however long it is.
class FilterStream {
 public:
  FilterStream(Filter filter, Direction direction, std::size_t width);

  /// out = row t of (F in) or (F^-1 in), t = number of calls before. `in` and `out` may be the same span.
  void step(std::span<const double> in, std::span<double> out);
  /// A partial last block (forward only).
  void last_step(std::span<const double> in, std::span<double> out, const LastStep& last);

  /// A step in tiles, so that a vector passes through several filters while it is in the nearest cache:
  /// call begin, then every tile once, in any order and from any thread, then end. Tiles begin at multiples
  /// of `tile`.
  static constexpr std::size_t tile = 512;
  /// Tiles are as long as this, in whole `lane`s: what is past the width is padding, any finite numbers.
  static constexpr std::size_t lane = 8;
  [[nodiscard]] static constexpr std::size_t padded(std::size_t count) {
    return (count + lane - 1) / lane * lane;
  }
  void begin_step();
  void begin_last_step(const LastStep& last);
  /// Replaces the tile's inputs by its outputs.
  void step_tile(std::size_t begin, std::span<double> values);
  /// The same, but writes unit * outputs to `to`, as many as lie within the width, and leaves `values`
  /// undefined.
  void step_tile(std::size_t begin, std::span<double> values, double unit, double* to);
  void end_step();

  /// An inverse step in two halves, for noise that is rounded between them. The step's output is
  ///     fresh * input + past * (past_tile's sum);
  /// take_tile then takes in, for the steps to come, output * column, or in series form
  /// (output * column - sum) / tap.
  struct Halves {
    double fresh, past, column, tap;
    bool is_series;
  };
  [[nodiscard]] Halves halves() const;
  void past_tile(std::size_t begin, std::span<double> sum);
  void take_tile(std::size_t begin, std::span<const double> newest);
  /// True where past_tile's sum has no terms at any step.
  [[nodiscard]] bool is_diagonal() const { return slots_ == 0 && step_modes_.empty(); }
  /// The running sums of a tile in feedback form, where they are all that is kept of the past. Whoever asks
  /// for them updates them instead of calling take_tile.
  [[nodiscard]] std::optional<RunningSums> running_sums(std::size_t begin);
  /// This many terms of a sum over the past are added up before they join the others.
  static constexpr std::size_t summed_together = 256;

  /// Adds the memory that step_tile at `begin` goes through in its usual form: one vector per mode.
  void announce_tile(std::size_t begin, Upcoming& upcoming) const;

  [[nodiscard]] std::size_t steps_done() const { return done_; }
  [[nodiscard]] std::size_t width() const { return width_; }

  /// Everything that the stream remembers, so that a stream of the same filter can go on from here:
  /// memory_size(steps done) numbers.
  [[nodiscard]] std::vector<double> memory() const;
  [[nodiscard]] std::size_t memory_size(std::size_t steps_done) const;
  /// False where the memory grows with every step of the horizon (square roots, dense matrices).
  [[nodiscard]] bool memory_is_bounded() const { return slots_ + 1 < filter_.steps() || slots_ == 0; }
  /// Goes on from such a memory. `ended`: last_step was called already. Throws StateError unless it has the
  /// right size and is finite.
  void restore(std::size_t steps_done, std::span<const double> memory, bool ended = false);

 private:
  // How a step is made: from past inputs, from past outputs, as a sum over a window, or by whole rows of a
  // matrix.
  enum class Form { series, feedback, window, dense };

  void check_width(std::span<const double> in, std::span<double> out) const;
  void advance(std::span<const double> in, std::span<double> out);
  [[nodiscard]] OneTapStep one_tap_step(std::size_t begin);
  void flush_tile(std::size_t begin, std::size_t count);
  void series_tile(std::size_t begin, std::span<double> values);
  void feedback_tile(std::size_t begin, std::span<double> values);
  void window_tile(std::size_t begin, std::span<double> values);
  void advance_modes(std::size_t begin, std::span<const double> newest);
  void store(std::size_t begin, std::span<const double> newest);
  void close_window(std::size_t begin, std::size_t count);
  [[nodiscard]] double* past(std::size_t step, std::size_t begin);

  Filter filter_;
  Direction direction_;
  std::size_t width_;
  std::size_t stride_;  // width rounded up, so that inner loops have a fixed length
  Form form_;
  std::vector<double> taps_;  // of the series that runs: the core's, or its inverse in closed form
  std::size_t slots_;         // past vectors the ring holds in the end
  ScheduleReader rows_, columns_;
  bool ended_ = false;
  std::size_t done_ = 0;
  // Ring of past vectors, one accumulator per mode, and the current block's sum of a window.
  AlignedVector history_, modes_, window_sum_;
  // The step that is under way: factors of its input and output, its modes, its row of a matrix.
  bool under_way_ = false;
  double in_ = 1, out_ = 1, column_ = 1;
  std::vector<Mode> step_modes_;
  std::vector<double> weights_;
};

}  // namespace jme
