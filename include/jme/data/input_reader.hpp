#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/columns/missing.hpp>
#include <jme/data/input_options.hpp>
#include <jme/rows/row_source.hpp>

namespace jme {

/// A bad row that ends the reading.
class BadRecord final : public DataError {
 public:
  /// What other rows may share with it.
  enum class Cause {
    of_this_row,
    missing_cell,
    column_of_text,  ///< text in a column that had no number so far
    of_the_input     ///< another format, or the wrong delimiter, decimal sign or unit of time
  };
  BadRecord(const DataError& error, Cause cause) : DataError(error), cause_(cause) {}
  [[nodiscard]] Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// Rows of numbers with named columns. Errors are of type DataError; they name "file:line" and the column,
/// and never show a value.
class InputReader : public RowSource {
 public:
  /// How rows are read from the next one on.
  struct Part {
    /// What to do with missing cells, one rule per column; none: OnMissing::bad_row for all.
    std::vector<OnMissing> missing = {};
    /// At most so many; after them next() returns false until the next part begins.
    std::optional<std::uint64_t> rows = {};
    /// Batches have the bytes of every record, good or bad, without its line end; of one that is too long the
    /// beginning. They do not depend on which columns are read. Of a .npy file the numbers of the row.
    bool tells_records = false;
  };

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }  ///< of those taken
  [[nodiscard]] std::size_t dimension() const { return columns_.size(); }
  /// Before the first row, and after the last one of a part that ended with its number of rows.
  void begin(Part part);

  /// At least one row. A missing cell that is to be filled is NaN, a bad row has its flag, and its person and
  /// time where they can be told. Every call after an error repeats it.
  bool next(RowBatch& batch, std::size_t most_rows) final;
  using RowSource::next;
  /// Where the last row is, or the one that the error is about, for messages: "file:line".
  [[nodiscard]] virtual std::string place() const = 0;

 protected:
  /// `columns`: may be left empty until the first call of next().
  explicit InputReader(std::vector<std::string> columns = {}) : columns_(std::move(columns)) {}
  /// A part begins.
  virtual void apply(const Part& part) = 0;
  /// Adds at most so many rows to an empty batch; none at the end. Rows of a call that throws DataError are
  /// lost.
  virtual void read(RowBatch& batch, std::size_t most_rows) = 0;
  /// What the next call throws, after the rows that are being read.
  void end_with(std::exception_ptr error) { error_ = std::move(error); }
  /// Rows that were given.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

  std::vector<std::string> columns_;

 private:
  std::exception_ptr error_{};
  std::optional<std::uint64_t> left_{};  // of the part
  std::uint64_t rows_ = 0, rows_of_part_ = 0;
};

/// Bytes of a text that are parsed as one piece.
constexpr std::size_t usual_piece_bytes = std::size_t{1} << 20;

/// Rows of CSV, NDJSON or .npy; a file or standard input ("-"); plain, gzip or xz. Text that is there as a
/// whole is parsed on `threads` threads, the caller's among them. Whatever their number: the same rows in the
/// same order, and the same errors after them.
///
///   const auto reader = open_input("day.csv", {}, 4);
///   for (RowBatch batch; reader->next(batch);) take(batch);
///
/// Reads up to the first row, so that an empty file, an unknown column or a broken header is reported here.
/// Throws InvalidParameter("columns", ...) where neither a header nor the options say which columns there
/// are.
[[nodiscard]] std::unique_ptr<InputReader> open_input(const std::string& path, const InputOptions& options,
                                                      std::size_t threads = 1,
                                                      std::size_t piece_bytes = usual_piece_bytes);

}  // namespace jme
