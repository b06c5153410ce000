#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <jme/columns/missing.hpp>
#include <jme/data/row_reader.hpp>
#include <jme/rows/row_batch.hpp>

namespace jme {

/// The rows of RowReader in batches, parsed on several threads where the input is a file that is there as a
/// whole. Whatever the number of threads: the same rows in the same order, and the same errors after them.
///
///   BatchReader reader("day.csv", {}, 4);
///   for (RowBatch batch; reader.next(batch);) take(batch);
class BatchReader {
 public:
  /// Bytes of a file that are parsed as one piece.
  static constexpr std::size_t usual_piece = std::size_t{1} << 20;

  /// As RowReader. `threads`: how many parse, the caller's among them; with 1 none is started.
  BatchReader(const std::string& path, const InputOptions& options, std::size_t threads,
              std::size_t piece_bytes = usual_piece);
  BatchReader(BatchReader&&) noexcept;
  BatchReader& operator=(BatchReader&&) noexcept;
  ~BatchReader();

  [[nodiscard]] const std::vector<std::string>& columns() const;
  [[nodiscard]] std::size_t dimension() const { return columns().size(); }
  /// As RowReader, but only until next() is asked for more than one row.
  void on_missing(std::vector<OnMissing> rules);

  /// Replaces the rows of the batch by the next ones, at least one and at most `most_rows`; false at the end.
  /// A missing cell that is to be filled is NaN, a bad row has its flag, and its person and time where they
  /// can be told. Where rows may have to be waited for, the batch ends before the waiting. Throws DataError
  /// as RowReader does, after all rows before the error were given. Every further call repeats it.
  bool next(RowBatch& batch, std::size_t most_rows = RowBatch::most_rows);

  /// The bytes of the record of the last row, as RowReader::record, as long as next() was asked for one row
  /// at a time.
  [[nodiscard]] std::string record() const;
  /// Of the rows that were given, and of the one that the error is about.
  [[nodiscard]] std::size_t bad_rows() const;
  /// Whether the error that next() threw is about a bad row, and which, as RowReader.
  [[nodiscard]] bool is_bad() const;
  [[nodiscard]] bool is_bad_like_others() const;
  [[nodiscard]] bool is_bad_for_column_of_text() const;
  [[nodiscard]] bool is_bad_for_missing_cell() const;
  /// 1-based line (or row, for .npy) of the last row given or of the one that the error is about, and
  /// "file:line" for messages.
  [[nodiscard]] std::size_t line() const;
  [[nodiscard]] std::string place() const;

  /// Fraction of the input consumed, where its size is known: for progress.
  [[nodiscard]] std::optional<double> progress() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme
