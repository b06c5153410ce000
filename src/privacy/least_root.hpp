#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>

namespace jme::privacy {

/// A positive number and what a falling function is there.
struct Tried {
  double at, value;
};

/// The upper end of a bracket [low, high] of a root that is not wider than `tolerance`, relative to it: a
/// number at which the function was tried and was not positive. It is positive at `low`, not so at `high`,
/// and roughly linear in the logarithm.
[[nodiscard]] double least_root(std::invocable<double> auto&& function, Tried low, Tried high,
                                double tolerance) {
  // Secant steps inside the bracket; the value at an end that stays is halved (Illinois).
  int stays = 0;
  while (high.at > low.at * (1 + tolerance)) {
    const double slope = (std::log(high.at) - std::log(low.at)) / (high.value - low.value);
    double middle = std::exp(std::log(high.at) - high.value * slope);
    const double margin = tolerance / 4 * high.at;
    middle = std::clamp(middle + margin, low.at + margin, high.at - margin);
    if (!(middle > low.at && middle < high.at)) middle = (low.at + high.at) / 2;
    const double value = function(middle);
    if (value <= 0) {
      high = {.at = middle, .value = value};
      if (stays == 1) low.value /= 2;
      stays = 1;
    } else {
      low = {.at = middle, .value = value};
      if (stays == -1) high.value /= 2;
      stays = -1;
    }
  }
  return high.at;
}

}  // namespace jme::privacy
