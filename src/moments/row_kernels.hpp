#pragma once

#include <cstddef>

#include <jme/base/matrix_view.hpp>

namespace jme {

// Many rows at once, with the SIMD instructions of the processor at hand and the same bits as one by one.

/// The first row that holds a number that is not finite, and the first such column in it.
struct NotFinite {
  std::size_t row, column;
};
/// row == view.rows where there is none. `allow_nan`: NaN is an absent cell.
[[nodiscard]] NotFinite first_not_finite(const MatrixView& view, bool allow_nan = false);

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
/// clamp_and_snap of all these rows but for the norm bound; squares[r] gets the sum of squares of row r's
/// units.
void clamp_and_snap_columns(const RowColumns& columns, double* squares);
/// Replaces NaN by 0 and writes what is present in units of 2^20: cells (as many columns as `columns` has; a
/// row exists if any is present) where `cells` is given, else a row exists if all are present and its values
/// are 0 where it does not; rows where `exist` is given.
void take_out_absent(const RowColumns& columns, double* cells, double* exist);
/// sums[j * lanes + r % lanes] += entry j of row r. These are whole numbers, so the sums are exact.
void add_columns(const RowColumns& columns, double* sums);
/// The same for products: sums[k * lanes + r % lanes] += entry i of row r times entry j, k the place of
/// (i, j) in the packed upper triangle.
void add_products(const RowColumns& columns, double* sums);

}  // namespace jme
