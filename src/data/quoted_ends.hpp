#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace jme::data {

/// Finds where records end whose quoted cells may hold line breaks, many bytes at a time. What is a cell is
/// decided as in QuoteScanner.
class QuotedEnds {
 public:
  explicit QuotedEnds(char delimiter) : delimiter_(delimiter) {}

  /// At the beginning of a record and of a text.
  void begin();
  /// Goes on over text[passed, text.size()), where `passed` bytes were passed already. Returns where the last
  /// record that ends in those ends, after its line feed; 0 where none does. `most`: goes over so many ends
  /// at most, and takes them off.
  std::size_t pass(std::string_view text, std::size_t passed, std::optional<std::uint64_t>& most);

 private:
  enum class State : std::uint8_t { cell_begins, plain, quoted, quote_in_quoted };

  char delimiter_;
  State state_ = State::cell_begins;
  std::size_t at_ = 0;  // where the state holds: after the last mark
  std::vector<std::uint32_t> marks_{};
};

}  // namespace jme::data
