#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/base/matrix_view.hpp>
#include <jme/clock/slots.hpp>
#include <jme/columns/bounds.hpp>
#include <jme/columns/clamp_counts.hpp>
#include <jme/columns/missing.hpp>
#include <jme/moments/release.hpp>
#include <jme/pipeline/cell_filler.hpp>
#include <jme/pipeline/note.hpp>
#include <jme/pipeline/person_limit.hpp>
#include <jme/rows/row_batch.hpp>
#include <jme/store/durable_stream.hpp>

namespace jme {

/// What becomes of rows on their way from any front to the stream: they are mapped to the unit box, missing
/// cells are filled, and bad rows become zero or have no cells. What becomes of a row depends on the row, on
/// public settings and on earlier releases, never on another row (src/pipeline/GUARANTEES.md); where a person
/// may contribute only so many rows, also on whose records came before. How rows are divided into batches
/// changes nothing. Counts what was changed; only the owner of the input may see these counts.
///
///   RowRules rules = run.rules();
///   stream->add_rows(rules.take(batch).rows, ...);
class RowRules {
 public:
  /// `may_be_absent`: a bad row that counts is a row without cells, as where counts are private; else it is
  /// zero, the middle of the bounds.
  RowRules(ColumnBounds bounds, MissingCells missing, OnBadRow on_bad_row, double norm_bound,
           bool may_be_absent = false);
  /// From the next row on, rows beyond this limit become rows without cells, and every row needs its person.
  /// `tells_persons`: Taken::as_read has, after a row's numbers, numbers_of_person that say whose row it was
  /// and whether it counted. Throws InvalidParameter where rows cannot be absent.
  void limit(PersonLimit limit, bool tells_persons);
  /// A row is in the window of its own time: windows are of so many slots each.
  void take_windows_of_times(const SlotSchedule& slots, std::size_t slots_of_window);
  /// Comes before the first row, where persons are limited: what the stream has of them on disk goes on.
  /// `resumes`: rows that it has do not come again, so their people count from there.
  void keep_people(const DurableStream& stream, bool resumes);
  /// The limit that is in force; null where there is none.
  [[nodiscard]] PersonLimit* person_limit() { return limit_ ? &*limit_ : nullptr; }
  static constexpr std::size_t numbers_of_person = 3;

  /// What missing cells become, one rule per column; for readers that judge cells themselves.
  [[nodiscard]] const MissingCells& missing() const { return filler_.cells(); }
  [[nodiscard]] OnBadRow on_bad_row() const { return on_bad_row_; }
  /// Whether a bad row that is taken has no cells and so counts nowhere; else it is zero.
  [[nodiscard]] bool bad_rows_are_absent() const { return may_be_absent_; }

  /// Rows as the stream takes them. `as_read`: in the unit box, with NaN where a cell was filled. Valid until
  /// the next rows, and as long as the rows that were given.
  struct Taken {
    MatrixView rows, as_read;
  };
  /// The rows [begin, end) of a batch. Throws DataError, which names row and column, where check() does, and
  /// takes none of the rows then. Throws InvalidParameter for rows of persons without a limit.
  [[nodiscard]] Taken take(const RowBatch& batch, std::size_t begin, std::size_t end);
  [[nodiscard]] Taken take(const RowBatch& batch) { return take(batch, 0, batch.rows()); }
  /// The same for rows in somebody else's memory, none of which is known to be bad. Throws InvalidParameter
  /// where rows per person are limited: nobody says whose rows these are.
  [[nodiscard]] Taken take(const MatrixView& rows);
  /// Throws DataError for the first of these rows that is refused: one with a cell that is not a finite
  /// number where bad rows fail, or with a missing cell where none is allowed. `before` more rows come ahead
  /// of them. Takes none.
  void check(const MatrixView& rows, std::size_t before = 0) const;

  /// Takes note of a release that cells may be filled from.
  void learn(const Release& release) { filler_.learn(release); }
  /// Whether cells are filled from releases, so that each has to be there before the rows after its block.
  [[nodiscard]] bool fills_from_releases() const { return fills_from_releases_; }

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
  /// `batch` where more is known about the rows, which begin at `first` of it.
  [[nodiscard]] Taken take(const MatrixView& rows, const RowBatch* batch, std::size_t first);
  /// Rows one after another, all of whose cells are finite.
  void to_unit(std::span<double> rows);
  void take_row(std::span<double> row, std::span<double> as_read, const RowBatch* batch, std::size_t index);
  void take_good(std::span<double> row, std::span<double> as_read);
  [[nodiscard]] bool admit(const RowBatch& batch, std::size_t index);
  void tell_person(std::span<double> numbers, const PersonId& person, bool counts) const;
  /// Whether the row is good; then missing_ has its missing cells.
  [[nodiscard]] bool find_missing(std::span<const double> row);
  void add_notes_of_cells(std::vector<Note>& notes) const;
  /// What becomes of a cell that is not a finite number.
  enum class Verdict { fill, bad_row, refuse };
  [[nodiscard]] Verdict verdict(double cell, std::size_t column) const;

  ColumnBounds bounds_;
  OnBadRow on_bad_row_;
  bool may_be_absent_;
  CellFiller filler_;
  bool fills_from_releases_;
  std::optional<PersonLimit> limit_{};
  bool tells_persons_ = false;
  std::optional<SlotSchedule> slots_{};  // where windows are those of rows' own times
  std::size_t slots_of_window_ = 1;
  std::vector<double> taken_, read_;  // rows that were changed, and how they came
  std::vector<std::size_t> missing_;  // cells of the row under way
  std::vector<std::size_t> filled_;   // cells by column
  ClampCounts clamped_;
  std::size_t rows_ = 0, filled_rows_ = 0, bad_rows_ = 0, over_limit_ = 0, nobodys_ = 0;
};

}  // namespace jme
