#include "data/text_rows.hpp"

#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::data {

RowStatus TextRows::next(std::span<double> row) {
  if (!held_ && !records_.next()) return RowStatus::end;
  held_ = false;
  line_ = records_.line();
  return parser_->take(records_, row);
}

void TextRows::hold_next_record() {
  held_ = records_.next();
  if (!held_) throw DataError(fmt::format("{}: has no rows", records_.name()));
}

std::string_view TextRows::read_header() {
  do {
    hold_next_record();
    if (const ForeignFormat* const format = foreign_format(records_.beginning());
        format != nullptr && records_.line() == 1) {
      throw DataError(fmt::format("{}: {}", records_.name(), explain(*format)));
    }
    if (records_.is_broken()) {
      throw DataError(fmt::format("{}: the header {}", current_place(), explain_broken(fault_of(records_))));
    }
  } while (is_blank_record(records_.text()));
  return records_.text();
}

void TextRows::expect_rows(std::unique_ptr<RecordParser> parser) {
  parser_ = std::move(parser);
  held_ = false;
  if (may_be_empty_) return;
  hold_next_record();
}

std::string TextRows::place() const {
  if (records_.feed() != nullptr) return records_.feed()->place();
  return line_ == 0 ? records_.name() : fmt::format("{}:{}", records_.name(), line_);
}

std::string TextRows::current_place() const {
  return fmt::format("{}:{}", records_.name(), records_.line());
}

}  // namespace jme::data
