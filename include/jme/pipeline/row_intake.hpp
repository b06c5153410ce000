#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <jme/columns/bounds.hpp>
#include <jme/columns/missing.hpp>
#include <jme/data/row_reader.hpp>
#include <jme/moments/release.hpp>

#include "cell_filler.hpp"

namespace jme::cli {

/// Rows on their way from the file to the stream: mapped to the unit box, missing cells filled, bad rows
/// zero. Keeps count for the writer's eyes.
class RowIntake {
 public:
  RowIntake(RowReader& reader, const ColumnBounds& bounds, MissingCells missing, OnBadRow on_bad_row,
            double norm_bound);

  /// The next row in the unit box. False at the end; DataError as the reader.
  bool next(std::span<double> row);
  /// The row that next() gave as the input has it: NaN where a cell was filled. Until the next row.
  [[nodiscard]] std::span<const double> as_read() const { return as_read_; }
  /// Takes note of a release that cells may be filled from.
  void learn(const Release& release) { filler_.learn(release); }

  /// What the writer can do about the bad row that stopped the run, for the end of its message.
  [[nodiscard]] std::string advice(bool something_was_released) const;
  /// Says on stderr how many rows and cells were not as they came.
  void tell() const;

 private:
  RowReader& reader_;
  const ColumnBounds& bounds_;
  OnBadRow on_bad_row_;
  CellFiller filler_;
  std::span<const double> as_read_;
  std::vector<double> with_holes_;   // the row, where it has some
  std::vector<std::size_t> filled_;  // cells, a column
  std::size_t rows_ = 0, filled_rows_ = 0, zero_rows_ = 0;
};

}  // namespace jme::cli
