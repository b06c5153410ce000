#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jme/clock/time.hpp>
#include <jme/columns/missing.hpp>
#include <jme/rows/row_batch.hpp>

#include "data/record_source.hpp"
#include "data/row_problem.hpp"

namespace jme::data {

enum class RowStatus { good, bad };

/// Whether the record has nothing but spaces.
[[nodiscard]] bool is_blank_record(std::string_view record);
/// What is wrong with a broken record.
[[nodiscard]] RowProblem fault_of(const RecordSource& record);

/// Makes a row of each record of a text: a blank record is a row whose cells are all missing; a record that
/// is too long, has a NUL byte or no value is a bad row. One record after the other, for one thread.
class RecordParser {
 public:
  virtual ~RecordParser() = default;
  /// The same for another thread, which has read nothing.
  [[nodiscard]] virtual std::unique_ptr<RecordParser> clone() const = 0;
  /// Reads the columns taken of the record that was taken last; after `bad` the content of `row` means
  /// nothing.
  RowStatus take(const RecordSource& record, std::span<double> row);
  /// The same as a row of a batch, with all that is known about it.
  RowStatus add(const RecordSource& record, RowBatch& batch, std::size_t row);
  /// Takes those of the next records that are at hand, plain and good, all at once, up to the first that is
  /// not, as the rows [first, last) of the batch. Returns how many.
  virtual std::size_t take_plain(RecordSource& /*records*/, RowBatch& /*batch*/, std::size_t /*first*/,
                                 std::size_t /*last*/) {
    return 0;
  }

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  /// One rule per column.
  void on_missing(std::vector<OnMissing> rules) { rules_ = std::move(rules); }
  [[nodiscard]] const std::vector<OnMissing>& rules() const { return rules_; }
  /// Whether batches have the bytes of records.
  void tell_records(bool tells) { tells_records_ = tells; }
  [[nodiscard]] bool tells_records() const { return tells_records_; }
  /// Whose record it is; none where that cannot be told.
  [[nodiscard]] std::optional<std::string_view> person() const {
    return has_person_ ? std::optional<std::string_view>(person_) : std::nullopt;
  }
  /// Of a row whose time was asked for and can be told: where it is bad, too, unless it is not well formed.
  [[nodiscard]] std::optional<Seconds> time() const { return time_; }
  [[nodiscard]] const RowProblem& problem() const { return problem_; }
  /// The problem in words.
  [[nodiscard]] std::string explain_problem() const {
    return explain(problem_, columns_, time_unit_, width_rule());
  }
  /// Whether a bad row ends the reading: by choice, or for a missing cell of a column where that is an error.
  [[nodiscard]] bool must_fail(OnBadRow on_bad_row) const {
    return data::must_fail(problem_, on_bad_row, rules_);
  }

 protected:
  explicit RecordParser(const InputOptions& options) : needs_time_(options.time.has_value()) {}
  RecordParser(const RecordParser&) = default;
  RecordParser& operator=(const RecordParser&) = default;

  /// Reads a record that is text and not blank.
  virtual RowStatus parse(std::string_view record, std::span<double> row) = 0;
  /// Looks for the id of a record that is too long, of which these bytes are the beginning, or that has a NUL
  /// byte.
  virtual void find_person_of_broken(std::string_view /*beginning*/) {}
  RowStatus bad(const RowProblem& problem) {
    problem_ = problem;
    return RowStatus::bad;
  }
  [[nodiscard]] bool may_be_missing(std::size_t column) const {
    return column < rules_.size() && rules_[column] == OnMissing::fill;
  }
  /// What to do with a cell that is not a number. True where it is missing and that is allowed: then it is
  /// NaN, and the row goes on.
  bool forgive(std::size_t column, bool is_missing, std::span<double> row) {
    if (!is_missing || !may_be_missing(column)) return false;
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
  RowStatus take_record(const RecordSource& record, std::span<double> row);
  RowStatus blank_row(std::span<double> row);

  bool needs_time_;
  RowProblem problem_;
  std::vector<OnMissing> rules_;
  bool tells_records_ = false;
  std::string person_;
  bool has_person_ = false;
};

}  // namespace jme::data
