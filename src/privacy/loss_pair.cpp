#include "privacy/loss_pair.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace jme::privacy {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unit = std::numeric_limits<double>::epsilon();

double normal_density(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

/// log(1 - q + q e^y), relatively accurate near 0 and near q = 1.
double log_mixture(double q, double y) {
  if (q == 1) return y;
  // Where q e^y < 1 the sum of y and a logarithm would cancel.
  if (y >= 30 && q > std::exp(-y)) return y + std::log(q + (1 - q) * std::exp(-y));
  const double excess = q * std::expm1(y);
  return excess > -0.5 ? std::log1p(excess) : std::log((1 - q) + q * std::exp(y));
}

/// The inverse: y with log(1 - q + q e^y) = l; -infinity where l <= log(1 - q).
double inverse_log_mixture(double q, double l) {
  if (q == 1) return l;
  if (l > 1) return l - std::log(q) + std::log1p((q - 1) * std::exp(-l));
  if (l > -0.5) {
    const double excess = std::expm1(l) / q;
    return excess > -1 ? std::log1p(excess) : -infinity;
  }
  const double sampled = std::exp(l) - (1 - q);
  return sampled > 0 ? std::log(sampled / q) : -infinity;
}

/// d/dy log(1 - q + q e^y): the probability, given the release, that the row was in the batch.
double posterior(double q, double y) {
  return q / (q + (1 - q) * std::exp(-y));
}

}  // namespace

LossPair::LossPair(const SubsampledGaussian& mechanism, Direction direction)
    : direction_(direction),
      rate_(mechanism.sampling_rate),
      shift_((direction == Direction::replace ? 0.5 : 1.0) / mechanism.sigma) {}

double LossPair::density(double position) const {
  const double p = direction_ == Direction::add ? 0 : rate_;
  return (1 - p) * normal_density(position) + (p > 0 ? p * normal_density(position - shift_) : 0);
}

double LossPair::log_reference(double position) const {
  const double minus = shift_ * (-position - shift_ / 2);
  const double mixture = direction_ == Direction::remove ? 0 : log_mixture(rate_, minus);
  return mixture - position * position / 2 - std::log(2 * std::numbers::pi) / 2;
}

double LossPair::loss(double position) const {
  const double plus = shift_ * (position - shift_ / 2);
  const double minus = shift_ * (-position - shift_ / 2);
  const double upper = direction_ == Direction::add ? 0 : log_mixture(rate_, plus);
  const double lower = direction_ == Direction::remove ? 0 : log_mixture(rate_, minus);
  return upper - lower;
}

double LossPair::slope(double position) const {
  const double plus = shift_ * (position - shift_ / 2);
  const double minus = shift_ * (-position - shift_ / 2);
  const double upper = direction_ == Direction::add ? 0 : posterior(rate_, plus);
  const double lower = direction_ == Direction::remove ? 0 : posterior(rate_, minus);
  return shift_ * (upper + lower);
}

double LossPair::loss_error(double position) const {
  // A logarithm is good to a few units of itself. Its argument is good to three units of
  // shift (|x| + shift), which enter with the slope. The two logarithms of `replace` may cancel: bound each.
  const double plus = shift_ * (position - shift_ / 2);
  const double minus = shift_ * (-position - shift_ / 2);
  const double upper = direction_ == Direction::add ? 0 : std::abs(log_mixture(rate_, plus));
  const double lower = direction_ == Direction::remove ? 0 : std::abs(log_mixture(rate_, minus));
  return unit * (8 * (upper + lower) + 4 * slope(position) * (std::abs(position) + shift_));
}

double LossPair::position_error(double loss, double position) const {
  // The same for the inverse, plus the exponent log s of `replace`, a sum of terms of these sizes.
  const double exponent = 16 + shift_ * shift_ - std::log(rate_);
  return unit * (exponent * std::abs(loss) + 4 * slope(position) * (std::abs(position) + shift_));
}

double LossPair::position(double loss) const {
  switch (direction_) {
    case Direction::remove:
      return inverse_log_mixture(rate_, loss) / shift_ + shift_ / 2;
    case Direction::add:
      return -(inverse_log_mixture(rate_, -loss) / shift_ + shift_ / 2);
    case Direction::replace:
      break;
  }
  // With z = shift x, c = q e^(-shift^2/2): (1-q + c e^z) = e^l (1-q + c e^-z), a quadratic in e^(z - l/2)
  // whose root is e^asinh(s), s = (1-q) sinh(l/2) / c. Odd in l.
  const double half = std::abs(loss) / 2;
  const double log_sinh =
      half < 1 ? std::log(std::sinh(half)) : half + std::log1p(-std::exp(-2 * half)) - std::log(2.0);
  const double log_s = std::log1p(-rate_) + log_sinh - std::log(rate_) + shift_ * shift_ / 2;
  const double growth = log_s > 30 ? log_s + std::log(2.0) : std::asinh(std::exp(log_s));
  return std::copysign((half + growth) / shift_, loss);
}

double LossPair::tail(double position) const {
  const double p = direction_ == Direction::add ? 0 : rate_;
  const auto normal_tail = [](double x) { return std::erfc(x / std::numbers::sqrt2) / 2; };
  const double mass = (1 - p) * normal_tail(position) + p * normal_tail(position - shift_);
  // erfc is good to a few units, its argument's rounding enters with x^2.
  return mass * (1 + 16 * unit * (1 + position * position + shift_ * shift_)) +
         std::numeric_limits<double>::min();
}

}  // namespace jme::privacy
