#include "data/text_rows.hpp"

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::data {

bool TextRows::hold_next_line() {
  held_ = lines_.next();
  blank_lines_ = lines_.blank_lines_before();
  return held_;
}

RowStatus TextRows::next(std::span<double> row) {
  if (!held_ && !hold_next_line()) return RowStatus::end;
  if (blank_lines_ > 0) {
    line_ = lines_.line() - blank_lines_--;
    return bad({.kind = RowProblem::Kind::blank});
  }
  held_ = false;
  line_ = lines_.line();
  return parse(row);
}

std::string TextRows::place() const {
  return line_ == 0 ? lines_.name() : fmt::format("{}:{}", lines_.name(), line_);
}

std::string TextRows::current_place() const {
  return fmt::format("{}:{}", lines_.name(), lines_.line());
}

void TextRows::refuse_empty() const {
  throw DataError(fmt::format("{}: has no rows", lines_.name()));
}

}  // namespace jme::data
