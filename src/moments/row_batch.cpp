#include "moments/row_batch.hpp"

#include <algorithm>
#include <limits>

#include "moments/lattice_row.hpp"

namespace jme {
namespace {

// As many rows as stay in the nearest cache.
std::size_t capacity_of(std::size_t dimension) {
  return dimension <= 48 ? 8 * RowColumns::lanes : RowColumns::lanes;
}

}  // namespace

RowBatch::RowBatch(const RowMap& map)
    : map_(map),
      width_(map.layout.first_size()),
      capacity_(capacity_of(map.layout.dimension)),
      largest_square_(map.geometry == Geometry::box
                          ? largest_square_in_box(map.layout.dimension, map.norm_bound)
                          : lattice_one * lattice_one),
      columns_(width_ * capacity_, 0.0),
      sums_(width_ * RowColumns::lanes, 0.0),
      squares_(capacity_),
      row_(map.layout.dimension),
      alone_(width_) {}

void RowBatch::take(const MatrixView& rows) {
  // A row that is not there has no cells.
  const double nothing = map_.allows_absent() ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  for (std::size_t j = 0; j < dimension(); ++j) {
    const double* from = rows.data + static_cast<std::ptrdiff_t>(j) * rows.column_stride;
    double* to = columns_.data() + j * capacity_;
    for (std::size_t r = 0; r < rows.rows; ++r, from += rows.row_stride) to[r] = *from;
    std::fill(to + rows.rows, to + capacity_, nothing);
  }
  if (map_.allows_absent()) {
    take_out_absent(units(), map_.layout.cell_counts ? present().values : nullptr,
                    map_.layout.row_count ? columns_.data() + (width_ - 1) * capacity_ : nullptr);
  }
  if (map_.geometry == Geometry::box) {
    clamp_and_snap_columns(units(), squares_.data());
  } else {
    clip_and_snap_columns(map_.norm_bound, units(), squares_.data());
  }
  for (std::size_t r = 0; r < rows.rows; ++r) {
    if (squares_[r] > largest_square_) snap_alone(r, rows);
  }
  add_columns({columns_.data(), width_, capacity_}, sums_.data());
}

void RowBatch::snap_alone(std::size_t row, const MatrixView& rows) {
  for (std::size_t j = 0; j < dimension(); ++j) row_[j] = rows.at(row, j);
  snap_row(map_, row_, alone_);
  for (std::size_t j = 0; j < width_; ++j) columns_[j * capacity_ + row] = alone_[j];
}

void RowBatch::add_sum_to(std::span<double> first) {
  for (std::size_t j = 0; j < width_; ++j) {
    double* sums = sums_.data() + j * RowColumns::lanes;
    for (std::size_t lane = 0; lane < RowColumns::lanes; ++lane) first[j] += sums[lane];
    std::fill_n(sums, RowColumns::lanes, 0.0);
  }
}

void write_rows(const RowColumns& columns, std::size_t begin, std::size_t count, double* to) {
  for (std::size_t r = begin; r < begin + count; ++r, to += columns.dimension) {
    for (std::size_t j = 0; j < columns.dimension; ++j) to[j] = columns.values[j * columns.rows + r];
  }
}

}  // namespace jme
