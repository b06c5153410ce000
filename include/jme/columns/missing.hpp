#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <jme/columns/bounds.hpp>

namespace jme {

/// What to do with a bad row: a row with a missing cell, text, NaN, infinity, the wrong width or a NUL byte,
/// or one that is blank, not JSON or too long. zero: it still counts as one row, of zeros.
enum class OnBadRow { fail, zero };

/// What to do with a missing cell: blank, NA, N/A, NaN or null in CSV; null, NaN or an absent key in NDJSON;
/// NaN in .npy and in arrays; every cell of a blank line. bad_row: as OnBadRow says; fail: always an error;
/// fill: the row is good.
enum class OnMissing { bad_row, fail, fill };

/// What the missing cells of each column become. It is public and chosen before the data: a filled row is a
/// row like any other, inside its bounds, so nothing changes for privacy (pipeline/GUARANTEES.md).
class MissingCells {
 public:
  /// A row with a missing cell is a bad row.
  explicit MissingCells(std::size_t dimension);

  /// For InputReader::Part.
  [[nodiscard]] const std::vector<OnMissing>& rules() const { return rules_; }
  /// Where a column's fills come from: a value, its released mean, or what the released mean and covariance
  /// say of it given the other cells of the row; or the cell stays absent.
  enum class From { value, mean, model, nowhere };
  [[nodiscard]] From from(std::size_t column) const { return from_[column]; }
  /// From::value: the value in the unit box.
  [[nodiscard]] double value(std::size_t column) const { return values_[column]; }
  /// Whether some column is filled from there.
  [[nodiscard]] bool uses(From from) const;

 private:
  friend class MissingRules;
  std::vector<OnMissing> rules_;
  std::vector<From> from_;
  std::vector<double> values_;
};

/// As a user writes it: "centre", "mean", "model", "observed" or "fail" for all columns, "RAIN=0,CO=800" for
/// some, or both, "mean,RAIN=0". Columns that are not mentioned keep OnMissing::bad_row.
class MissingRules {
 public:
  /// Throws InvalidParameter("missing", ...).
  static MissingRules parse(std::string_view text);
  /// As it was written; empty where nothing was written.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Whether the columns that are not named are filled by the model.
  [[nodiscard]] bool uses_model() const { return rest_ == Rest::model; }
  /// Whether they are filled from releases, by mean or model.
  [[nodiscard]] bool uses_releases() const { return rest_ == Rest::mean || rest_ == Rest::model; }
  /// Whether they stay absent, so that results are over the cells that are there.
  [[nodiscard]] bool leaves_absent() const { return rest_ == Rest::observed; }
  /// The rules for these columns. Throws InvalidParameter("missing", ...) where a named column is not among
  /// them, or where its value is outside its bounds.
  [[nodiscard]] MissingCells of(const std::vector<std::string>& columns, const ColumnBounds& bounds) const;

 private:
  enum class Rest { bad_row, fail, centre, mean, model, observed };
  struct Value {
    std::string column;
    double value;
  };
  std::string text_;
  Rest rest_ = Rest::bad_row;
  std::vector<Value> values_;
};

}  // namespace jme
