#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/filter/stream.hpp>

#include "filter/series.hpp"

namespace jme {
namespace {

// Vectors are kept in a multiple of `lane` coordinates and worked on in tiles that stay in the nearest cache.
// Inner loops of exactly `lane` turns become SIMD instructions at any optimisation level.
constexpr std::size_t lane = 8;
constexpr std::size_t tile = 512;
constexpr std::size_t shortest_window = 16;
// Between two flushes a decaying sum can be subnormal, and slow, for this many steps at most.
constexpr std::size_t steps_between_flushes = 64;

void assign_scaled(double* __restrict to, double factor, const double* __restrict from, std::size_t count) {
  for (std::size_t begin = 0; begin < count; begin += lane) {
    for (std::size_t i = 0; i < lane; ++i) to[begin + i] = factor * from[begin + i];
  }
}

void add_scaled(double* __restrict to, double factor, const double* __restrict from, std::size_t count) {
  for (std::size_t begin = 0; begin < count; begin += lane) {
    for (std::size_t i = 0; i < lane; ++i) to[begin + i] += factor * from[begin + i];
  }
}

void add_scaled(std::span<double> to, double factor, const double* from) {
  add_scaled(to.data(), factor, from, to.size());
}

void scale(std::span<double> values, double factor) {
  if (factor == 1) return;
  double* const value = values.data();
  for (std::size_t begin = 0; begin < values.size(); begin += lane) {
    for (std::size_t i = 0; i < lane; ++i) value[begin + i] *= factor;
  }
}

// sum <- pole * sum + input
void accumulate(double* __restrict sum, double pole, const double* __restrict input, std::size_t count) {
  for (std::size_t begin = 0; begin < count; begin += lane) {
    for (std::size_t i = 0; i < lane; ++i) sum[begin + i] = pole * sum[begin + i] + input[begin + i];
  }
}

void flush(std::span<double> values) {
  for (double& value : values) value = std::abs(value) < negligible ? 0.0 : value;
}

// A step's sum over the past, for one tile. The value of the step itself joins it last, in one operation, so
// that it is rounded once however long the past is (random/GUARANTEES, section 3).
class PastSum {
 public:
  explicit PastSum(std::size_t count) : sum_(buffer_.data(), count) {}
  PastSum(const PastSum&) = delete;
  PastSum& operator=(const PastSum&) = delete;

  void add(double weight, const double* values) {
    if (empty_) {
      assign_scaled(sum_.data(), weight, values, sum_.size());
    } else {
      add_scaled(sum_, weight, values);
    }
    empty_ = false;
  }
  void add_to(std::span<double> values) const {
    if (!empty_) add_scaled(values, 1.0, sum_.data());
  }
  void subtract_from(std::span<double> values) const {
    if (!empty_) add_scaled(values, -1.0, sum_.data());
  }

