#include "report/ticks.hpp"

#include <algorithm>
#include <cmath>

#include "report/number_text.hpp"

namespace jme::report {

namespace {

/// A round step that cuts `length` into at most `most` parts: 1, 2, 2.5 or 5 times a power of ten.
struct Step {
  double mantissa;
  int exponent;
  [[nodiscard]] double size() const { return mantissa * std::pow(10.0, exponent); }
  /// Power of ten of the last figure that tells two neighbours apart.
  [[nodiscard]] int last_place() const { return exponent - (mantissa == 2.5 ? 1 : 0); }
  [[nodiscard]] int decimals() const { return std::max(0, -last_place()); }
};

Step round_step(double length, int most) {
  const double least = length / std::max(1, most);
  const int exponent = static_cast<int>(std::floor(std::log10(least)));
  for (const double mantissa : {1.0, 2.0, 2.5, 5.0}) {
    const Step step{.mantissa = mantissa, .exponent = exponent};
    if (step.size() >= least * (1 - 1e-9)) return step;
  }
  return {.mantissa = 1, .exponent = exponent + 1};
}

// True where readers would have to count zeros, or where decimals would be too long for the axis.
bool needs_powers(const Range& range, const Step& step) {
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  return largest >= 1e7 || step.decimals() > 6;
}

std::vector<Tick> linear_ticks(Range range, int most) {
  const Step step = round_step(range.high - range.low, most);
  const double size = step.size();
  // Half a thousandth of a step for what rounding does to the ends.
  const auto first = static_cast<long long>(std::ceil(range.low / size - 5e-4));
  const auto last = static_cast<long long>(std::floor(range.high / size + 5e-4));
  std::vector<Tick> result;
  for (long long i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * size;
    const int leading = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    const int digits = std::clamp(leading + 1 - step.last_place(), 1, 15);
    result.push_back({.value = value,
                      .label = needs_powers(range, step) ? number_text(value, digits)
                                                         : fixed_text(value, step.decimals())});
  }
  return result;
}

std::string log_label(int digit, int exponent) {
  if (digit == 1) return power_of_ten_text(exponent);
  if (exponent < -3 || exponent > 5) return number_text(digit, 1) + "×" + power_of_ten_text(exponent);
  return fixed_text(digit * std::pow(10.0, exponent), std::max(0, -exponent));
}

std::vector<Tick> log_ticks(Range range, int most) {
  const double decades = std::log10(range.high / range.low);
  if (decades < 0.7) return linear_ticks(range, most);
  const int first = static_cast<int>(std::floor(std::log10(range.low) + 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(range.high) + 1e-9));
  const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, most))));
  const bool label_125 = decades * 3 <= most + 1;
  const bool label_15 = decades * 2 <= most + 1;
  std::vector<Tick> result;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10.0, exponent);
      if (value < range.low * (1 - 1e-9) || value > range.high * (1 + 1e-9)) continue;
      const bool labelled = (digit == 1 && exponent % every == 0) || (digit == 2 && label_125) ||
                            (digit == 5 && (label_125 || label_15));
      if (!labelled && digit > 1 && decades > 5) continue;
      result.push_back({.value = value, .label = labelled ? log_label(digit, exponent) : ""});
    }
  }
  return result;
}

/// The next of 1, 2, 5 times a power of ten at or below (up = false) or at or above `value`.
double round_log(double value, bool up) {
  const double base = std::pow(10.0, std::floor(std::log10(value) + 1e-12));
  double best = up ? 10 * base : base;
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (up && digit * base >= value * (1 - 1e-9)) return digit * base;
    if (!up && digit * base <= value * (1 + 1e-9)) best = digit * base;
  }
  return best;
}

}  // namespace

Range drawable(Range range, AxisScale scale) {
  // Nearer to zero or further from it, steps and distances would leave the range of doubles.
  constexpr double least = 1e-290, most = 1e290;
  const bool logarithmic = scale == AxisScale::logarithmic;
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high ||
      (logarithmic && range.low <= 0)) {
    return logarithmic ? Range{1, 10} : Range{0, 1};
  }
  range = {std::clamp(range.low, logarithmic ? least : -most, most),
           std::clamp(range.high, logarithmic ? least : -most, most)};
  // A range that is too narrow to show on an axis counts as one value.
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low > std::max(1e-9 * size, least)) return range;
  if (logarithmic) return {range.low / 2, range.high * 2};
  const double room = size > least ? 0.1 * size : 1;
  return {range.low - room, range.high + room};
}

Range rounded_out(Range range, AxisScale scale, int most) {
  if (scale == AxisScale::logarithmic) return {round_log(range.low, false), round_log(range.high, true)};
  const double size = round_step(range.high - range.low, most).size();
  return {std::floor(range.low / size + 1e-9) * size, std::ceil(range.high / size - 1e-9) * size};
}

std::vector<Tick> ticks(Range range, AxisScale scale, int most) {
  return scale == AxisScale::logarithmic ? log_ticks(range, most) : linear_ticks(range, most);
}

}  // namespace jme::report
