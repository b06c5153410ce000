#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/base/matrix_view.hpp>
#include <jme/filter/aligned_vector.hpp>
#include <jme/moments/row_map.hpp>

#include "moments/row_kernels.hpp"

namespace jme {

/// Rows on their way into sums, many at a time: in lattice units as snap_row makes them, bit for bit, and
/// added up.
class RowBatch {
 public:
  explicit RowBatch(const RowMap& map);

  /// The most rows it takes at a time.
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  /// At most capacity() rows, all finite but for absent cells.
  void take(const MatrixView& rows);
  /// The lattice units of these rows, side by side, with zeros where there were fewer rows; valid until the
  /// next rows are taken.
  [[nodiscard]] RowColumns units() { return {columns_.data(), dimension(), capacity_}; }
  /// The same for what is present of their cells.
  [[nodiscard]] RowColumns present() {
    return {columns_.data() + dimension() * capacity_, dimension(), capacity_};
  }
  /// Adds the sum of all rows taken since the last call: whole numbers, so exact in any order.
  void add_sum_to(std::span<double> first);

 private:
  [[nodiscard]] std::size_t dimension() const { return map_.layout.dimension; }
  void snap_alone(std::size_t row, const MatrixView& rows);

  RowMap map_;
  std::size_t width_, capacity_;
  double largest_square_;
  AlignedVector columns_, sums_;
  std::vector<double> squares_, row_, alone_;
};

/// Some of these rows, row by row.
void write_rows(const RowColumns& columns, std::size_t begin, std::size_t count, double* to);

}  // namespace jme
