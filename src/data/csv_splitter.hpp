#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jme::data {

/// Cuts a CSV record into cells (RFC 4180): a cell that starts with a quote may hold delimiters, doubled
/// quotes and line breaks. A quote later in a cell is an ordinary character.
class CsvSplitter {
 public:
  explicit CsvSplitter(char delimiter) : delimiter_(delimiter) {}

  /// Keeps at most `most_kept` cells, but counts all. `record` must stay where it is while cells are asked
  /// for.
  void split(std::string_view record, std::size_t most_kept);

  [[nodiscard]] std::size_t count() const { return count_; }
  /// The cell as written, without the quotes around it.
  [[nodiscard]] std::string_view cell(std::size_t index) const {
    return text_.substr(cells_[index].begin, cells_[index].end - cells_[index].begin);
  }
  /// The cell's meaning: doubled quotes become single ones, or blanks around an unquoted cell are removed.
  [[nodiscard]] std::string unescaped(std::size_t index) const;
  /// Whether something other than blanks stood between a closing quote and the delimiter.
  [[nodiscard]] bool has_stray_text() const { return stray_text_; }
  /// Whether a quoted cell holds a delimiter.
  [[nodiscard]] bool has_quoted_delimiter() const { return quoted_delimiter_; }
  /// Whether the cell itself is well formed: its quote is closed and nothing but blanks follows it.
  [[nodiscard]] bool is_whole(std::size_t index) const { return index < first_fault_; }
  /// Whether the record ends inside a quoted cell.
  [[nodiscard]] bool has_open_quote() const { return open_quote_; }

 private:
  struct Cell {
    std::uint32_t begin, end;
    bool quoted;
  };

  void keep(std::size_t begin, std::size_t end, bool quoted);
  void split_plain();
  void split_quoted();
  [[nodiscard]] std::size_t closing_quote(std::size_t from) const;

  char delimiter_;
  std::size_t most_kept_ = 0;
  std::string_view text_;
  std::vector<Cell> cells_;
  std::size_t count_ = 0;
  std::size_t first_fault_ = 0;  // the first cell that is not well formed; beyond the last if all are
  bool stray_text_ = false, open_quote_ = false, quoted_delimiter_ = false;
};

}  // namespace jme::data
