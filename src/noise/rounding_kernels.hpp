#pragma once

#include <cstddef>

namespace jme {

/// Nearest whole number for |x| < 2^51, without a call or a branch: the sum has no digits below 1, so that
/// adding is rounding. One rounding, where floor(x + 1/2) would make two.
[[nodiscard]] inline double nearest_whole(double x) {
  constexpr double shift = 0x1.8p52;
  return (x + shift) - shift;
}

/// values[i] += scale[i] * noise[i] rounded to the nearest whole number, for |scale * noise| < 2^51. `count`
/// is a multiple of 8. The same bits on every processor.
void add_rounded(const double* scale, const double* noise, double* values, std::size_t count);
/// With one scale for all.
void add_rounded(double scale, const double* noise, double* values, std::size_t count);

}  // namespace jme
