#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/data/row_reader.hpp>

#include "columns/number.hpp"
#include "data/foreign_format.hpp"

namespace jme::data {

enum class RowStatus { good, bad, end };

/// Where a quote is open at the end of a line.
inline const Remedy quoted_records{.field = "records", .value = "quoted"};
/// Where every record has more cells than the columns that are named.
inline const Remedy declared_width{.field = "width", .value = "N"};
/// Where a cell would be a number with a decimal comma.
inline const Remedy decimal_comma{.field = "decimal", .value = "comma"};
/// Where a time is a number that is outside of the years 1 to 9999.
inline const Remedy other_time_unit{.field = "time_unit"};

/// Why a row cannot be used; put into words only where they are read.
struct RowProblem {
  enum class Kind {
    none,
    blank,
    no_value,
    nul,
    too_long,
    width,
    cell,
    time,
    stray_quote,
    open_quote,
    quoted_delimiter,
    not_json,
    array_for_names,
    repeated_key,
    foreign
  };

  Kind kind = Kind::none;
  std::size_t column = 0;                   ///< blank, cell, repeated_key: index among the columns taken
  CellStatus status = CellStatus::missing;  ///< cell, time
  bool is_missing = false;                  ///< blank, cell: it means a missing value, however it is written
  std::size_t found = 0;                    ///< width: how many cells
  std::size_t expected = 0;                 ///< too_long: bytes allowed; width: cells needed
  bool is_declared = false;                 ///< width: settings say it, and no header
  std::optional<Remedy> setting{};          ///< width, cell: what would read the row, and others like it
  const ForeignFormat* format = nullptr;    ///< foreign: what the file is

  /// The column, counted from 1, where the fault is in a single cell.
  [[nodiscard]] std::optional<std::size_t> cell_number() const {
    if (kind != Kind::cell && kind != Kind::repeated_key) return std::nullopt;
    return column + 1;
  }
  /// What would read the row, where a setting would.
  [[nodiscard]] std::optional<Remedy> remedy() const {
    if (kind == Kind::open_quote || kind == Kind::quoted_delimiter) return quoted_records;
    if (kind == Kind::width && is_declared && found > expected) return declared_width;
    if (kind == Kind::time && status == CellStatus::number) return other_time_unit;
    return setting;
  }
  /// Whether the fault is how the input is read, so that other rows will have it too.
  [[nodiscard]] bool is_of_the_input() const {
    return kind == Kind::foreign || (kind != Kind::open_quote && remedy().has_value());
  }
};

/// Rows of one format; each is a function of its record and of public choices. A file that is broken as a
/// whole throws DataError; a bad row is a status.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Reads the columns taken; after `bad` the content of `row` means nothing.
  virtual RowStatus next(std::span<double> row) = 0;
  /// 1-based line or row last read, 0 before the first, and its name in messages.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] virtual std::string place() const = 0;
  /// The bytes of the record last read, whatever is read from them; the beginning of one that is too long.
  [[nodiscard]] virtual std::string record() const = 0;
  [[nodiscard]] virtual std::optional<double> progress() const = 0;

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// One rule per column.
  void on_missing(std::vector<OnMissing> rules) { rules_ = std::move(rules); }
  /// Cells of the last row that were missing where that is allowed.
  [[nodiscard]] const std::vector<std::size_t>& missing_cells() const { return missing_; }
  void forget_missing_cells() { missing_.clear(); }
  /// Whose record the last row is; none where that cannot be told.
  [[nodiscard]] std::optional<std::string_view> person() const {
    return has_person_ ? std::optional<std::string_view>(person_) : std::nullopt;
  }
  void forget_person() { has_person_ = false; }
  /// Of the last row, where its time was asked for and can be told: where it is bad, too, unless it is not
  /// well formed.
  [[nodiscard]] std::optional<Seconds> time() const { return time_; }
  void forget_time() { time_.reset(); }
  [[nodiscard]] const RowProblem& problem() const { return problem_; }
  /// The last row's problem in words.
  [[nodiscard]] std::string explain_problem() const;

 protected:
  RowStatus bad(const RowProblem& problem) {
    problem_ = problem;
    return RowStatus::bad;
  }
  /// Takes note of a cell that is not a number. True where it is missing and that is allowed: then the cell
  /// counts as 0 and the row goes on.
  bool forgive(std::size_t column, bool is_missing, std::span<double> row) {
    if (!is_missing || column >= rules_.size() || rules_[column] != OnMissing::fill) return false;
    missing_.push_back(column);
    row[column] = 0.0;
    return true;
  }
  /// An id that stands for a missing value is nobody's: else strangers would share it.
  void set_person(std::string_view id) {
    has_person_ = !is_missing(id);
    if (has_person_) person_.assign(id);
  }
  /// How many cells a row must have, in words: "the header has 2".
  [[nodiscard]] virtual std::string width_rule() const { return ""; }

  std::vector<std::string> columns_;
  std::size_t line_ = 0;
  std::optional<Seconds> time_;
  TimeUnit time_unit_ = TimeUnit::second;

 private:
  RowProblem problem_;
  std::vector<OnMissing> rules_;
  std::vector<std::size_t> missing_;
  std::string person_;
  bool has_person_ = false;
};

}  // namespace jme::data
