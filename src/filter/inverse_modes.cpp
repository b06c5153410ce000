#include "filter/inverse_modes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace jme {
namespace {

/// F(1 - y) = c_0 + sum_i w_i / (g_i - y), g_i = 1 - p_i: rises between two of its poles.
double symbol(double tap, const std::vector<Mode>& modes, double y) {
  double value = tap;
  for (const Mode& mode : modes) value += mode.weight / ((1 - mode.pole) - y);
  return value;
}

/// The zero in (low, high), to the last bit.
double zero_between(double tap, const std::vector<Mode>& modes, double low, double high) {
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return middle;
    (symbol(tap, modes, middle) < 0 ? low : high) = middle;
  }
}

}  // namespace

std::optional<InverseModes> inverse_modes(const Toeplitz& core) {
  if (core.inverted || core.taps.size() != 1 || !core.lag_taps.empty()) return std::nullopt;
  const double tap = core.taps[0];
  std::vector<Mode> modes = core.modes;
  std::ranges::sort(modes, std::ranges::greater{}, &Mode::pole);
  double at_zero = tap, above = 1;
  for (const Mode& mode : modes) {
    if (!(mode.weight > 0 && mode.pole > 0 && mode.pole < above)) return std::nullopt;
    at_zero -= mode.weight / mode.pole;
    above = mode.pole;
  }
  if (!(at_zero > 0)) return std::nullopt;

  InverseModes inverse{.tap = 1 / tap, .weights = {}, .poles = {}, .gaps = {}};
  for (std::size_t j = 0; j < modes.size(); ++j) {
    const double low = 1 - modes[j].pole, high = j + 1 < modes.size() ? 1 - modes[j + 1].pole : 1;
    const double gap = zero_between(tap, modes, low, high);
    double slope = 0;
    for (const Mode& mode : modes) slope -= mode.weight / std::pow((1 - mode.pole) - gap, 2);
    const double weight = 1 / slope;
    if (!(weight < 0) || !(gap > low && gap < high)) return std::nullopt;  // a pole and its zero coincide
    inverse.gaps.push_back(gap);
    inverse.poles.push_back(1 - gap);
    inverse.weights.push_back(weight);
  }
  return inverse;
}

}  // namespace jme
