#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jme/data/row_reader.hpp>

#include "data/row_problem.hpp"

namespace jme::data {

enum class RowStatus { good, bad, end };

/// What a parser says of the row that it read last, beside its cells.
class ParsedRow {
 public:
  virtual ~ParsedRow() = default;

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// One rule per column.
  void on_missing(std::vector<OnMissing> rules) { rules_ = std::move(rules); }
  [[nodiscard]] const std::vector<OnMissing>& rules() const { return rules_; }
  /// Cells that were missing where that is allowed; they are NaN.
  [[nodiscard]] const std::vector<std::size_t>& missing_cells() const { return missing_; }
  void forget_missing_cells() { missing_.clear(); }
  /// Whose record it is; none where that cannot be told.
  [[nodiscard]] std::optional<std::string_view> person() const {
    return has_person_ ? std::optional<std::string_view>(person_) : std::nullopt;
  }
  /// Of a row whose time was asked for and can be told: where it is bad, too, unless it is not well formed.
  [[nodiscard]] std::optional<Seconds> time() const { return time_; }
  /// Before the next row.
  void forget() {
    missing_.clear();
    forget_person();
    forget_time();
  }
  [[nodiscard]] const RowProblem& problem() const { return problem_; }
  /// The problem in words.
  [[nodiscard]] std::string explain_problem() const;
  /// Whether a bad row ends the reading: by choice, or for a missing cell of a column where that is an error.
  [[nodiscard]] bool must_fail(OnBadRow on_bad_row) const {
    return on_bad_row == OnBadRow::fail || (problem_.is_missing && problem_.column < rules_.size() &&
                                            rules_[problem_.column] == OnMissing::fail);
  }

 protected:
  ParsedRow() = default;
  ParsedRow(const ParsedRow&) = default;
  ParsedRow& operator=(const ParsedRow&) = default;

  RowStatus bad(const RowProblem& problem) {
    problem_ = problem;
    return RowStatus::bad;
  }
  [[nodiscard]] bool may_be_missing(std::size_t column) const {
    return column < rules_.size() && rules_[column] == OnMissing::fill;
  }
  /// Takes note of a cell that is not a number. True where it is missing and that is allowed: then the row
  /// goes on.
  bool forgive(std::size_t column, bool is_missing, std::span<double> row) {
    if (!is_missing || !may_be_missing(column)) return false;
    missing_.push_back(column);
    row[column] = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  /// An id that stands for a missing value is nobody's: else strangers would share it.
  void set_person(std::string_view id) {
    has_person_ = !is_missing(id);
    if (has_person_) person_.assign(id);
  }
  void forget_person() { has_person_ = false; }
  void forget_time() { time_.reset(); }
  /// How many cells a row must have, in words: "the header has 2".
  [[nodiscard]] virtual std::string width_rule() const { return ""; }

  std::vector<std::string> columns_;
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
