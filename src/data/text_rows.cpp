#include "data/text_rows.hpp"

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::data {
namespace {

bool is_blank_record(std::string_view record) {
  if (!record.empty() && record.front() != ' ') return false;
  return record.find_first_not_of(' ') == std::string_view::npos;
}

}  // namespace

RowStatus TextRows::next(std::span<double> row) {
  if (!held_ && !records_.next()) return RowStatus::end;
  held_ = false;
  line_ = records_.line();
  const RowStatus status = take_record(row);
  if (status != RowStatus::bad || line_ != 1) return status;
  // The first bytes of the input only say why it is bad.
  const ForeignFormat* const format = foreign_format(records_.beginning());
  return format == nullptr ? status : bad({.kind = RowProblem::Kind::foreign, .format = format});
}

RowStatus TextRows::take_record(std::span<double> row) {
  if (records_.is_broken()) {
    find_person_of_broken(records_.beginning());
    return bad(fault());
  }
  const std::string_view record = records_.text();
  return is_blank_record(record) ? blank_row(row) : parse(record, row);
}

RowStatus TextRows::blank_row(std::span<double> row) {
  if (needs_time_) return bad({.kind = RowProblem::Kind::time});
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!forgive(i, true, row))
      return bad({.kind = RowProblem::Kind::blank, .column = i, .is_missing = true});
  }
  return RowStatus::good;
}

RowProblem TextRows::fault() const {
  if (records_.has_no_value()) return {.kind = RowProblem::Kind::no_value};
  if (records_.is_too_long()) return {.kind = RowProblem::Kind::too_long, .expected = records_.longest()};
  return {.kind = RowProblem::Kind::nul};
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
      bad(fault());
      throw DataError(fmt::format("{}: the header {}", current_place(), explain_problem()));
    }
  } while (is_blank_record(records_.text()));
  return records_.text();
}

void TextRows::expect_rows() {
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
