#pragma once

#include <optional>
#include <span>
#include <string>

#include "data/line_source.hpp"
#include "data/row_source.hpp"

namespace jme::data {

/// Rows that are lines. A blank line between rows is a bad row; at the end of the file it is nothing.
class TextRows : public RowSource {
 public:
  TextRows(const std::string& path, const InputOptions& options) : lines_(path, options.before_read) {}

  RowStatus next(std::span<double> row) final;
  [[nodiscard]] std::string place() const final;
  [[nodiscard]] std::optional<double> progress() const final { return lines_.progress(); }

 protected:
  /// Reads the current line of lines_.
  virtual RowStatus parse(std::span<double> row) = 0;
  /// Moves to the next line, to be given by the next call of next(). False at the end.
  bool hold_next_line();
  /// Throws that the file has no rows.
  [[noreturn]] void refuse_empty() const;
  /// "file:line" of the current line.
  [[nodiscard]] std::string current_place() const;

  LineSource lines_;

 private:
  bool held_ = false;
  std::size_t blank_lines_ = 0;  // before the line held, still to be given
};

}  // namespace jme::data
