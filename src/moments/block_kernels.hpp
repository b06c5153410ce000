#pragma once

#include <cstddef>

namespace jme {

// Inner loops of a block's step, with the SIMD instructions of the processor at hand and the same bits on all
// of them. `count` is a multiple of 8.

/// values = nearest whole number of factor * values, for |factor * values| < 2^51.
void snap_block(double factor, double* values, std::size_t count);
/// squares = nearest whole number of factor * values^2.
void snap_block_squares(double factor, const double* values, double* squares, std::size_t count);
/// values *= factor.
void scale_block(double factor, double* values, std::size_t count);
/// The same with a factor for every value.
void snap_block(const double* factors, double* values, std::size_t count);
void scale_block(const double* factors, double* values, std::size_t count);

}  // namespace jme
