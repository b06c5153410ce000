#include "data/row_source.hpp"

#include <fmt/format.h>

namespace jme::data {

std::string RowSource::explain_problem() const {
  const auto count = [](std::size_t n) { return fmt::format("{} column{}", n, n == 1 ? "" : "s"); };
  switch (problem_.kind) {
    case RowProblem::Kind::none:
      return "";
    case RowProblem::Kind::blank:
      return "blank line";
    case RowProblem::Kind::width:
      return fmt::format("has {}, {} has {}", count(problem_.found), width_from(), problem_.expected);
    case RowProblem::Kind::cell:
      return fmt::format("column {}: {}", columns_[problem_.column], describe(problem_.status));
    case RowProblem::Kind::stray_quote:
      return "text between a closing quote and the delimiter";
    case RowProblem::Kind::not_json:
      return "not one whole JSON object or array";
    case RowProblem::Kind::not_object:
      return "not a JSON object as the first line";
    case RowProblem::Kind::not_array:
      return "not a JSON array as the first line";
    case RowProblem::Kind::repeated_key:
      return fmt::format("column {}: given twice", columns_[problem_.column]);
  }
  return "";
}

}  // namespace jme::data
