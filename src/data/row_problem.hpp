#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/clock/time.hpp>
#include <jme/columns/missing.hpp>
#include <jme/data/input_reader.hpp>

#include "columns/number.hpp"
#include "data/foreign_format.hpp"

namespace jme::data {

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

/// Why a record is broken, whatever the columns are, in words.
[[nodiscard]] std::string explain_broken(const RowProblem& problem);
/// The problem in words. `width_rule`: how many cells a row must have, in words: "the header has 2".
[[nodiscard]] std::string explain(const RowProblem& problem, const std::vector<std::string>& columns,
                                  TimeUnit time_unit, const std::string& width_rule = "");
/// Whether a bad row ends the reading: by choice, or for a missing cell of a column where that is an error.
[[nodiscard]] bool must_fail(const RowProblem& problem, OnBadRow on_bad_row,
                             const std::vector<OnMissing>& rules);
/// The error of such a row, counted from 1. `is_without_numbers`: its column had no number so far.
[[nodiscard]] BadRecord bad_record(const std::string& place, std::uint64_t row, const RowProblem& problem,
                                   const std::string& explanation, bool is_without_numbers);

}  // namespace jme::data
