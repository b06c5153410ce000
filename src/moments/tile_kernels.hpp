#pragma once

#include <cstddef>

namespace jme {

// Inner loops of the second moment, with the SIMD instructions of the processor at hand and the same bits on
// all of them. A tile is `count` entries of the packed upper triangle from entry (row, column) on. Loops run
// in whole vectors: inputs may be read, and `out` written, up to 7 numbers past their ends.

struct TriangleTile {
  std::size_t dimension, row, column, count;
};

/// out = x_i x_j; snapped: times `per_unit`, a power of two, rounded to the nearest whole number (halves up).
void write_products(const TriangleTile& tile, const double* x, double* out);
void write_snapped_products(const TriangleTile& tile, const double* x, double per_unit, double* out);
/// The same for finished sums, d x d row by row.
void write_sums(const TriangleTile& tile, const double* sums, double* out);
void write_snapped_sums(const TriangleTile& tile, const double* sums, double per_unit, double* out);

}  // namespace jme
