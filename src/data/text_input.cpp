#include "data/text_input.hpp"

#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::data {

void TextInput::hold_next_record() {
  is_held = records.next();
  if (!is_held) throw DataError(fmt::format("{}: has no rows", records.name()));
}

std::string_view TextInput::read_header() {
  do {
    hold_next_record();
    if (const ForeignFormat* const format = foreign_format(records.beginning());
        format != nullptr && records.line() == 1) {
      throw DataError(fmt::format("{}: {}", records.name(), explain(*format)));
    }
    if (records.is_broken()) {
      throw DataError(fmt::format("{}: the header {}", place(), explain_broken(fault_of(records))));
    }
  } while (is_blank_record(records.text()));
  return records.text();
}

void TextInput::expect_rows(std::unique_ptr<RecordParser> of, bool may_be_empty) {
  parser = std::move(of);
  is_held = false;
  if (!may_be_empty) hold_next_record();
}

std::string TextInput::place() const {
  return fmt::format("{}:{}", records.name(), records.line());
}

}  // namespace jme::data