 private:
  std::array<double, tile> buffer_;  // set by the first term
  std::span<double> sum_;
  bool empty_ = true;
};

}  // namespace

FilterStream::FilterStream(Filter filter, Direction direction, std::size_t width)
    : filter_(std::move(filter)),
      direction_(direction),
      width_(width),
      stride_((width + lane - 1) / lane * lane),
      form_(Form::dense),
      slots_(filter_.steps() - 1) {
  if (direction == Direction::inverse && !filter_.is_invertible()) {
    throw InvalidParameter("filter", "cannot be inverted: its diagonal has a 0");
  }
  if (direction == Direction::forward && !filter_.lag_taps().empty()) {
    throw InvalidParameter("filter", "lag taps are for the inverse direction");
  }
  if (filter_.is_dense() || (filter_.last_row() && !filter_.last_mode_weight())) return;
  const Toeplitz& core = filter_.core();
  const std::size_t steps = filter_.steps();
  form_ = (direction == Direction::forward) == core.inverted ? Form::feedback : Form::series;
  taps_ = core.taps;
  if (form_ == Form::feedback && core.taps.size() >= steps && !core.inverse_taps.empty()) {
    // Both forms need the whole history; the closed form does not feed rounding errors back.
    form_ = Form::series;
    taps_ = core.inverse_taps;
  } else if (direction == Direction::forward && form_ == Form::series &&
             core.taps.size() >= shortest_window && is_window(core)) {
    form_ = Form::window;
    window_sum_.assign(stride_, 0.0);
  }
  taps_.resize(std::min(taps_.size(), steps));
  slots_ = form_ == Form::window ? taps_.size() : taps_.size() - 1;
  modes_.assign(core.modes.size() * stride_, 0.0);
}

void FilterStream::step(std::span<const double> in, std::span<double> out) {
  if (!filter_.lag_taps().empty()) throw Error("filter stream: lag taps need old inputs");
  advance(in, {}, out, {});
}

void FilterStream::step(std::span<const double> in, std::span<const double> lagged, std::span<double> out) {
  if (filter_.lag_taps().empty() || lagged.size() != width_) {
    throw InvalidParameter("filter", "old inputs are for lag taps and have the stream's width");
  }
  advance(in, lagged, out, {});
}

void FilterStream::last_step(std::span<const double> in, std::span<double> out, const LastStep& last) {
  if (direction_ == Direction::inverse) throw Error("filter stream: only a forward stream closes early");
  if (form_ == Form::dense && (last.row || last.mode_weight)) {
    throw Error("filter stream: the last row of a dense filter is its own");
  }
  if (last.mode_weight && (form_ != Form::series || filter_.core().modes.size() != 1)) {
    throw Error("filter stream: only a filter with a single mode can change its weight");
  }
  advance(in, {}, out, last);
  ended_ = true;
}

void FilterStream::advance(std::span<const double> in, std::span<const double> lagged, std::span<double> out,
                           const LastStep& last) {
  if (ended_ || done_ >= filter_.steps()) throw BudgetExhausted("filter stream: all its steps are done");
  if (in.size() != width_ || out.size() != width_) {
    throw InvalidParameter("width", "a filter stream's vectors must have its width");
  }
  const bool forward = direction_ == Direction::forward;
  const bool dense = form_ == Form::dense;
  const double row = dense ? 1.0 : last.row.value_or(filter_.row()(done_));
  const double column = dense ? 1.0 : filter_.column()(done_);
  const std::vector<double> weights = dense ? filter_.row_weights(done_) : std::vector<double>{};
  if (done_ < slots_) history_.resize((done_ + 1) * stride_, 0.0);
  std::array<double, tile> buffer;
  for (std::size_t begin = 0; begin < width_; begin += tile) {
    const std::size_t count = std::min(tile, width_ - begin);
    const std::span<double> values(buffer.data(), std::min(tile, stride_ - begin));
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(begin), count, values.begin());
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), 0.0);
    scale(values, forward ? column : 1 / row);
    switch (form_) {
      case Form::series:
        series_tile(begin, values, last);
        break;
      case Form::feedback:
        feedback_tile(begin, values, lagged.empty() ? lagged : lagged.subspan(begin, count));
        break;
      case Form::window:
        window_tile(begin, values);
        break;
      case Form::dense:
        dense_tile(begin, values, weights);
        break;
    }
    scale(values, forward ? row : 1 / column);
    std::copy_n(values.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  if (form_ == Form::window && (done_ + 1) % slots_ == 0) close_window();
  if (done_ % steps_between_flushes == 0) flush(modes_);
  ++done_;
}

std::size_t FilterStream::memory_size(std::size_t steps_done) const {
  const std::size_t sums = stride_ == 0 ? 0 : (modes_.size() + window_sum_.size()) / stride_;
  return (std::min(steps_done, slots_) + sums) * width_;
}

std::vector<double> FilterStream::memory() const {
  std::vector<double> numbers;
  numbers.reserve(memory_size(done_));
  for (const std::vector<double>* part : {&history_, &modes_, &window_sum_}) {
    for (std::size_t begin = 0; begin < part->size(); begin += stride_) {
      const auto vector = part->begin() + static_cast<std::ptrdiff_t>(begin);
      numbers.insert(numbers.end(), vector, vector + static_cast<std::ptrdiff_t>(width_));
    }
  }
  return numbers;
}

void FilterStream::restore(std::size_t steps_done, std::span<const double> memory, bool ended) {
  if (steps_done > filter_.steps() || memory.size() != memory_size(steps_done)) {
    throw StateError("state: a filter's memory has the wrong size");
  }
  if (!std::all_of(memory.begin(), memory.end(), [](double value) { return std::isfinite(value); })) {
    throw StateError("state: a filter's memory has a number that is not finite");
  }
  history_.assign(std::min(steps_done, slots_) * stride_, 0.0);
  const double* next = memory.data();
  for (std::vector<double>* part : {&history_, &modes_, &window_sum_}) {
    for (std::size_t begin = 0; begin < part->size(); begin += stride_) {
      std::copy_n(next, width_, part->begin() + static_cast<std::ptrdiff_t>(begin));
      next += width_;
    }
  }
  done_ = steps_done;
  ended_ = ended;
}

