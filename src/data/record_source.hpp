#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"
#include "data/quote_scanner.hpp"

namespace jme::data {

/// The records of a text file: its lines, or with Records::quoted its lines joined while a quote is open. A
/// line ends with LF or CRLF; bytes after the last LF are a line too. A byte order mark at the start is left
/// out. Every record is given, including blank ones, and nothing in a record changes another record. Records
/// of a RecordFeed are taken as they come, but for a line end.
class RecordSource {
 public:
  /// Bytes that may be read (not used) past a record's end, as simdjson does.
  static constexpr std::size_t padding = 64;

  RecordSource(const std::string& path, const InputOptions& options);

  /// The next record; false at the end. Throws DataError where the file ends inside a quoted cell.
  bool next();

  /// Without its line end; valid until the next call of next(). Empty if it is too long.
  [[nodiscard]] std::string_view text() const;
  /// The bytes that are at hand: all, or the beginning of a record that is too long.
  [[nodiscard]] std::string_view beginning() const {
    return too_long_ ? std::string_view(buffer_.data() + begin_, filled_ - begin_) : text();
  }
  /// Whether it is too long, has a NUL byte, or has no value at all.
  [[nodiscard]] bool is_broken() const { return too_long_ || has_nul_ || no_value_; }
  [[nodiscard]] bool has_no_value() const { return no_value_; }
  /// Whether it has more bytes than InputOptions::longest_record allows.
  [[nodiscard]] bool is_too_long() const { return too_long_; }
  [[nodiscard]] std::size_t longest() const { return longest_; }
  /// 1-based number of its (first) line.
  [[nodiscard]] std::size_t line() const { return line_; }

  [[nodiscard]] const std::string& name() const { return bytes_.name(); }
  /// Where the records come from, where that is no file.
  [[nodiscard]] const RecordFeed* feed() const { return feed_; }
  [[nodiscard]] std::optional<double> progress() const {
    return feed_ != nullptr ? std::nullopt : bytes_.progress();
  }

 private:
  enum class Taken { line, nothing, too_much };

  bool take_fed();
  Taken take_line(std::size_t from);
  Taken join_lines();
  void leave_out_byte_order_mark();
  void skip_rest();
  bool refill();
  void find_nul(std::size_t from);
  [[noreturn]] void refuse_open_quote() const;

  ByteSource bytes_;
  std::size_t longest_;
  std::optional<QuoteScanner> quotes_;  // none: records are lines
  std::vector<char> buffer_;            // at most one byte more than the longest record, and the padding
  std::size_t filled_ = 0;              // valid bytes of buffer_
  std::size_t begin_ = 0, end_ = 0;     // the current record, line end excluded
  std::size_t next_ = 0;                // where the following one starts
  std::size_t unfinished_ = 0;  // of a record that is too long: where its last line in the buffer starts
  std::size_t nul_;             // first NUL byte of the records not yet given
  bool too_long_ = false, has_nul_ = false, no_value_ = false;
  RecordFeed* feed_;  // null: the bytes of a file
  std::size_t line_ = 0;
  std::size_t lines_taken_ = 0;
};

}  // namespace jme::data
