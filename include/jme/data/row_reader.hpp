#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace jme {

/// Called before every read that may have to wait for bytes (a pipe, a terminal), with its descriptor: may
/// wait there itself, and may throw to end the reading.
using BeforeRead = std::function<void(int descriptor)>;

enum class InputFormat { automatic, csv, ndjson, npy };

/// What to do with a row that has a missing cell, text, NaN, infinity or the wrong width, is no JSON, or is
/// blank and not at the end. A file broken as a whole (NUL bytes, an unclosed quote, damaged compression) is
/// always an error.
enum class OnBadRow { fail, zero };

/// What to do with a missing cell: blank, NA, N/A, NaN or null in CSV; null, NaN or an absent key in NDJSON;
/// NaN in .npy. bad_row: as OnBadRow says; fail: always an error; fill: the row is good, see missing_cells().
enum class OnMissing { bad_row, fail, fill };

struct InputOptions {
  /// automatic: by the file's extension (.gz and .xz looked through; .tsv is CSV with tabs); stdin is CSV.
  InputFormat format = InputFormat::automatic;
  /// Names (or 1-based numbers) to take, in this order; only they are judged. Empty: all of them (NDJSON: the
  /// numbers of the first line, whose keys are as public as a header).
  std::vector<std::string> columns = {};
  bool header = true;  ///< CSV: the first line names the columns; without it they are called 1, 2, ...
  char delimiter = ',';
  OnBadRow on_bad_row = OnBadRow::fail;
  BeforeRead before_read = {};
};

/// Rows of numbers from CSV, NDJSON or .npy; a file or standard input ("-"); plain, gzip or xz.
/// Errors are DataError, name "file:line" and the column, and never show a value.
class RowReader {
 public:
  /// Reads up to the first row, so that an empty file, an unknown column or a broken header is told here.
  RowReader(const std::string& path, const InputOptions& options);
  RowReader(RowReader&&) noexcept;
  RowReader& operator=(RowReader&&) noexcept;
  ~RowReader();

  [[nodiscard]] const std::vector<std::string>& columns() const;  ///< names of the columns taken
  [[nodiscard]] std::size_t dimension() const { return columns().size(); }

  /// Reads the next row into `row` (dimension() numbers, finite). False at the end.
  /// A bad row throws, or with OnBadRow::zero returns true with is_bad() set and the row all zero.
  bool next(std::span<double> row);
  [[nodiscard]] bool is_bad() const;
  /// Whether the last row was bad for a missing cell.
  [[nodiscard]] bool is_bad_for_missing_cell() const;
  /// What to do with missing cells, a rule a column, from the next row on; OnMissing::bad_row before.
  void on_missing(std::vector<OnMissing> rules);
  /// Which cells of the last row, a good one, were missing and shall be filled; they hold 0.
  [[nodiscard]] std::span<const std::size_t> missing_cells() const;
  [[nodiscard]] std::size_t bad_rows() const;
  /// 1-based line (or row, for .npy) of the row last read, and "file:line" for messages.
  [[nodiscard]] std::size_t line() const;
  [[nodiscard]] std::string place() const;

  /// Fraction of the input consumed, where its size is known: for progress.
  [[nodiscard]] std::optional<double> progress() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme
