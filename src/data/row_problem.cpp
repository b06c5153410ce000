#include "data/row_problem.hpp"

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

std::string explain(const RowProblem& problem, const std::vector<std::string>& columns, TimeUnit time_unit,
                    const std::string& width_rule) {
  const auto count = [](std::size_t n) { return fmt::format("{} column{}", n, n == 1 ? "" : "s"); };
  switch (problem.kind) {
    case RowProblem::Kind::none:
      return "";
    case RowProblem::Kind::blank:
      return "blank line, a row with every cell missing";
    case RowProblem::Kind::no_value:
    case RowProblem::Kind::nul:
    case RowProblem::Kind::too_long:
      return explain_broken(problem);
    case RowProblem::Kind::width:
      return fmt::format("has {}, {}{}", count(problem.found), width_rule, remedy_of_width(problem));
    case RowProblem::Kind::cell:
      if (problem.setting) {
        return fmt::format(
            "column {}: {}, for it has a comma: if that separates thousands, remove it; if it is "
            "the decimal sign, use {}",
            columns[problem.column], describe(problem.status), problem.setting->words());
      }
      return fmt::format("column {}: {}", columns[problem.column], describe(problem.status));
    case RowProblem::Kind::foreign:
      return explain(*problem.format);
    case RowProblem::Kind::time:
      if (problem.status == CellStatus::number) {
        return fmt::format(
            "its time, in {} since 1970, is outside of the years 1 to 9999: {} says what else it counts",
            plural(time_unit), other_time_unit.words());
      }
      return fmt::format("its time is neither ISO 8601 nor a number of {} since 1970", plural(time_unit));
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
      return fmt::format("column {}: given twice", columns[problem.column]);
  }
  return "";
}

bool must_fail(const RowProblem& problem, OnBadRow on_bad_row, const std::vector<OnMissing>& rules) {
  return on_bad_row == OnBadRow::fail ||
         (problem.is_missing && problem.column < rules.size() && rules[problem.column] == OnMissing::fail);
}

BadRecord bad_record(const std::string& place, std::uint64_t row, const RowProblem& problem,
                     const std::string& explanation, bool is_without_numbers) {
  using enum BadRecord::Cause;
  const auto cause = problem.is_of_the_input() ? of_the_input
                     : problem.is_missing      ? missing_cell
                     : is_without_numbers      ? column_of_text
                                               : of_this_row;
  return {DataError(fmt::format("{}: {}", place, explanation), row, problem.cell_number(), problem.remedy()),
          cause};
}

}  // namespace jme::data
