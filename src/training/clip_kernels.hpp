#pragma once

#include <cstddef>

namespace jme {

/// Sums of the second and fourth powers of numbers, in double; not finite where any of them is not.
struct PowerSums {
  double second, fourth;
};
[[nodiscard]] PowerSums power_sums(const float* values, std::size_t count);

/// Adds c, the product factor * values rounded to float, to `sums`. Where `squares` is not null, adds to it
/// c^2, or `most_square` where that is less, or, for joint clipping, factor * values^2.
void add_clipped_row(float factor, bool joint, double most_square, const float* values, double* sums,
                     double* squares, std::size_t count);

}  // namespace jme
