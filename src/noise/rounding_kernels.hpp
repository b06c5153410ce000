#pragma once

#include <cstddef>

namespace jme {

/// values[i] += scale[i] * noise[i] rounded to the nearest whole number, for |scale * noise| < 2^51. `count`
/// is a multiple of 8. The same bits on every processor.
void add_rounded(const double* scale, const double* noise, double* values, std::size_t count);
/// With one scale for all.
void add_rounded(double scale, const double* noise, double* values, std::size_t count);

}  // namespace jme
