#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/record_parser.hpp"
#include "data/row_source.hpp"

namespace jme::data {

/// Rows that are records of text, one row per record.
class TextRows final : public RowSource {
 public:
  TextRows(const std::string& path, const InputOptions& options)
      : records_(path, options), may_be_empty_(options.may_be_empty) {}

  /// The first record that is not blank, as a header; a bad record is an error. Its place is current_place().
  [[nodiscard]] std::string_view read_header();
  /// "file:line" of the record last read.
  [[nodiscard]] std::string current_place() const;
  /// Reads up to the first row; throws DataError where there is none and there must be one.
  void expect_rows(std::unique_ptr<RecordParser> parser);

  RowStatus next(std::span<double> row) override;
  [[nodiscard]] ParsedRow& parsed() override { return *parser_; }
  [[nodiscard]] std::string place() const override;
  [[nodiscard]] std::string record() const override { return std::string(records_.beginning()); }
  [[nodiscard]] std::optional<double> progress() const override { return records_.progress(); }

  [[nodiscard]] bool may_wait() const override {
    return records_.feed() != nullptr || records_.bytes().may_wait();
  }
  [[nodiscard]] TextRows* as_text() override { return this; }

  /// For readers of many records at a time, after the first of the rows.
  [[nodiscard]] RecordSource& records() { return records_; }
  [[nodiscard]] const RecordSource& records() const { return records_; }
  [[nodiscard]] RecordParser& parser() { return *parser_; }
  [[nodiscard]] const RecordParser& parser() const { return *parser_; }

 private:
  void hold_next_record();

  RecordSource records_;
  std::unique_ptr<RecordParser> parser_;
  bool may_be_empty_;
  bool held_ = false;  // the record last read is still to be given
};

}  // namespace jme::data
