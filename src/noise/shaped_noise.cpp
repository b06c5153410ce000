#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/filter/norms.hpp>
#include <jme/noise/shaped_noise.hpp>

#include "filter/tile_kernels.hpp"
#include "noise/rounding_kernels.hpp"

namespace jme {

namespace {

constexpr std::size_t tile = FilterStream::tile;
constexpr double noise_limit = 0x1p38;
constexpr std::size_t step_limit = std::size_t{1} << 26;  // 2^38 sqrt(2^26) = 2^51

void check(const Filter& shape, const NoiseScale& scale) {
  if (shape.steps() > step_limit) {
    throw InvalidParameter("steps", static_cast<double>(shape.steps()), "at most 2^26");
  }
  if (!(scale.smallest() > 0) || !std::isfinite(scale.squared_norm())) {
    throw InvalidParameter("sigma", "its noise must be finite and above 0");
  }
  // A bound that costs little first: it is nearly always enough.
  const double longest_allowed = noise_limit / (GaussianSource::largest_draw * scale.largest());
  if (inverse_row_norm_bound(shape) < longest_allowed) return;
  if (!(std::sqrt(largest_squared_inverse_row_norm(shape)) < longest_allowed)) {
    throw InvalidParameter("sigma", "its noise could reach 2^38 lattice units, too much for exact rounding");
  }
}

}  // namespace

ShapedNoise::ShapedNoise(const Filter& shape, DrawPeriods draws, Channel channel, NoiseScale scale)
    : periods_(std::move(draws)),
      channel_(channel),
      steps_(shape.steps()),
      scale_(std::move(scale)),
      lag_taps_(shape.lag_taps()),
      row_(lag_taps_.empty() ? Schedule{} : shape.row()),
      stream_(shape, Direction::inverse, scale_.width()) {
  check(shape, scale_);
}

void ShapedNoise::begin_step() {
  const std::size_t step = steps_done();
  if (step >= steps_) throw BudgetExhausted("noise: all steps of the horizon are done");
  stream_.begin_step();
  source_ = &periods_.at(step);
  old_draws_.clear();
  for (const LagTap& tap : lag_taps_) {
    if (tap.lag > step) continue;
    const std::size_t then = step - tap.lag;
    old_draws_.push_back({.source = &periods_.at(then), .step = then, .weight = tap.weight / row_(then)});
  }
}

void ShapedNoise::end_step() {
  stream_.end_step();
}

bool ShapedNoise::sum_lagged(std::size_t begin, std::size_t count, std::span<double> lagged) const {
  alignas(64) std::array<double, tile> draws;
  std::fill_n(draws.begin() + static_cast<std::ptrdiff_t>(count), lagged.size() - count, 0.0);
  bool empty = true;
  for (const OldDraws& old : old_draws_) {
    old.source->fill(channel_, old.step, begin, {draws.data(), count});
    const Weighted term{old.weight, draws.data()};
    if (empty) {
      assign_weighted({&term, 1}, lagged.data(), lagged.size());
    } else {
      add_weighted({&term, 1}, lagged.data(), lagged.size());
    }
    empty = false;
  }
  return !empty;
}

void ShapedNoise::shape_tile(std::size_t begin, std::span<double> noise, Upcoming upcoming) {
  alignas(64) std::array<double, tile> lagged;
  const std::size_t count = std::min(noise.size(), scale_.width() - begin);
  stream_.announce_tile(begin, upcoming);
  source_->fill(channel_, steps_done(), begin, noise.first(count), upcoming);
  std::fill(noise.begin() + static_cast<std::ptrdiff_t>(count), noise.end(), 0.0);
  const bool has_lagged = !old_draws_.empty() && sum_lagged(begin, count, {lagged.data(), noise.size()});
  stream_.step_tile(begin, noise, has_lagged ? lagged.data() : nullptr);
}

void ShapedNoise::add_tile(std::size_t begin, std::span<double> values, Upcoming upcoming) {
  alignas(64) std::array<double, tile> noise;
  shape_tile(begin, {noise.data(), values.size()}, upcoming);
  scale_.add_rounded(begin, noise.data(), values);
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
  return stream_.memory_is_bounded() ? stream_.memory() : std::vector<double>{};
}

std::size_t ShapedNoise::memory_size(std::size_t steps_done) const {
  return stream_.memory_is_bounded() ? stream_.memory_size(steps_done) : 0;
}

void ShapedNoise::restore(std::size_t steps_done, std::span<const double> memory) {
  if (!stream_.memory_is_bounded()) {
    if (!memory.empty()) throw StateError("state: noise that is replayed has no memory");
    return replay(steps_done);
  }
  stream_.restore(steps_done, memory);
}

void ShapedNoise::replay(std::size_t steps_done) {
  if (steps_done > steps_) throw StateError("state: more steps than the horizon has");
  if (stream_.memory_size(steps_done) == 0) return stream_.restore(steps_done, {});
  alignas(64) std::array<double, tile> noise;
  while (this->steps_done() < steps_done) {
    begin_step();
    for (std::size_t begin = 0; begin < scale_.width(); begin += tile) {
      const std::size_t count = std::min(tile, scale_.width() - begin);
      shape_tile(begin, {noise.data(), FilterStream::padded(count)});
    }
    end_step();
  }
}

}  // namespace jme
