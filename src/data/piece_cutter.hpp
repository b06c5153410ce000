#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <vector>

#include "data/quote_scanner.hpp"
#include "data/quoted_ends.hpp"
#include "data/record_source.hpp"

namespace jme::data {

/// Bytes of a text from the beginning of a record to the end of another.
struct Piece {
  std::vector<char> bytes{};  ///< and what is readable after them
  std::size_t size = 0;
  bool is_cut_off = false;       ///< the last record is too long, and only its beginning is here
  std::size_t lines_before = 0;  ///< of the rest of a record that was cut off in the piece before

  [[nodiscard]] std::string_view text() const { return {bytes.data(), size}; }
};

/// Cuts the rest of a text into pieces that can be parsed apart from each other. A piece has about as many
/// bytes as asked for, but at least one record, and one byte more than the longest record allowed at most.
class PieceCutter {
 public:
  /// Goes on where `records` stands, which must live as long as the cutter and not be used by others.
  PieceCutter(RecordSource& records, std::size_t piece_bytes);

  /// From here on at most so many records are cut; cut() returns false after them.
  void limit(std::optional<std::uint64_t> records) { left_ = records; }
  /// The next piece; false at the end. Throws DataError where the file is broken, after the pieces with all
  /// records before that.
  bool cut(Piece& piece);
  /// Whether the text ended inside a quoted cell of a record that was cut off.
  [[nodiscard]] bool has_unclosed_quote() const { return has_unclosed_quote_; }
  /// Whether cut() has nothing more to read.
  [[nodiscard]] bool is_at_end() const {
    return left_ == 0 || (ended_ && carry_.empty() && !skips_ && !broken_);
  }

 private:
  std::size_t last_end(const Piece& piece, std::size_t passed);
  std::size_t last_feed(std::string_view text);
  void read_more(Piece& piece);
  void take_first(Piece& piece, std::size_t size);
  void cut_off(Piece& piece);
  void skip_cut_off(std::size_t& lines);

  ByteSource& bytes_;
  std::size_t piece_bytes_, longest_;
  std::optional<QuoteScanner> quotes_;     // of a record that was cut off
  std::optional<QuotedEnds> quoted_ends_;  // none: records are lines
  std::vector<char> carry_;                // bytes after the last piece
  std::optional<std::uint64_t> left_{};    // records that may be cut
  bool ended_ = false, skips_ = false, has_unclosed_quote_ = false;
  std::exception_ptr broken_{};
};

}  // namespace jme::data
