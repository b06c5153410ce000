#include "data/csv_splitter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace jme::data {
namespace {

constexpr std::string_view blanks = " \t";

// The high bit of every byte of `word` that equals the byte repeated in `pattern`, exactly: the sum cannot
// carry from one byte to the next.
constexpr std::uint64_t equal_bytes(std::uint64_t word, std::uint64_t pattern) {
  constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7f;
  const std::uint64_t difference = word ^ pattern;
  return ~(((difference & low_bits) + low_bits) | difference | low_bits);
}

}  // namespace

void CsvSplitter::split(std::string_view record, std::size_t most_kept) {
  most_kept_ = most_kept;
  text_ = record;
  cells_.clear();
  count_ = 0;
  stray_text_ = open_quote_ = quoted_delimiter_ = false;
  first_fault_ = static_cast<std::size_t>(-1);
  if (text_.find('"') == std::string_view::npos)
    split_plain();
  else
    split_quoted();
}

inline void CsvSplitter::keep(std::size_t begin, std::size_t end, bool quoted) {
  if (count_++ < most_kept_)
    cells_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), quoted});
}

void CsvSplitter::split_plain() {
  std::size_t begin = 0;
  std::size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    const std::uint64_t pattern = 0x0101010101010101u * static_cast<unsigned char>(delimiter_);
    for (; at + sizeof(std::uint64_t) <= text_.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text_.data() + at, sizeof word);
      for (std::uint64_t hits = equal_bytes(word, pattern); hits != 0; hits &= hits - 1) {
        const std::size_t end = at + static_cast<std::size_t>(std::countr_zero(hits)) / 8;
        keep(begin, end, false);
        begin = end + 1;
      }
    }
  }
  for (; at < text_.size(); ++at) {
    if (text_[at] != delimiter_) continue;
    keep(begin, at, false);
    begin = at + 1;
  }
  keep(begin, text_.size(), false);
}

void CsvSplitter::split_quoted() {
  for (std::size_t at = 0;; ++at) {
    std::size_t end = 0;
    if (at < text_.size() && text_[at] == '"') {
      const std::size_t close = closing_quote(at + 1);
      keep(at + 1, close, true);
      quoted_delimiter_ = quoted_delimiter_ || text_.substr(at, close - at).find(delimiter_) < close - at;
      if (close == text_.size()) {
        open_quote_ = true;
        first_fault_ = std::min(first_fault_, count_ - 1);
        return;
      }
      end = std::min(text_.find(delimiter_, close + 1), text_.size());
      const std::string_view after = text_.substr(close + 1, end - close - 1);
      if (after.find_first_not_of(blanks) != std::string_view::npos) {
        stray_text_ = true;
        first_fault_ = std::min(first_fault_, count_ - 1);
      }
    } else {
      end = std::min(text_.find(delimiter_, at), text_.size());
      keep(at, end, false);
    }
    if (end == text_.size()) return;
    at = end;
  }
}

// Where the quoted cell that starts at `from` ends; the end of the record if the quote is never closed.
std::size_t CsvSplitter::closing_quote(std::size_t from) const {
  for (;;) {
    const std::size_t quote = text_.find('"', from);
    if (quote == std::string_view::npos) return text_.size();
    if (quote + 1 == text_.size() || text_[quote + 1] != '"') return quote;
    from = quote + 2;
  }
}

std::string CsvSplitter::unescaped(std::size_t index) const {
  std::string_view raw = cell(index);
  if (!cells_[index].quoted) {
    const std::size_t first = std::min(raw.find_first_not_of(blanks), raw.size());
    raw.remove_prefix(first);
    raw.remove_suffix(raw.size() - (raw.find_last_not_of(blanks) + 1));
    return std::string(raw);
  }
  std::string meant;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    meant.push_back(raw[i]);
    if (raw[i] == '"') ++i;  // the second of a doubled quote
  }
  return meant;
}

}  // namespace jme::data
