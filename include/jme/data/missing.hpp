#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jme/data/bounds.hpp>
#include <jme/data/row_reader.hpp>

namespace jme {

/// What the missing cells of each column become. Public and chosen before the data: a filled row is a row
/// like any other, inside its bounds, so nothing changes for privacy (data/GUARANTEES.md).
class MissingCells {
 public:
  /// A row with a missing cell is a bad row.
  explicit MissingCells(std::size_t dimension);

  /// For RowReader::on_missing.
  [[nodiscard]] const std::vector<OnMissing>& rules() const { return rules_; }
  /// Whether some column is filled with its released mean.
  [[nodiscard]] bool uses_means() const;
  /// Fills the cells named in `missing` of a row in the unit box; `means` are in the unit box too.
  void fill(std::span<double> row, std::span<const std::size_t> missing, std::span<const double> means) const;

 private:
  friend class MissingRules;
  std::vector<OnMissing> rules_;
  std::vector<std::optional<double>> values_;  // in the unit box; none: the mean
};

/// As a user writes it: "centre", "mean" or "fail" for all columns, "RAIN=0,CO=800" for some, or both,
/// "mean,RAIN=0". Columns that nothing is said of keep OnMissing::bad_row.
class MissingRules {
 public:
  /// Throws InvalidParameter("missing", ...).
  static MissingRules parse(std::string_view text);
  /// For these columns. Throws InvalidParameter("missing", ...) where one named is not among them or its
  /// value is outside its bounds.
  [[nodiscard]] MissingCells of(const std::vector<std::string>& columns, const ColumnBounds& bounds) const;

 private:
  enum class Rest { bad_row, fail, centre, mean };
  struct Value {
    std::string column;
    double value;
  };
  Rest rest_ = Rest::bad_row;
  std::vector<Value> values_;
};

}  // namespace jme
