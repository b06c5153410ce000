#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/base/matrix_view.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/columns/clamp_counts.hpp>
#include <jme/columns/missing.hpp>
#include <jme/moments/release.hpp>
#include <jme/pipeline/cell_filler.hpp>
#include <jme/pipeline/note.hpp>
#include <jme/pipeline/person_limit.hpp>
#include <jme/pipeline/running_stream.hpp>

namespace jme {

/// Prepares rows for the stream: they are mapped to the unit box, missing cells are filled, and bad rows
/// become zero. What becomes of a row depends on the row, on public settings and on earlier releases, never
/// on another row (src/pipeline/GUARANTEES.md); where a person may contribute only so many rows, also on
/// whose records came before. Counts what it changed; only the owner of the input may see these counts.
class RowIntake {
 public:
  /// `may_be_absent`: a bad row that counts is a row without cells, as where counts are private; else it is
  /// zero, the middle of the bounds.
  RowIntake(ColumnBounds bounds, MissingCells missing, OnBadRow on_bad_row, double norm_bound,
            bool may_be_absent = false);
  /// From the next row on, rows beyond this limit become rows without cells, and every row needs its person.
  /// `tells_persons`: as_read() has, after the row's numbers, numbers_of_person that say whose row it was and
  /// whether it counted. Throws InvalidParameter where rows cannot be absent.
  void limit(PersonLimit limit, bool tells_persons);
  /// Comes before the first row, where persons are limited: what the stream keeps of them goes on from what
  /// it has. `resumes`: rows that it has do not come again, so their people count from there.
  void keep_people(RunningStream& stream, bool resumes);
  /// The limit that is in force; null where there is none.
  [[nodiscard]] PersonLimit* person_limit() { return limit_ ? &*limit_ : nullptr; }
  static constexpr std::size_t numbers_of_person = 3;

  /// What missing cells become, one rule per column; for readers that judge cells themselves.
  [[nodiscard]] const MissingCells& missing() const { return filler_.cells(); }
  [[nodiscard]] OnBadRow on_bad_row() const { return on_bad_row_; }
  /// Whether a bad row that is taken has no cells and so counts nowhere; else it is zero.
  [[nodiscard]] bool bad_rows_are_absent() const { return may_be_absent_; }

  /// Takes a row in natural units as arrays have it, where NaN is a missing cell, and turns it into the row
  /// that the stream takes. Throws DataError, which names row and column, for a bad row where bad rows fail,
  /// and for a missing cell where none is allowed; then the row does not count.
  /// Where persons are limited it throws InvalidParameter, as do all that are not told whose row it is.
  void take(std::span<double> row);
  void take(std::span<double> row, const PersonId& person);
  /// The same for a row whose cells a reader has checked: `missing_cells` are missing and may be, the others
  /// are finite.
  void take(std::span<double> row, std::span<const std::size_t> missing_cells);
  void take(std::span<double> row, std::span<const std::size_t> missing_cells, const PersonId& person);
  /// Takes a row that a reader found bad and that counts all the same: it becomes zero, or has no cells.
  void take_bad(std::span<double> row);
  void take_bad(std::span<double> row, const PersonId& person);

  /// Throws the DataError with which take() would refuse the first of these rows that it refuses; `before`
  /// more rows come ahead of them. Takes none.
  void check_rows(const MatrixView& rows, std::size_t before = 0) const;
  /// Many rows, which are copied where they have to be changed: the same numbers as row by row.
  struct RowsTaken {
    MatrixView rows, as_read;  ///< valid until the next row, and as long as the rows that were given
  };
  RowsTaken take_rows(const MatrixView& rows);

  /// The row taken last as the input has it: in the unit box, with NaN where a cell was filled. Valid until
  /// the next row.
  [[nodiscard]] std::span<const double> as_read() const { return as_read_; }
  /// Takes note of a release that cells may be filled from.
  void learn(const Release& release) { filler_.learn(release); }

  /// How much of the input was not as it came, in the order of Note::Kind and of the columns.
  [[nodiscard]] std::vector<Note> notes() const;
  /// Rows that were taken, and of them the bad ones and those without an id of a person.
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t unusable_rows() const { return bad_rows_ + nobodys_; }
  /// Cells outside of their bounds, of all rows that could be read: also of those beyond the limit of their
  /// person, so that these counts say nothing about which rows count.
  [[nodiscard]] const ClampCounts& clamped() const { return clamped_; }
  [[nodiscard]] const ColumnBounds& bounds() const { return bounds_; }

 private:
  void check_persons_are_told(bool are_told) const;
  void take_cells(std::span<double> row);
  void take_read(std::span<double> row, std::span<const std::size_t> missing_cells);
  void take_unread(std::span<double> row);
  void make_absent(std::span<double> row);
  /// Counts the cells of a row in natural units that lie outside of their bounds. Where cells are missing,
  /// they are NaN afterwards.
  void count_clamped(std::span<double> row, std::span<const std::size_t> missing_cells);
  void count_clamped_unless_bad(std::span<const double> row);
  /// What is done to a row, given whose it is: `leave_it` to one that does not count, before it is absent.
  template <class Take, class Leave>
  void take_of(std::span<double> row, const PersonId& person, const Take& take_it, const Leave& leave_it);
  void add_notes_of_cells(std::vector<Note>& notes) const;
  void check_width(std::span<const double> row) const;
  /// What becomes of a cell that is not a finite number.
  enum class Verdict { fill, zero_row, refuse };
  [[nodiscard]] Verdict verdict(double cell, std::size_t column) const;
  [[nodiscard]] static DataError refusal(double cell, std::size_t row, std::size_t column);
  ColumnBounds bounds_;
  OnBadRow on_bad_row_;
  bool may_be_absent_;
  CellFiller filler_;
  std::optional<PersonLimit> limit_{};
  bool tells_persons_ = false;
  std::span<const double> as_read_;
  std::vector<double> with_holes_;     // the row, where it has some
  std::vector<double> with_person_;    // the row as it was read, and whose it is
  std::vector<double> copied_, read_;  // rows of take_rows that were changed, and how they came
  std::vector<std::size_t> missing_;   // cells of the row under way
  std::vector<std::size_t> filled_;    // cells by column
  ClampCounts clamped_;
  std::size_t rows_ = 0, filled_rows_ = 0, bad_rows_ = 0, over_limit_ = 0, nobodys_ = 0;
};

}  // namespace jme
