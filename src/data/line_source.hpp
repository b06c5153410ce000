#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace jme::data {

/// The lines of a text file: LF or CRLF, a byte order mark and blank lines at the end ignored, NUL bytes
/// refused.
class LineSource {
 public:
  /// Bytes that may be read (not used) past a line's end, as simdjson does.
  static constexpr std::size_t padding = 64;
  /// Longer lines are an error: they would otherwise fill the memory before they end.
  static constexpr std::size_t longest_line = std::size_t{1} << 26;

  explicit LineSource(const std::string& path, BeforeRead before_read = {});

  /// The next line that is not blank; false at the end.
  bool next();
  /// Joins the following line, which a quoted field has run into, to this one; false at the end.
  /// Either way text() may have moved.
  bool extend();

  /// Without its line end; valid until the next call of next() or extend().
  [[nodiscard]] std::string_view text() const;
  /// 1-based number of the (first) line.
  [[nodiscard]] std::size_t line() const { return line_; }
  /// How many blank lines stand just before it.
  [[nodiscard]] std::size_t blank_lines_before() const { return blank_lines_before_; }

  [[nodiscard]] const std::string& name() const { return bytes_.name(); }
  [[nodiscard]] std::optional<double> progress() const { return bytes_.progress(); }

 private:
  bool take_line(std::size_t from);
  bool refill();
  void refuse_nul_before(std::size_t end) const;

  ByteSource bytes_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;           // valid bytes of buffer_
  std::size_t begin_ = 0, end_ = 0;  // the current text, line end excluded
  std::size_t next_ = 0;             // where the following line starts
  std::size_t nul_;                  // first NUL byte seen ahead
  std::size_t line_ = 0;
  std::size_t lines_taken_ = 0;
  std::size_t blank_lines_before_ = 0;
};

}  // namespace jme::data
