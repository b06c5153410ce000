#include "data/quote_scanner.hpp"

#include <algorithm>

namespace jme::data {

void QuoteScanner::pass(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size(); ++at) {
    if (state_ == State::plain) at = std::min(piece.find(delimiter_, at), piece.size());
    if (state_ == State::quoted) at = std::min(piece.find('"', at), piece.size());
    if (at == piece.size()) return;
    const bool quote = piece[at] == '"', delimiter = piece[at] == delimiter_;
    switch (state_) {
      case State::cell_begins:
      case State::quote_in_quoted:  // a doubled quote, or the end of the cell
        state_ = quote ? State::quoted : (delimiter ? State::cell_begins : State::plain);
        break;
      case State::plain:
        state_ = State::cell_begins;
        break;
      case State::quoted:
        state_ = State::quote_in_quoted;
        break;
    }
  }
}

}  // namespace jme::data
