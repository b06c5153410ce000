#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/record_source.hpp"
#include "data/row_source.hpp"

namespace jme::data {

/// Rows that are records of text, one row per record: a blank record is a row whose cells are all missing; a
/// record that is too long, has a NUL byte or no value is a bad row.
class TextRows : public RowSource {
 public:
  TextRows(const std::string& path, const InputOptions& options)
      : records_(path, options), may_be_empty_(options.may_be_empty), needs_time_(options.time.has_value()) {}

  RowStatus next(std::span<double> row) final;
  [[nodiscard]] std::string place() const final;
  [[nodiscard]] std::string record() const final { return std::string(records_.beginning()); }
  [[nodiscard]] std::optional<double> progress() const final { return records_.progress(); }

 protected:
  /// Reads a record that is text and not blank.
  virtual RowStatus parse(std::string_view record, std::span<double> row) = 0;
  /// Looks for the id of a record that is too long, of which these bytes are the beginning, or that has a NUL
  /// byte.
  virtual void find_person_of_broken(std::string_view /*beginning*/) {}
  /// The first record that is not blank, as a header; a bad record is an error. Its place is current_place().
  [[nodiscard]] std::string_view read_header();
  /// Reads up to the first row; throws DataError where there is none and there must be one.
  void expect_rows();
  /// "file:line" of the record last read.
  [[nodiscard]] std::string current_place() const;

 private:
  RowStatus take_record(std::span<double> row);
  RowStatus blank_row(std::span<double> row);
  /// What is wrong with a broken record.
  [[nodiscard]] RowProblem fault() const;
  void hold_next_record();

  RecordSource records_;
  bool may_be_empty_, needs_time_;
  bool held_ = false;  // the record last read is still to be given
};

}  // namespace jme::data
