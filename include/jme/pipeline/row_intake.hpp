#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <jme/columns/bounds.hpp>
#include <jme/columns/missing.hpp>
#include <jme/moments/release.hpp>
#include <jme/pipeline/cell_filler.hpp>
#include <jme/pipeline/note.hpp>

namespace jme {

/// Rows on their way to the stream: mapped to the unit box, missing cells filled, bad rows zero. What becomes
/// of a row depends on the row, on public settings and on earlier releases, never on another row
/// (src/pipeline/GUARANTEES.md). Keeps count for the writer's eyes.
class RowIntake {
 public:
  RowIntake(ColumnBounds bounds, MissingCells missing, OnBadRow on_bad_row, double norm_bound);

  /// What missing cells become, one rule per column; for readers that judge cells themselves.
  [[nodiscard]] const MissingCells& missing() const { return filler_.cells(); }

  /// A row in natural units as arrays have it, where NaN is a missing cell; afterwards as the stream takes
  /// it. Throws DataError, which names row and column, for a bad row where bad rows fail, and for a missing
  /// cell that must not be; then the row does not count.
  void take(std::span<double> row);
  /// The same for a row whose cells a reader judged: these are missing and may be, the others are finite.
  void take(std::span<double> row, std::span<const std::size_t> missing_cells);
  /// A row that a reader found bad and that counts all the same: afterwards zero, the middle of the bounds.
  void take_bad(std::span<double> row);

  /// The row taken last as the input has it: in the unit box, NaN where a cell was filled. Until the next
  /// row.
  [[nodiscard]] std::span<const double> as_read() const { return as_read_; }
  /// Takes note of a release that cells may be filled from.
  void learn(const Release& release) { filler_.learn(release); }

  /// How much of the input was not as it came, in the order of Note::Kind and of the columns.
  [[nodiscard]] std::vector<Note> notes() const;

 private:
  void check_width(std::span<const double> row) const;
  ColumnBounds bounds_;
  OnBadRow on_bad_row_;
  CellFiller filler_;
  std::span<const double> as_read_;
  std::vector<double> with_holes_;    // the row, where it has some
  std::vector<std::size_t> missing_;  // cells of the row under way
  std::vector<std::size_t> filled_;   // cells by column
  std::size_t rows_ = 0, filled_rows_ = 0, bad_rows_ = 0;
};

}  // namespace jme
