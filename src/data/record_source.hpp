#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"
#include "data/quote_scanner.hpp"

namespace jme::data {

/// The complaint about a file that ends inside a quoted cell of the record at this line.
[[nodiscard]] std::string unclosed_quote(const std::string& name, std::size_t line);

/// The records of a text file: its lines, or with Records::quoted its lines joined while a quote is open. A
/// line ends with LF or CRLF; bytes after the last LF are a line too. A byte order mark at the start is left
/// out. Every record is given, including blank ones, and nothing in a record changes another record.
class RecordSource {
 public:
  /// Bytes that may be read (not used) past a record's end, as simdjson does.
  static constexpr std::size_t padding = 64;

  RecordSource(const std::string& path, const InputOptions& options);
  /// For pieces of the same text that are in memory. Their lines are counted from 1, and none begins the
  /// input.
  [[nodiscard]] RecordSource for_pieces() const { return {longest_, quotes_}; }
  /// Goes on with a piece that begins where a record does and has `padding` readable bytes after it.
  /// `is_cut_off`: its last record is too long, and the rest of it is in no piece.
  void take_piece(std::string_view piece, bool is_cut_off);

  /// For records that come one by one from elsewhere.
  [[nodiscard]] static RecordSource of_single_records(std::size_t longest) { return {longest, std::nullopt}; }
  /// Goes to such a record, which may have a line end, or no value.
  void take_record(std::optional<std::string_view> given);

  /// The next record; false at the end. Where a file ends inside a quoted cell, throws DataError; where a
  /// piece does, returns false.
  bool next();
  /// Whether a piece ended inside a quoted cell, in the record whose line() it is.
  [[nodiscard]] bool has_unclosed_quote() const { return has_unclosed_quote_; }

  /// Without its line end; valid until the next call of next(). Empty if it is too long.
  [[nodiscard]] std::string_view text() const;
  /// The bytes that are at hand: all, or the beginning of a record that is too long.
  [[nodiscard]] std::string_view beginning() const {
    return too_long_ ? std::string_view(data_ + begin_, std::min(filled_ - begin_, longest_ + 1)) : text();
  }
  /// Whether it is too long, has a NUL byte, or has no value at all.
  [[nodiscard]] bool is_broken() const { return too_long_ || has_nul_ || no_value_; }
  [[nodiscard]] bool has_no_value() const { return no_value_; }
  /// Whether it has more bytes than InputOptions::longest_record allows.
  [[nodiscard]] bool is_too_long() const { return too_long_; }
  [[nodiscard]] std::size_t longest() const { return longest_; }
  /// 1-based number of its (first) line.
  [[nodiscard]] std::size_t line() const { return line_; }
  /// How many lines were read, and whether each record is one of them.
  [[nodiscard]] std::size_t lines_taken() const { return lines_taken_; }
  [[nodiscard]] bool has_lines() const { return !quotes_; }
  /// Whether the first bytes of the input are in it.
  [[nodiscard]] bool begins_input() const { return line_ == 1 && !is_piece_; }

  /// The bytes after the record that are at hand, with `padding` more that may be read.
  [[nodiscard]] std::string_view rest() const {
    return too_long_ ? std::string_view() : std::string_view(data_ + next_, filled_ - next_);
  }
  /// Goes on over `lines` records of the rest that are lines, not too long and without NUL bytes or quotes.
  /// [begin, feed): the last of them; its line feed is there.
  void pass(std::size_t lines, const char* begin, const char* feed);
  /// How often rest() became other bytes than those that were left of it.
  [[nodiscard]] std::size_t fills() const { return fills_; }
  /// Whether the next record is at hand as a whole, so that next() does not have to wait.
  [[nodiscard]] bool is_at_hand() const;
  /// For a reader that goes on with the bytes after this record itself: reads to the end of the record.
  void finish_record();

  /// Where the bytes come from, where they are those of an input as a whole.
  [[nodiscard]] ByteSource& bytes() { return *bytes_; }
  [[nodiscard]] const ByteSource& bytes() const { return *bytes_; }
  [[nodiscard]] const std::optional<QuoteScanner>& quotes() const { return quotes_; }
  [[nodiscard]] const std::string& name() const { return bytes_->name(); }
  [[nodiscard]] std::optional<double> progress() const { return bytes_->progress(); }

 private:
  enum class Taken { line, nothing, too_much };

  RecordSource(std::size_t longest, const std::optional<QuoteScanner>& quotes);

  Taken take_line(std::size_t from);
  Taken join_lines();
  void leave_out_byte_order_mark();
  void skip_rest();
  bool refill();
  void find_nul(std::size_t from);
  void refuse_open_quote();

  std::unique_ptr<ByteSource> bytes_;  // none: pieces and single records
  std::size_t longest_;
  std::optional<QuoteScanner> quotes_;  // none: records are lines
  std::vector<char> buffer_;            // at most one byte more than the longest record, and the padding
  const char* data_;                    // of the buffer or the piece
  std::size_t filled_ = 0;              // valid bytes of data_
  std::size_t begin_ = 0, end_ = 0;     // the current record, line end excluded
  std::size_t next_ = 0;                // where the following one starts
  std::size_t unfinished_ = 0;  // of a record that is too long: where its last line in the buffer starts
  std::size_t nul_;             // first NUL byte of the records not yet given
  bool too_long_ = false, has_nul_ = false, no_value_ = false;
  bool is_piece_ = false, is_cut_off_ = false, has_unclosed_quote_ = false;
  std::size_t line_ = 0;
  std::size_t lines_taken_ = 0;
  std::size_t fills_ = 0;
};

}  // namespace jme::data
