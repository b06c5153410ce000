#include "filter/stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>

#include "filter/series.hpp"
#include "filter/tile_kernels.hpp"

namespace jme {
namespace {

constexpr std::size_t shortest_window = 16;
// Between two flushes a decaying sum can be subnormal, and slow, for this many steps at most.
constexpr std::size_t steps_between_flushes = 64;

// A step's sum over the past, for one tile: blocks of terms are summed by themselves and then added up, so
// that the rounding errors of a long history grow only with the length of a block and with the number of
// blocks.
class PastSum {
 public:
  explicit PastSum(std::span<double> total) : total_(total) {}
  PastSum(const PastSum&) = delete;
  PastSum& operator=(const PastSum&) = delete;

  void add(double weight, const double* values) {
    terms_[pending_++] = {weight, values};
    if (pending_ == terms_.size()) take_in();
    if (in_block_ == FilterStream::summed_together) close_block();
  }
  /// The total is complete; 0 where no term was added.
  void finish() {
    take_in();
    close_block();
    if (empty_) std::fill(total_.begin(), total_.end(), 0.0);
  }

 private:
  // A few vectors at a time: with more, they would wait for each other's memory pages.
  void take_in() {
    if (pending_ == 0) return;
    const std::span<const Weighted> terms(terms_.data(), pending_);
    if (in_block_ == 0) {
      assign_weighted(terms, block_.data(), total_.size());
    } else {
      add_weighted(terms, block_.data(), total_.size());
    }
    in_block_ += pending_;
    pending_ = 0;
  }
  void close_block() {
    if (in_block_ == 0) return;
    const Weighted block{1.0, block_.data()};
    if (empty_) {
      assign_weighted({&block, 1}, total_.data(), total_.size());
    } else {
      add_weighted({&block, 1}, total_.data(), total_.size());
    }
    empty_ = false;
    in_block_ = 0;
  }

