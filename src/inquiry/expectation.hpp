#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <jme/inquiry/budget_question.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/theory/half_interval.hpp>

namespace jme::inquiry {

/// A column as it is expected, mapped to its unit box.
struct Column {
  std::string name;
  double half_width = 1;  ///< of its range; 1 where it has none
  double reach = 1;       ///< the largest absolute value that a cell can have there
  std::optional<double> mean{}, deviation{};

  /// Means between which every figure is largest at one end: the expected one, or none and the largest.
  [[nodiscard]] std::vector<double> means(std::optional<double> with_deviation) const;
};

/// Of the columns of a run. Throws InvalidParameter for a column that it does not have, and for values that
/// no column with these bounds can have.
[[nodiscard]] std::vector<Column> columns_of(const PreparedRun& run, const BudgetQuestion& question);

/// How many rows are expected.
struct Rows {
  std::size_t places = 0;  ///< rows, or slots of time, through which the stream goes
  double share = 1;        ///< of rows that count
  double per_place = 1;    ///< rows of a slot

  [[nodiscard]] double counting() const { return static_cast<double>(places) * per_place * share; }
};
/// Throws InvalidParameter where the question leaves open what it must say.
[[nodiscard]] Rows rows_of(const PreparedRun& run, const BudgetQuestion& question);

/// "a=1,b=2": a number for each column that is named. `field` is for messages.
struct Named {
  std::string column;
  double value;
};
[[nodiscard]] std::vector<Named> parse_named(std::string_view field, const std::string& text);
/// The column of this name. Throws InvalidParameter.
[[nodiscard]] std::size_t place_of(const std::vector<Column>& columns, std::string_view field,
                                   const Named& named);

}  // namespace jme::inquiry
