#pragma once

#include <cstddef>

#include <jme/base/matrix_view.hpp>

namespace jme {

// Many rows at once, with the SIMD instructions of the processor at hand and the same bits as one by one.

/// The first row that holds a number that is not finite, and the first such column in it.
struct NotFinite {
  std::size_t row, column;
};
/// row == view.rows where there is none.
[[nodiscard]] NotFinite first_not_finite(const MatrixView& view);

/// Rows that lie side by side: entry j of row r is at values[j * rows + r]. `rows` is a multiple of lanes.
struct RowColumns {
  static constexpr std::size_t lanes = 8;
  double* values;
  std::size_t dimension, rows;
};

/// clip_and_snap of all these rows: replaces them by lattice units, except for rows whose squares are not
/// safe or whose units are too long after rounding (squares[r] above 2^40): these must be made by
/// clip_and_snap.
void clip_and_snap_columns(double norm_bound, const RowColumns& columns, double* squares);
/// sums[j * lanes + r % lanes] += entry j of row r. These are whole numbers, so the sums are exact.
void add_columns(const RowColumns& columns, double* sums);
/// The same for products: sums[k * lanes + r % lanes] += entry i of row r times entry j, k the place of
/// (i, j) in the packed upper triangle.
void add_products(const RowColumns& columns, double* sums);

}  // namespace jme
