#include "data/piece_cutter.hpp"

#include <algorithm>

#include <jme/base/errors.hpp>

namespace jme::data {
PieceCutter::PieceCutter(RecordSource& records, std::size_t piece_bytes)
    : bytes_(records.bytes()),
      piece_bytes_(std::max<std::size_t>(piece_bytes, 1)),
      longest_(records.longest()),
      quotes_(records.quotes()) {
  if (quotes_) quoted_ends_.emplace(quotes_->delimiter());
  const std::string_view rest = records.rest();
  carry_.assign(rest.begin(), rest.end());
}

bool PieceCutter::cut(Piece& piece) {
  piece.size = piece.lines_before = 0;
  piece.is_cut_off = false;
  if (left_ == 0) return false;
  if (skips_) skip_cut_off(piece.lines_before);
  piece.size = carry_.size();
  if (piece.bytes.size() < piece.size + RecordSource::padding)
    piece.bytes.resize(piece.size + RecordSource::padding);
  std::copy(carry_.begin(), carry_.end(), piece.bytes.begin());
  carry_.clear();
  if (quoted_ends_) quoted_ends_->begin();
  std::size_t end = 0, passed = 0;
  for (;;) {
    end = std::max(end, last_end(piece, passed));
    passed = piece.size;
    if (end > 0 && (piece.size >= piece_bytes_ || broken_ || left_ == 0)) {
      take_first(piece, end);
      return true;
    }
    if (end == 0 && piece.size > longest_) {
      cut_off(piece);
      return true;
    }
    if (broken_) std::rethrow_exception(broken_);
    if (ended_) break;
    read_more(piece);
  }
  return piece.size > 0;
}

std::size_t PieceCutter::last_end(const Piece& piece, std::size_t passed) {
  if (quoted_ends_) return quoted_ends_->pass(piece.text(), passed, left_);
  const std::size_t end = last_feed(piece.text().substr(passed));
  return end == 0 ? 0 : passed + end;
}

// After the last line feed up to which lines may be cut.
std::size_t PieceCutter::last_feed(std::string_view text) {
  if (!left_) return text.rfind('\n') + 1;
  std::size_t end = 0;
  for (std::size_t feed = 0; *left_ > 0 && (feed = text.find('\n', end)) != std::string_view::npos; --*left_)
    end = feed + 1;
  return end;
}

// What is broken is told after the records before it.
void PieceCutter::read_more(Piece& piece) {
  const std::size_t wanted =
      piece.size < piece_bytes_ ? piece_bytes_ : std::min(2 * piece.size, longest_ + 1);
  if (piece.bytes.size() < wanted + RecordSource::padding) piece.bytes.resize(wanted + RecordSource::padding);
  try {
    while (piece.size < wanted) {
      const std::size_t count = bytes_.read({piece.bytes.data() + piece.size, wanted - piece.size});
      piece.size += count;
      if (count > 0) continue;
      ended_ = true;
      return;
    }
  } catch (const DataError&) {
    ended_ = true;
    broken_ = std::current_exception();
  }
}

void PieceCutter::take_first(Piece& piece, std::size_t size) {
  carry_.assign(piece.bytes.begin() + static_cast<std::ptrdiff_t>(size),
                piece.bytes.begin() + static_cast<std::ptrdiff_t>(piece.size));
  piece.size = size;
}

void PieceCutter::cut_off(Piece& piece) {
  take_first(piece, longest_ + 1);
  piece.is_cut_off = skips_ = true;
  if (left_) --*left_;
  if (!quotes_) return;
  quotes_->begin_record();
  quotes_->pass(piece.text());  // its line feeds are all inside quotes
}

// The rest of a record of which a piece has the beginning goes by.
void PieceCutter::skip_cut_off(std::size_t& lines) {
  constexpr std::size_t read_at_once = std::size_t{1} << 16;
  for (;;) {
    std::string_view text(carry_.data(), carry_.size());
    for (;;) {
      const std::size_t feed = std::min(text.find('\n'), text.size());
      if (quotes_) quotes_->pass(text.substr(0, feed));
      if (feed == text.size()) break;
      ++lines;
      text.remove_prefix(feed + 1);
      if (quotes_ && quotes_->is_open()) continue;
      carry_.erase(carry_.begin(), carry_.end() - static_cast<std::ptrdiff_t>(text.size()));
      skips_ = false;
      return;
    }
    carry_.clear();
    if (broken_) std::rethrow_exception(broken_);
    if (!ended_) {
      carry_.resize(read_at_once);
      carry_.resize(bytes_.read(carry_));
      ended_ = carry_.empty();
    }
    if (!ended_) continue;
    skips_ = false;
    has_unclosed_quote_ = quotes_ && quotes_->is_open();
    return;
  }
}

}  // namespace jme::data
