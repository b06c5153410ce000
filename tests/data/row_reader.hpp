#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <jme/data/input_reader.hpp>

#include "data/columns_with_numbers.hpp"
#include "data/file_name.hpp"
#include "data/formats.hpp"
#include "data/text_input.hpp"

namespace jme {

/// The rows of an input one by one, as the simplest reader would give them: each record is cut from the text
/// and parsed by itself. What InputReader gives in batches is held against it.
class RowReader {
 public:
  RowReader(const std::string& path, InputOptions options) : on_bad_row_(options.on_bad_row) {
    const InputFormat format = input_format(path, options);
    data::check_options(format, options);
    if (format == InputFormat::npy) {
      npy_ = open_input(path, options);
      return;
    }
    if (options.delimiter == ',' && data::extension(path) == ".tsv") options.delimiter = '\t';
    text_.emplace(format == InputFormat::csv ? data::open_csv(path, options)
                                             : data::open_ndjson(path, options));
    with_numbers_ = data::ColumnsWithNumbers(dimension());
    on_missing(std::vector<OnMissing>(dimension(), OnMissing::bad_row));
  }

  [[nodiscard]] const std::vector<std::string>& columns() const {
    return text_ ? text_->parser->columns() : npy_->columns();
  }
  [[nodiscard]] std::size_t dimension() const { return columns().size(); }
  void on_missing(std::vector<OnMissing> rules) {
    if (rules.size() != dimension()) throw InvalidParameter("missing", "must have a rule for each column");
    rules_ = std::move(rules);
    if (text_) text_->parser->on_missing(rules_);
  }

  /// A missing cell that is to be filled is NaN in the batch, and 0 in the row.
  bool next(std::span<double> row) {
    if (row.size() != dimension())
      throw InvalidParameter("row", "must have room for a number of each column");
    if (error_) throw *error_;
    try {
      if (!next()) return false;
    } catch (const DataError& error) {
      error_ = error;
      throw;
    }
    missing_.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (std::isnan(batch_.row(0)[i])) missing_.push_back(i);
      row[i] = std::isnan(batch_.row(0)[i]) ? 0 : batch_.row(0)[i];
    }
    return true;
  }
  [[nodiscard]] std::span<const std::size_t> missing_cells() const { return missing_; }
  /// The row last read, as InputReader gives it.
  [[nodiscard]] const RowBatch& batch() const { return batch_; }
  [[nodiscard]] bool is_bad() const { return is_refused_ || (batch_.rows() > 0 && batch_.is_bad(0)); }
  [[nodiscard]] std::size_t bad_rows() const { return bad_rows_; }
  [[nodiscard]] bool is_bad_like_others() const { return cause() == BadRecord::Cause::of_the_input; }
  [[nodiscard]] bool is_bad_for_column_of_text() const { return cause() == BadRecord::Cause::column_of_text; }
  [[nodiscard]] bool is_bad_for_missing_cell() const { return cause() == BadRecord::Cause::missing_cell; }
  [[nodiscard]] std::optional<std::string_view> person() const {
    return text_ ? text_->parser->person() : std::nullopt;
  }
  [[nodiscard]] std::optional<Seconds> time() const { return text_ ? text_->parser->time() : batch_.time(0); }
  [[nodiscard]] std::string record() const {
    return std::string(text_ ? text_->records.beginning() : batch_.record(0).value_or(""));
  }
  [[nodiscard]] std::optional<double> progress() const {
    return text_ ? text_->records.progress() : npy_->progress();
  }
  [[nodiscard]] std::size_t line() const { return text_ ? line_ : rows_; }
  [[nodiscard]] std::string place() const {
    if (npy_) return npy_->place();
    return line_ == 0 ? text_->records.name() : fmt::format("{}:{}", text_->records.name(), line_);
  }

 private:
  [[nodiscard]] std::optional<BadRecord::Cause> cause() const { return cause_; }

  bool next() {
    cause_.reset();
    batch_.clear(dimension());
    const bool has_row = text_ ? next_of_text() : next_of_npy();
    if (has_row) ++rows_;
    if (has_row && batch_.is_bad(0)) ++bad_rows_;
    return has_row;
  }

  bool next_of_npy() {
    npy_->begin({.missing = rules_, .rows = 1, .tells_records = true});
    return npy_->next(batch_);
  }

  bool next_of_text() {
    auto& [records, parser, is_held] = *text_;
    if (!std::exchange(is_held, false) && !records.next()) return false;
    line_ = records.line();
    batch_.clear(dimension());
    batch_.add_unset_rows(1);
    if (parser->add(records, batch_, 0) == data::RowStatus::good) {
      with_numbers_->add(batch_.row(0));
      return true;
    }
    const data::RowProblem& problem = parser->problem();
    const BadRecord error = data::bad_record(place(), rows_ + 1, problem, parser->explain_problem(),
                                             with_numbers_->is_without(problem));
    cause_ = error.cause();
    if (!parser->must_fail(on_bad_row_)) return true;
    is_refused_ = true;
    ++bad_rows_;
    throw error;
  }

  OnBadRow on_bad_row_;
  std::vector<OnMissing> rules_{};
  std::optional<data::TextInput> text_{};
  std::unique_ptr<InputReader> npy_{};
  std::optional<data::ColumnsWithNumbers> with_numbers_{};
  RowBatch batch_{};
  std::vector<std::size_t> missing_{};
  std::optional<BadRecord::Cause> cause_{};
  std::optional<DataError> error_{};
  std::size_t rows_ = 0, bad_rows_ = 0, line_ = 0;
  bool is_refused_ = false;
};

}  // namespace jme
