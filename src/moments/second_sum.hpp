#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <jme/base/values.hpp>
#include <jme/filter/aligned_vector.hpp>
#include <jme/moments/wide_int.hpp>

#include "moments/row_kernels.hpp"
#include "moments/worker_pool.hpp"

namespace jme {

/// Sum over a block of w_j x_j x_j' (packed upper triangle) or w_j x_j o x_j, w_j = beta^(rows until the
/// block's end).
///
/// Rows of lattice units are summed exactly: a double holds 2^13 products of 2^40, a WideInt any number of
/// them.
/// With beta < 1 the sum is in floating point, and Mechanism's rounding slack bounds its error. Rows that
/// already contain noise (PP) may be any numbers.
class SecondSum {
 public:
  enum class Rows { lattice, real };

  /// `pool`, where given, shares the large updates; it must outlive the sum.
  SecondSum(std::size_t dimension, SecondMoment second, std::size_t block_rows, double beta, Rows rows,
            WorkerPool* pool = nullptr, unsigned unit_bits = 20);

  void add(std::span<const double> row);
  /// The first of these rows; the others are zero.
  void add(const RowColumns& columns, std::size_t rows);
  /// Writes the block's sum and starts the next block. For lattice rows it is in units of 2^unit_bits
  /// products, rounded to whole numbers; for real rows it is unchanged.
  void close(std::span<double> out);

  /// The same in tiles: begin, then any entries in any order and from any thread, then end.
  void begin_close();
  /// Entries begin .. begin + count - 1; up to 7 numbers past them may be overwritten.
  void write_tile(std::size_t begin, std::size_t count, double* out) const;
  void end_close();
  /// Between them, for lattice rows: the sum of the squares of all columns, rounded once to a whole number of
  /// the same units.
  [[nodiscard]] double trace() const;

  /// Lattice rows without weights: adds the sums so far, unrounded, to `products`, and starts again from
  /// zero.
  void move_to(std::span<WideInt> products);
  /// Products of many rows that were summed elsewhere, as the whole of a block (BlockSum::saturated).
  void assign(std::span<const WideInt> products);

 private:
  void flush_panel();
  void flush_lanes();
  void update(double carry);
  void update_strip(std::size_t begin, double carry);
  void spill();
  void write_full(std::size_t begin, std::size_t count, double* out) const;

  std::size_t dimension_, size_;
  SecondMoment second_;
  double beta_;
  bool exact_, lattice_;
  unsigned unit_bits_;
  double per_unit_;  // 2^-unit_bits
  std::size_t panel_rows_;
  std::vector<double> panel_;  // rows not yet multiplied, row-major
  std::size_t in_panel_ = 0;
  std::vector<double> sum_;  // d x d upper triangle (full), or d
  std::size_t in_sum_ = 0;   // rows in sum_
  AlignedVector lanes_;      // few columns: sums of products of the rows of every lane (RowColumns)
  std::size_t in_lanes_ = 0;
  std::vector<WideInt> spilled_;
  bool has_spilled_ = false;
  bool single_ = false;  // closing a block of one row: its products are made as they are written
  WorkerPool* pool_;
};

}  // namespace jme
