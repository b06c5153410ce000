#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/base/matrix_view.hpp>
#include <jme/filter/aligned_vector.hpp>

#include "moments/row_kernels.hpp"

namespace jme {

/// Rows on their way into sums, many at a time: clipped and snapped as clip_and_snap does it, bit for bit,
/// and added up.
class RowBatch {
 public:
  RowBatch(std::size_t dimension, double norm_bound);

  /// The most rows it takes at a time.
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  /// At most capacity() rows, all finite.
  void take(const MatrixView& rows);
  /// The lattice units of these rows, side by side, with zeros where there were fewer rows; valid until the
  /// next rows are taken.
  [[nodiscard]] RowColumns units() { return {columns_.data(), dimension_, capacity_}; }
  /// The same for some of these rows, row by row.
  void write_units(std::size_t begin, std::size_t count, double* to) const;
  /// Adds the sum of all rows taken since the last call: whole numbers, so exact in any order.
  void add_sum_to(std::span<double> first);

 private:
  void clip_alone(std::size_t row, const MatrixView& rows);

  std::size_t dimension_;
  double norm_bound_;
  std::size_t capacity_;
  AlignedVector columns_, sums_;
  std::vector<double> squares_, alone_;
};

}  // namespace jme
