#include "data/parsed_row.hpp"

#include <fmt/format.h>

namespace jme::data {

namespace {

std::string remedy_of_width(const RowProblem& problem) {
  if (problem.setting) return fmt::format(": {} would cut it", problem.setting->words());
  if (problem.remedy()) return ": where every record has more, say so with " + declared_width.words();
  return "";
}

}  // namespace

std::string explain_broken(const RowProblem& problem) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  if (problem.kind == RowProblem::Kind::no_value) return "a record without a value";
  if (problem.kind == RowProblem::Kind::nul)
    return "contains a NUL byte: binary or compressed data (or UTF-16), not text";
  return problem.expected % mebibyte == 0 ? fmt::format("is longer than {} MiB", problem.expected / mebibyte)
                                          : fmt::format("is longer than {} bytes", problem.expected);
}

std::string ParsedRow::explain_problem() const {
  const auto count = [](std::size_t n) { return fmt::format("{} column{}", n, n == 1 ? "" : "s"); };
  switch (problem_.kind) {
    case RowProblem::Kind::none:
      return "";
    case RowProblem::Kind::blank:
      return "blank line, a row with every cell missing";
    case RowProblem::Kind::no_value:
    case RowProblem::Kind::nul:
    case RowProblem::Kind::too_long:
      return explain_broken(problem_);
    case RowProblem::Kind::width:
      return fmt::format("has {}, {}{}", count(problem_.found), width_rule(), remedy_of_width(problem_));
    case RowProblem::Kind::cell:
      if (problem_.setting) {
        return fmt::format(
            "column {}: {}, for it has a comma: if that separates thousands, remove it; if it is "
            "the decimal sign, use {}",
            columns_[problem_.column], describe(problem_.status), problem_.setting->words());
      }
      return fmt::format("column {}: {}", columns_[problem_.column], describe(problem_.status));
    case RowProblem::Kind::foreign:
      return explain(*problem_.format);
    case RowProblem::Kind::time:
      if (problem_.status == CellStatus::number) {
        return fmt::format(
            "its time, in {} since 1970, is outside of the years 1 to 9999: {} says what else it counts",
            plural(time_unit_), other_time_unit.words());
      }
      return fmt::format("its time is neither ISO 8601 nor a number of {} since 1970", plural(time_unit_));
    case RowProblem::Kind::stray_quote:
      return "text between a closing quote and the delimiter";
    case RowProblem::Kind::open_quote:
      return fmt::format("a quote is opened and not closed on its line: {} reads cells with line breaks",
                         quoted_records.words());
    case RowProblem::Kind::quoted_delimiter:
      return fmt::format(
          "a delimiter inside quotes, by which a cell can pass for the person's: put that column first or "
          "last, or trust the quotes with {}",
          quoted_records.words());
    case RowProblem::Kind::not_json:
      return "not one whole JSON object or array";
    case RowProblem::Kind::array_for_names:
      return "a JSON array, whose columns have numbers and not the names asked for";
    case RowProblem::Kind::repeated_key:
      return fmt::format("column {}: given twice", columns_[problem_.column]);
  }
  return "";
}

}  // namespace jme::data