double* FilterStream::past(std::size_t step, std::size_t begin) {
  return history_.data() + (step % slots_) * stride_ + begin;
}

void FilterStream::store(std::size_t begin, std::span<const double> newest) {
  if (slots_ > 0 && (form_ != Form::dense || done_ < slots_)) {
    std::copy(newest.begin(), newest.end(), past(done_, begin));
  }
}

double FilterStream::mode_weight(std::size_t mode, const LastStep& last) const {
  if (last.mode_weight) return *last.mode_weight;
  if (filter_.last_mode_weight() && done_ + 1 == filter_.steps()) return *filter_.last_mode_weight();
  return filter_.core().modes[mode].weight;
}

void FilterStream::advance_modes(std::size_t begin, std::span<const double> newest) {
  // The modes take in what leaves the taps: the oldest vector of the ring, not yet overwritten.
  if (modes_.empty() || done_ + 1 < taps_.size()) return;
  const double* oldest = slots_ == 0 ? newest.data() : past(done_ - slots_, begin);
  const std::vector<Mode>& modes = filter_.core().modes;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    accumulate(modes_.data() + m * stride_ + begin, modes[m].pole, oldest, newest.size());
  }
}

void FilterStream::series_tile(std::size_t begin, std::span<double> values, const LastStep& last) {
  std::array<double, tile> buffer;
  const std::span<double> newest(buffer.data(), values.size());
  std::copy(values.begin(), values.end(), newest.begin());
  PastSum known(values.size());
  for (std::size_t j = 1; j < std::min(taps_.size(), done_ + 1); ++j) {
    known.add(taps_[j], past(done_ - j, begin));
  }
  for (std::size_t m = 0; m * stride_ < modes_.size(); ++m) {
    known.add(mode_weight(m, last), modes_.data() + m * stride_ + begin);
  }
  scale(values, taps_[0]);
  known.add_to(values);
  advance_modes(begin, newest);
  store(begin, newest);
}

void FilterStream::feedback_tile(std::size_t begin, std::span<double> values,
                                 std::span<const double> lagged) {
  PastSum known(values.size());
  if (!lagged.empty()) {
    std::array<double, tile> padded{};
    std::copy(lagged.begin(), lagged.end(), padded.begin());
    known.add(-1.0, padded.data());
  }
  for (std::size_t j = 1; j < std::min(taps_.size(), done_ + 1); ++j) {
    known.add(taps_[j], past(done_ - j, begin));
  }
  for (std::size_t m = 0; m * stride_ < modes_.size(); ++m) {
    known.add(mode_weight(m, {}), modes_.data() + m * stride_ + begin);
  }
  known.subtract_from(values);
  scale(values, 1 / taps_[0]);
  advance_modes(begin, values);
  store(begin, values);
}

// The ring holds, of the block before, the sums from each vector to its end; `window_sum_` the sum of this
// block so far. Together they are the window, without a subtraction that would let rounding errors drift.
void FilterStream::window_tile(std::size_t begin, std::span<double> values) {
  store(begin, values);
  const std::span<double> sum(window_sum_.data() + begin, values.size());
  add_scaled(sum, 1.0, values.data());
  std::copy(sum.begin(), sum.end(), values.begin());
  const bool has_tail = done_ >= slots_ && (done_ + 1) % slots_ != 0;
  if (has_tail) add_scaled(values, 1.0, past(done_ + 1, begin));
  scale(values, taps_[0]);
}

void FilterStream::close_window() {
  for (std::size_t step = slots_ - 1; step-- > 0;) {
    add_scaled({past(step, 0), stride_}, 1.0, past(step + 1, 0));
  }
  std::fill(window_sum_.begin(), window_sum_.end(), 0.0);
}

void FilterStream::dense_tile(std::size_t begin, std::span<double> values, std::span<const double> weights) {
  PastSum known(values.size());
  for (std::size_t j = 0; j < done_; ++j) known.add(weights[j], past(j, begin));
  if (direction_ == Direction::forward) {
    store(begin, values);
    scale(values, weights[done_]);
    known.add_to(values);
    return;
  }
  known.subtract_from(values);
  scale(values, 1 / weights[done_]);
  store(begin, values);
}

}  // namespace jme
