#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jme {

struct ClampCounts;

/// The public range of a column.
struct ColumnRange {
  std::string name;
  double low, high;
};

/// Public natural ranges of columns, "temp=-20:45,co=0:10000": each column is clamped to its range and mapped
/// to [-1, 1].
class ColumnBounds {
 public:
  /// Every column must be bounded exactly once, low < high, both finite. Throws InvalidParameter("bounds",
  /// ...).
  static ColumnBounds parse(std::string_view text, const std::vector<std::string>& columns);
  /// The same from arrays: column i lies between low[i] and high[i]. The rules and the exception are the
  /// same.
  static ColumnBounds of(const std::vector<std::string>& columns, std::span<const double> low,
                         std::span<const double> high);
  /// No bounds: centre 0, half-width 1, nothing clamped.
  static ColumnBounds none(std::size_t dimension);

  [[nodiscard]] bool is_none() const { return none_; }
  /// As parse() would read the same numbers, in the order of the columns; empty where there are none.
  [[nodiscard]] const std::string& text() const { return text_; }
  void to_unit(std::span<double> row) const;
  /// Counts the cells of a row in natural units that to_unit() would clamp. NaN is a missing cell.
  void count_clamped(std::span<const double> row, ClampCounts& counts) const;
  /// Both for many rows, one after another, all of whose cells are finite: the same bits and counts.
  void rows_to_unit(std::span<double> rows, ClampCounts& counts) const;
  [[nodiscard]] std::span<const double> centre() const { return centre_; }
  [[nodiscard]] std::span<const double> half_width() const { return half_width_; }
  /// As they were given; empty where there are none.
  [[nodiscard]] std::span<const double> low() const { return low_; }
  [[nodiscard]] std::span<const double> high() const { return high_; }

 private:
  static ColumnBounds made_of(const std::vector<ColumnRange>& ranges,
                              const std::vector<std::string>& columns);
  bool none_ = true;
  std::string text_;
  std::vector<double> centre_, half_width_, low_, high_;
};

/// The ranges in "a=0:1,b=..", in order, each checked by itself. Throws InvalidParameter("bounds", ...).
[[nodiscard]] std::vector<ColumnRange> parse_ranges(std::string_view text);
/// Column names bounded in "a=..,b=..", in order: the columns to take where nothing else names them.
[[nodiscard]] std::vector<std::string> bounded_columns(std::string_view text);

}  // namespace jme
