#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/line_source.hpp"

namespace jme::data {

/// Cuts a CSV record into cells (RFC 4180): a cell that starts with a quote may hold delimiters, doubled
/// quotes and line breaks. A quote later in a cell is a character like others.
class CsvSplitter {
 public:
  /// With `one_line` a quote that its line does not close makes a bad record instead of joining the next
  /// line: where bad rows count as zero, no row may swallow its neighbours.
  CsvSplitter(char delimiter, bool one_line) : delimiter_(delimiter), one_line_(one_line) {}

  /// Cuts the current line of `lines`, and joins lines to it while a quote is open. Keeps at most `most_kept`
  /// cells, but counts all. Throws DataError where a quote is never closed.
  void split(LineSource& lines, std::size_t most_kept);

  [[nodiscard]] std::size_t count() const { return count_; }
  /// The cell as written, without the quotes around it.
  [[nodiscard]] std::string_view cell(std::size_t index) const {
    return text_.substr(cells_[index].begin, cells_[index].end - cells_[index].begin);
  }
  /// The cell as meant: doubled quotes undone, or blanks around an unquoted one removed.
  [[nodiscard]] std::string unescaped(std::size_t index) const;
  /// Whether something other than blanks stood between a closing quote and the delimiter, or (one_line) a
  /// quote was not closed.
  [[nodiscard]] bool has_stray_text() const { return stray_text_; }

 private:
  struct Cell {
    std::uint32_t begin, end;
    bool quoted;
  };

  void keep(std::size_t begin, std::size_t end, bool quoted);
  void split_plain();
  void split_quoted(LineSource& lines);
  std::size_t closing_quote(LineSource& lines, std::size_t from);

  char delimiter_;
  bool one_line_;
  std::size_t most_kept_ = 0;
  std::string_view text_;
  std::vector<Cell> cells_;
  std::size_t count_ = 0;
  bool stray_text_ = false;
};

}  // namespace jme::data
