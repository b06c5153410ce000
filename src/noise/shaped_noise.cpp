#include <algorithm>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/filter/norms.hpp>
#include <jme/noise/shaped_noise.hpp>

namespace jme {

namespace {

constexpr double noise_limit = 0x1p38;
constexpr std::size_t step_limit = std::size_t{1} << 26;  // 2^38 sqrt(2^26) = 2^51

/// Nearest whole number for |x| < 2^51, without a call or a branch: the sum has no digits below 1, so that
/// adding is rounding. One rounding, where floor(x + 1/2) would make two.
double nearest_whole(double x) {
  constexpr double shift = 0x1.8p52;
  return (x + shift) - shift;
}

void check(const Filter& shape, std::span<const double> scale) {
  if (shape.steps() > step_limit) {
    throw InvalidParameter("steps", static_cast<double>(shape.steps()), "at most 2^26");
  }
  double largest = 0;
  for (const double s : scale) {
    if (!(s > 0) || !std::isfinite(s))
      throw InvalidParameter("sigma", "its noise must be finite and above 0");
    largest = std::max(largest, s);
  }
  const std::vector<double> squared = squared_inverse_row_norms(shape);
  const double row = std::sqrt(*std::max_element(squared.begin(), squared.end()));
  if (!(GaussianSource::largest_draw * row * largest < noise_limit)) {
    throw InvalidParameter("sigma", "its noise could reach 2^38 lattice units, too much for exact rounding");
  }
}

}  // namespace

ShapedNoise::ShapedNoise(const Filter& shape, DrawPeriods draws, Channel channel, std::vector<double> scale)
    : periods_(std::move(draws)),
      channel_(channel),
      steps_(shape.steps()),
      scale_(std::move(scale)),
      draws_(scale_.size()),
      old_draws_(shape.lag_taps().empty() ? 0 : scale_.size()),
      lagged_(old_draws_.size()),
      shape_(shape),
      stream_(shape, Direction::inverse, scale_.size()) {
  check(shape, scale_);
}

void ShapedNoise::make_step() {
  const std::size_t step = steps_done();
  periods_.at(step).fill(channel_, step, 0, draws_);
  if (shape_.lag_taps().empty()) return stream_.step(draws_, draws_);
  sum_lagged();
  stream_.step(draws_, lagged_, draws_);
}

// Old draws are made again, each under the nonce of its step, instead of stored.
void ShapedNoise::sum_lagged() {
  const std::size_t step = steps_done();
  std::fill(lagged_.begin(), lagged_.end(), 0.0);
  for (const LagTap& tap : shape_.lag_taps()) {
    if (tap.lag > step) continue;
    const std::size_t then = step - tap.lag;
    periods_.at(then).fill(channel_, then, 0, old_draws_);
    const double weight = tap.weight / shape_.row()(then);
    for (std::size_t j = 0; j < lagged_.size(); ++j) lagged_[j] += weight * old_draws_[j];
  }
}

void ShapedNoise::add_to(std::span<double> values) {
  if (values.size() != scale_.size()) throw InvalidParameter("dimension", "values and noise differ in width");
  if (steps_done() >= steps_) throw BudgetExhausted("noise: all steps of the horizon are done");
  make_step();
  for (std::size_t j = 0; j < values.size(); ++j) values[j] += nearest_whole(scale_[j] * draws_[j]);
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
  while (this->steps_done() < steps_done) make_step();
}

}  // namespace jme