  alignas(64) std::array<double, FilterStream::tile> block_;  // set by its first term
  std::array<Weighted, 8> terms_;
  std::span<double> total_;
  std::size_t pending_ = 0, in_block_ = 0;
  bool empty_ = true;
};

void add(std::span<double> to, const double* from) {
  const Weighted term{1.0, from};
  add_weighted({&term, 1}, to.data(), to.size());
}

}  // namespace

FilterStream::FilterStream(Filter filter, Direction direction, std::size_t width)
    : filter_(std::move(filter)),
      direction_(direction),
      width_(width),
      stride_(padded(width)),
      form_(Form::dense),
      slots_(filter_.steps() - 1) {
  if (direction == Direction::inverse && !filter_.is_invertible()) {
    throw InvalidParameter("filter", "cannot be inverted: its diagonal has a 0");
  }
  if (!filter_.lag_taps().empty()) {
    throw InvalidParameter("filter", "a filter stream has no lag taps: ShapedNoise keeps what they need");
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
  step_modes_ = core.modes;
}

void FilterStream::step(std::span<const double> in, std::span<double> out) {
  check_width(in, out);
  begin_step();
  advance(in, out);
}

void FilterStream::last_step(std::span<const double> in, std::span<double> out, const LastStep& last) {
  check_width(in, out);
  begin_last_step(last);
  advance(in, out);
}

void FilterStream::check_width(std::span<const double> in, std::span<double> out) const {
  if (in.size() != width_ || out.size() != width_) {
    throw InvalidParameter("width", "a filter stream's vectors must have its width");
  }
}

void FilterStream::begin_step() {
  if (ended_ || done_ >= filter_.steps()) throw BudgetExhausted("filter stream: all its steps are done");
  const bool dense = form_ == Form::dense;
  const double row = dense ? 1.0 : rows_.at(filter_.row(), done_);
  const double column = dense ? 1.0 : columns_.at(filter_.column(), done_);
  const bool forward = direction_ == Direction::forward;
  in_ = forward ? column : 1 / row;
  out_ = forward ? row : 1 / column;
  column_ = column;
  if (dense) weights_ = filter_.row_weights(done_);
  if (filter_.last_mode_weight() && done_ + 1 == filter_.steps() && !step_modes_.empty()) {
    step_modes_[0].weight = *filter_.last_mode_weight();
  }
  if (done_ < slots_) history_.resize((done_ + 1) * stride_, 0.0);
  under_way_ = true;
}

void FilterStream::begin_last_step(const LastStep& last) {
  if (direction_ == Direction::inverse) throw Error("filter stream: only a forward stream closes early");
  if (form_ == Form::dense && (last.row || last.mode_weight)) {
    throw Error("filter stream: the last row of a dense filter is its own");
  }
  if (last.mode_weight && (form_ != Form::series || step_modes_.size() != 1)) {
    throw Error("filter stream: only a filter with a single mode can change its weight");
  }
  begin_step();
  if (last.row) out_ = *last.row;
  if (last.mode_weight) step_modes_[0].weight = *last.mode_weight;
  ended_ = true;
}

void FilterStream::end_step() {
  if (!under_way_) throw Error("filter stream: no step is under way");
  under_way_ = false;
  ++done_;
}

void FilterStream::advance(std::span<const double> in, std::span<double> out) {
  alignas(64) std::array<double, tile> buffer;
  for (std::size_t begin = 0; begin < width_; begin += tile) {
    const std::size_t count = std::min(tile, width_ - begin);
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(begin), count, buffer.begin());
    std::fill_n(buffer.begin() + static_cast<std::ptrdiff_t>(count), padded(count) - count, 0.0);
    step_tile(begin, {buffer.data(), padded(count)});
    std::copy_n(buffer.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  end_step();
}

OneTapStep FilterStream::one_tap_step(std::size_t begin) {
  return {.in = in_,
          .tap = taps_[0],
          .out = out_,
          .modes = step_modes_,
          .states = modes_.data() + begin,
          .stride = stride_};
}

void FilterStream::step_tile(std::size_t begin, std::span<double> values) {
  if (form_ == Form::series && slots_ == 0) {
    series_step(one_tap_step(begin), values.data(), values.size());
  } else {
    if (in_ != 1) scale(in_, values.data(), values.size());
    switch (form_) {
      case Form::series:
        series_tile(begin, values);
        break;
      case Form::feedback:
        feedback_tile(begin, values);
        break;
      case Form::window:
        window_tile(begin, values);
        break;
      case Form::dense:
        if (direction_ == Direction::forward) {
          series_tile(begin, values);
        } else {
          feedback_tile(begin, values);
        }
        break;
    }
    if (out_ != 1) scale(out_, values.data(), values.size());
  }
  flush_tile(begin, values.size());
}

void FilterStream::step_tile(std::size_t begin, std::span<double> values, double unit, double* to) {
  const std::size_t count = std::min(values.size(), width_ - begin);
  const bool running_sum = form_ == Form::series && slots_ == 0 && step_modes_.size() == 1 && taps_[0] == 1 &&
                           step_modes_[0].weight == 1 && step_modes_[0].pole == 1;
  if (running_sum && count == values.size()) {
    running_sum_step(one_tap_step(begin), unit, values.data(), to, count);
    return flush_tile(begin, count);
  }
  step_tile(begin, values);
  write_scaled(unit, values.data(), to, count);
}

FilterStream::Halves FilterStream::halves() const {
  if (form_ == Form::dense) {
    const double own = 1 / weights_[done_];
    return {.fresh = own, .past = -own, .column = 1, .tap = weights_[done_], .is_series = false};
  }
  if (form_ == Form::series) {
    return {
        .fresh = in_ * taps_[0] * out_, .past = out_, .column = column_, .tap = taps_[0], .is_series = true};
  }
  const double own = out_ / taps_[0];
  return {.fresh = in_ * own, .past = -own, .column = column_, .tap = taps_[0], .is_series = false};
}

std::optional<RunningSums> FilterStream::running_sums(std::size_t begin) {
  if (form_ != Form::feedback || slots_ != 0 || step_modes_.empty()) return std::nullopt;
  return RunningSums{.modes = step_modes_, .states = modes_.data() + begin, .stride = stride_};
}

void FilterStream::announce_tile(std::size_t begin, Upcoming& upcoming) const {
  for (std::size_t m = 0; m < step_modes_.size(); ++m) upcoming.add(modes_.data() + m * stride_ + begin);
}

void FilterStream::flush_tile(std::size_t begin, std::size_t count) {
  if (done_ % steps_between_flushes != 0) return;
  for (std::size_t m = 0; m < step_modes_.size(); ++m) flush(modes_.data() + m * stride_ + begin, count);
}

std::size_t FilterStream::memory_size(std::size_t steps_done) const {
  const std::size_t sums = stride_ == 0 ? 0 : (modes_.size() + window_sum_.size()) / stride_;
  return (std::min(steps_done, slots_) + sums) * width_;
}

std::vector<double> FilterStream::memory() const {
  std::vector<double> numbers;
  numbers.reserve(memory_size(done_));
  for (const AlignedVector* part : {&history_, &modes_, &window_sum_}) {
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
  for (AlignedVector* part : {&history_, &modes_, &window_sum_}) {
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

void FilterStream::advance_modes(std::size_t begin, std::span<const double> newest) {
  // The modes take in what leaves the taps: the oldest vector of the ring, not yet overwritten.
  if (modes_.empty() || done_ + 1 < taps_.size()) return;
  const double* oldest = slots_ == 0 ? newest.data() : past(done_ - slots_, begin);
  for (std::size_t m = 0; m < step_modes_.size(); ++m) {
    advance_sum(step_modes_[m].pole, oldest, modes_.data() + m * stride_ + begin, newest.size());
  }
}

void FilterStream::past_tile(std::size_t begin, std::span<double> sum) {
  PastSum known(sum);
  if (form_ == Form::dense) {
    for (std::size_t j = 0; j < done_; ++j) known.add(weights_[j], past(j, begin));
  } else {
    for (std::size_t j = 1; j < std::min(taps_.size(), done_ + 1); ++j) {
      known.add(taps_[j], past(done_ - j, begin));
    }
    for (std::size_t m = 0; m < step_modes_.size(); ++m) {
      known.add(step_modes_[m].weight, modes_.data() + m * stride_ + begin);
    }
  }
  known.finish();
}

void FilterStream::take_tile(std::size_t begin, std::span<const double> newest) {
  if (form_ != Form::dense) advance_modes(begin, newest);
  store(begin, newest);
}

void FilterStream::series_tile(std::size_t begin, std::span<double> values) {
  alignas(64) std::array<double, tile> sum, newest;
  std::copy(values.begin(), values.end(), newest.begin());
  past_tile(begin, {sum.data(), values.size()});
  scale(form_ == Form::dense ? weights_[done_] : taps_[0], values.data(), values.size());
  add(values, sum.data());
  take_tile(begin, {newest.data(), values.size()});
}

void FilterStream::feedback_tile(std::size_t begin, std::span<double> values) {
  alignas(64) std::array<double, tile> sum;
  past_tile(begin, {sum.data(), values.size()});
  const Weighted known{-1.0, sum.data()};
  add_weighted({&known, 1}, values.data(), values.size());
  scale(1 / (form_ == Form::dense ? weights_[done_] : taps_[0]), values.data(), values.size());
  take_tile(begin, values);
}

// The ring holds the sums from each vector of the block before to that block's end; `window_sum_` holds the
// sum of this block so far. Together they are the window, without a subtraction that would let rounding
// errors drift.
void FilterStream::window_tile(std::size_t begin, std::span<double> values) {
  store(begin, values);
  const std::span<double> sum(window_sum_.data() + begin, values.size());
  add(sum, values.data());
  std::copy(sum.begin(), sum.end(), values.begin());
  const bool block_ends = (done_ + 1) % slots_ == 0;
  if (done_ >= slots_ && !block_ends) add(values, past(done_ + 1, begin));
  scale(taps_[0], values.data(), values.size());
  if (block_ends) close_window(begin, values.size());
}

void FilterStream::close_window(std::size_t begin, std::size_t count) {
  for (std::size_t step = slots_ - 1; step-- > 0;) {
    add({past(step, begin), count}, past(step + 1, begin));
  }
  std::fill_n(window_sum_.begin() + static_cast<std::ptrdiff_t>(begin), count, 0.0);
}

}  // namespace jme
