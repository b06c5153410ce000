#include "moments/row_batch.hpp"

#include <algorithm>

#include "moments/lattice_row.hpp"

namespace jme {
namespace {

// As many rows as stay in the nearest cache.
std::size_t capacity_of(std::size_t dimension) {
  return dimension <= 48 ? 8 * RowColumns::lanes : RowColumns::lanes;
}

}  // namespace

RowBatch::RowBatch(std::size_t dimension, double norm_bound)
    : dimension_(dimension),
      norm_bound_(norm_bound),
      capacity_(capacity_of(dimension)),
      columns_(dimension * capacity_, 0.0),
      sums_(dimension * RowColumns::lanes, 0.0),
      squares_(capacity_),
      alone_(dimension) {}

void RowBatch::take(const MatrixView& rows) {
  for (std::size_t j = 0; j < dimension_; ++j) {
    const double* from = rows.data + static_cast<std::ptrdiff_t>(j) * rows.column_stride;
    double* to = columns_.data() + j * capacity_;
    for (std::size_t r = 0; r < rows.rows; ++r, from += rows.row_stride) to[r] = *from;
    std::fill(to + rows.rows, to + capacity_, 0.0);
  }
  clip_and_snap_columns(norm_bound_, units(), squares_.data());
  for (std::size_t r = 0; r < rows.rows; ++r) {
    if (squares_[r] > 0x1p40) clip_alone(r, rows);
  }
  add_columns(units(), sums_.data());
}

void RowBatch::clip_alone(std::size_t row, const MatrixView& rows) {
  for (std::size_t j = 0; j < dimension_; ++j) alone_[j] = rows.at(row, j);
  clip_and_snap(alone_, norm_bound_, alone_);
  for (std::size_t j = 0; j < dimension_; ++j) columns_[j * capacity_ + row] = alone_[j];
}

void RowBatch::write_units(std::size_t begin, std::size_t count, double* to) const {
  for (std::size_t r = begin; r < begin + count; ++r, to += dimension_) {
    for (std::size_t j = 0; j < dimension_; ++j) to[j] = columns_[j * capacity_ + r];
  }
}

void RowBatch::add_sum_to(std::span<double> first) {
  for (std::size_t j = 0; j < dimension_; ++j) {
    double* sums = sums_.data() + j * RowColumns::lanes;
    for (std::size_t lane = 0; lane < RowColumns::lanes; ++lane) first[j] += sums[lane];
    std::fill_n(sums, RowColumns::lanes, 0.0);
  }
}

}  // namespace jme
