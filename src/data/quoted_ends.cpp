#include "data/quoted_ends.hpp"

#include <algorithm>

#include "data/csv_kernels.hpp"

namespace jme::data {

void QuotedEnds::begin() {
  state_ = State::cell_begins;
  at_ = 0;
}

std::size_t QuotedEnds::pass(std::string_view text, std::size_t passed, std::optional<std::uint64_t>& most) {
  constexpr std::size_t at_once = std::size_t{1} << 13;
  marks_.resize(at_once + mark_padding);
  std::size_t end = 0;
  for (; passed < text.size(); passed += at_once) {
    const std::size_t count = find_marks(text.substr(passed, at_once), delimiter_, 0, marks_.data());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = passed + marks_[i];
      const char mark = text[place];
      const bool is_next = place == at_;
      at_ = place + 1;
      if (state_ == State::quoted) {
        if (mark == '"') state_ = State::quote_in_quoted;
        continue;
      }
      const bool may_quote = is_next && state_ != State::plain;  // opens a cell, or goes on with one
      if (mark == '\n' || mark == delimiter_) {
        state_ = State::cell_begins;
      } else {
        state_ = mark == '"' && may_quote ? State::quoted : State::plain;
      }
      if (mark != '\n') continue;
      end = place + 1;
      if (most && --*most == 0) return end;
    }
  }
  return end;
}

}  // namespace jme::data
