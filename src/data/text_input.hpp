#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <jme/data/input_options.hpp>

#include "data/record_parser.hpp"
#include "data/record_source.hpp"

namespace jme::data {

/// A text that stands before its first row, and what makes rows of its records.
struct TextInput {
  TextInput(const std::string& path, const InputOptions& options) : records(path, options) {}

  /// The first record that is not blank, as a header; a bad record is an error. Its place is place().
  [[nodiscard]] std::string_view read_header();
  /// Reads up to the first row; throws DataError where there is none and there must be one.
  void expect_rows(std::unique_ptr<RecordParser> of, bool may_be_empty);
  /// "file:line" of the record last read.
  [[nodiscard]] std::string place() const;

  RecordSource records;
  std::unique_ptr<RecordParser> parser{};
  bool is_held = false;  ///< the record last read is the first row

 private:
  void hold_next_record();
};

/// Throw InvalidParameter for options that do not fit the format.
[[nodiscard]] TextInput open_csv(const std::string& path, const InputOptions& options);
[[nodiscard]] TextInput open_ndjson(const std::string& path, const InputOptions& options);
/// For records that come without a header.
[[nodiscard]] std::unique_ptr<RecordParser> csv_parser(const InputOptions& options);
[[nodiscard]] std::unique_ptr<RecordParser> ndjson_parser(const InputOptions& options);

}  // namespace jme::data
