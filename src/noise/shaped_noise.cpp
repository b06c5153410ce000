#include "noise/shaped_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>

#include "filter/tile_kernels.hpp"
#include "noise/noise_limits.hpp"
#include "noise/rounding_kernels.hpp"
#include "noise/rounding_tolerance.hpp"

namespace jme {

namespace {

constexpr std::size_t tile = FilterStream::tile;
/// What runs as a FilterStream: the shape without lag taps, and without an inverse in closed form, whose
/// inputs would have to be read back from rounded values.
Filter recursion_of(const Filter& shape) {
  if (shape.is_dense()) return shape;
  Toeplitz core = shape.core();
  core.lag_taps.clear();
  core.inverse_taps.clear();
  return Filter::toeplitz(shape.steps(), std::move(core), shape.row(), shape.column());
}

std::size_t largest_lag(const std::vector<LagTap>& taps) {
  std::size_t largest = 0;
  for (const LagTap& tap : taps) largest = std::max(largest, tap.lag);
  return largest;
}

}  // namespace

/// A tile that is under way, for the draws that must be decided exactly.
struct ShapedNoise::Tile {
  const ShapedNoise* noise;
  std::size_t begin, count;

  static double decide(const void* context, std::size_t i, double own, double past) {
    const Tile& self = *static_cast<const Tile*>(context);
    return i < self.count ? self.noise->decided(self.begin + i, own, past) : 0;
  }
};

ShapedNoise::ShapedNoise(const Filter& shape, DrawPeriods draws, Channel channel, NoiseScale scale,
                         SumWords words, std::uint64_t first_coordinate)
    : periods_(std::move(draws)),
      channel_(channel),
      steps_(shape.steps()),
      scale_(std::move(scale)),
      first_coordinate_(first_coordinate),
      stream_(recursion_of(shape), Direction::inverse, scale_.width()),
      lag_taps_(shape.lag_taps()),
      lag_slots_(std::min(largest_lag(lag_taps_), shape.steps())) {
  check_noise_limits(shape, scale_);
  if (words == SumWords::two && can_have_two_words(shape)) {
    second_words_.assign(shape.core().modes.size() * FilterStream::padded(scale_.width()), 0.0);
  }
}

void ShapedNoise::begin_step() {
  const std::size_t step = steps_done();
  if (step >= steps_) throw BudgetExhausted("noise: all steps of the horizon are done");
  stream_.begin_step();
  source_ = &periods_.at(step);
  halves_ = stream_.halves();
  fresh_ = scale_.base() * halves_.fresh * (1 + 0x1p-49);  // covers four roundings, upwards
  if (step < lag_slots_) lag_ring_.resize((step + 1) * FilterStream::padded(scale_.width()), 0.0);
}

void ShapedNoise::end_step() {
  stream_.end_step();
}

double ShapedNoise::decided(std::size_t coordinate, double own, double past) const {
  const double ratio = scale_.ratio(coordinate);
  const double value = own + past, rounded = nearest_whole(value);
  if (is_certain(value, rounded, own, fresh_ * ratio)) return rounded;
  return source_->nearest_whole(channel_, steps_done(), first_coordinate_ + coordinate,
                                {.scale = fresh_, .ratio = ratio, .offset = past});
}

void ShapedNoise::add_tile(std::size_t begin, std::span<double> values, Upcoming upcoming) {
  alignas(64) std::array<double, tile> draws;
  const std::size_t count = std::min(values.size(), scale_.width() - begin);
  stream_.announce_tile(begin, upcoming);
  source_->fill(channel_, steps_done(), first_coordinate_ + begin, {draws.data(), count}, upcoming);
  std::fill(draws.begin() + static_cast<std::ptrdiff_t>(count),
            draws.begin() + static_cast<std::ptrdiff_t>(values.size()), 0.0);
  scale_.apply_ratios(begin, {draws.data(), count});

  const Tile under_way{.noise = this, .begin = begin, .count = count};
  const RoundedStep step{.fresh = fresh_,
                         .past = halves_.past,
                         .column = halves_.column,
                         .limit = certain_limit(fresh_ * scale_.largest_ratio()),
                         .decision = {.context = &under_way, .decide = &Tile::decide}};
  if (!lag_taps_.empty()) return add_general_tile(begin, draws.data(), values, step);
  if (stream_.is_diagonal()) {
    rounded_step(step, draws.data(), nullptr, values.data(), nullptr, values.size());
  } else if (const std::optional<RunningSums> sums = stream_.running_sums(begin)) {
    if (second_words_.empty()) {
      rounded_step(step, draws.data(), *sums, values.data(), values.size());
    } else {
      rounded_step(step, draws.data(), *sums, second_words_.data() + begin, values.data(), values.size());
    }
  } else {
    add_general_tile(begin, draws.data(), values, step);
  }
}

void ShapedNoise::add_general_tile(std::size_t begin, const double* draws, std::span<double> values,
                                   const RoundedStep& step) {
  alignas(64) std::array<double, tile> past, taken, old;
  const std::size_t count = values.size();
  const auto subtract = [&](double weight, const std::array<double, tile>& from,
                            std::array<double, tile>& to) {
    const Weighted term{-weight, from.data()};
    add_weighted({&term, 1}, to.data(), count);
  };
  stream_.past_tile(begin, {past.data(), count});
  if (!lag_taps_.empty()) {
    sum_lagged(begin, {old.data(), count});
    subtract(halves_.tap, old, past);
  }
  rounded_step(step, draws, past.data(), values.data(), taken.data(), count);
  if (halves_.is_series) {
    subtract(1, past, taken);
    scale(1 / halves_.tap, taken.data(), count);
  }
  if (!lag_taps_.empty()) {
    subtract(1, old, taken);
    std::copy_n(taken.begin(), count, lag_ring_.data() + lag_place(steps_done(), begin));
  }
  stream_.take_tile(begin, {taken.data(), count});
}

std::size_t ShapedNoise::lag_place(std::size_t step, std::size_t begin) const {
  return (step % lag_slots_) * FilterStream::padded(scale_.width()) + begin;
}

void ShapedNoise::sum_lagged(std::size_t begin, std::span<double> sum) const {
  std::fill(sum.begin(), sum.end(), 0.0);
  for (const LagTap& tap : lag_taps_) {
    if (tap.lag > steps_done()) continue;
    const Weighted term{tap.weight, lag_ring_.data() + lag_place(steps_done() - tap.lag, begin)};
    add_weighted({&term, 1}, sum.data(), sum.size());
  }
}

void ShapedNoise::add_to(std::span<double> values) {
  if (values.size() != scale_.width())
    throw InvalidParameter("dimension", "values and noise differ in width");
  begin_step();
  alignas(64) std::array<double, tile> buffer;
  for (std::size_t begin = 0; begin < values.size(); begin += tile) {
    const auto part = values.subspan(begin, std::min(tile, values.size() - begin));
    const std::size_t whole = FilterStream::padded(part.size());
    std::copy(part.begin(), part.end(), buffer.begin());
    std::fill_n(buffer.begin() + static_cast<std::ptrdiff_t>(part.size()), whole - part.size(), 0.0);
    add_tile(begin, {buffer.data(), whole});
    std::copy_n(buffer.begin(), part.size(), part.begin());
  }
  end_step();
}

std::vector<double> ShapedNoise::memory() const {
  if (!stream_.memory_is_bounded()) return {};
  std::vector<double> numbers = stream_.memory();
  const std::size_t stride = FilterStream::padded(scale_.width());
  for (std::size_t begin = 0; begin < second_words_.size(); begin += stride) {
    const auto vector = second_words_.begin() + static_cast<std::ptrdiff_t>(begin);
    numbers.insert(numbers.end(), vector, vector + static_cast<std::ptrdiff_t>(scale_.width()));
  }
  return numbers;
}

std::size_t ShapedNoise::memory_size(std::size_t steps_done) const {
  if (!stream_.memory_is_bounded()) return 0;
  if (scale_.width() == 0) return 0;
  const std::size_t vectors = second_words_.size() / FilterStream::padded(scale_.width());
  return stream_.memory_size(steps_done) + vectors * scale_.width();
}

std::span<const double> ShapedNoise::kept(std::size_t step) const {
  const bool is_kept = step < steps_done() && steps_done() - step <= steps_kept();
  return is_kept ? std::span(lag_ring_.data() + lag_place(step, 0), scale_.width())
                 : std::span<const double>();
}

void ShapedNoise::restore(std::size_t steps_done, std::span<const double> memory, const KeptOf& kept_of) {
  if (!stream_.memory_is_bounded()) {
    if (!memory.empty()) throw StateError("state: noise that is replayed has no memory");
    return replay(steps_done);
  }
  if (memory.size() != memory_size(steps_done)) {
    throw StateError("state: the noise's memory has the wrong size");
  }
  const std::size_t in_ring = std::min(steps_done, lag_slots_);
  lag_ring_.assign(in_ring * FilterStream::padded(scale_.width()), 0.0);
  for (std::size_t step = steps_done - in_ring; step < steps_done; ++step) {
    const std::span<const double> vector = kept_of ? kept_of(step) : std::span<const double>();
    if (vector.size() != scale_.width()) throw StateError("state: a kept vector has the wrong size");
    std::copy(vector.begin(), vector.end(), lag_ring_.data() + lag_place(step, 0));
  }
  const std::size_t in_stream = stream_.memory_size(steps_done);
  std::span<const double> second = memory.subspan(in_stream);
  if (!std::all_of(second.begin(), second.end(), [](double value) { return std::isfinite(value); })) {
    throw StateError("state: the noise's memory has a number that is not finite");
  }
  for (std::size_t begin = 0; begin < second_words_.size(); begin += FilterStream::padded(scale_.width())) {
    std::copy_n(second.begin(), scale_.width(), second_words_.begin() + static_cast<std::ptrdiff_t>(begin));
    second = second.subspan(scale_.width());
  }
  stream_.restore(steps_done, memory.first(in_stream));
}

void ShapedNoise::replay(std::size_t steps_done) {
  if (steps_done > steps_) throw StateError("state: more steps than the horizon has");
  if (stream_.is_diagonal() && lag_taps_.empty()) return stream_.restore(steps_done, {});
  std::vector<double> discarded(scale_.width(), 0.0);
  while (this->steps_done() < steps_done) {
    add_to(discarded);
    std::fill(discarded.begin(), discarded.end(), 0.0);
  }
}

}  // namespace jme
