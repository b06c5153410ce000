#pragma once

#include <string_view>

namespace jme::data {

/// Follows the quotes of a CSV record, piece by piece: where the record is inside a quoted cell, a line feed
/// does not end it. What is a cell is decided as in CsvSplitter.
class QuoteScanner {
 public:
  explicit QuoteScanner(char delimiter) : delimiter_(delimiter) {}

  void begin_record() { state_ = State::cell_begins; }
  void pass(std::string_view piece);
  [[nodiscard]] char delimiter() const { return delimiter_; }
  [[nodiscard]] bool is_open() const { return state_ == State::quoted; }

 private:
  enum class State { cell_begins, plain, quoted, quote_in_quoted };

  char delimiter_;
  State state_ = State::cell_begins;
};

}  // namespace jme::data
