#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/row_problem.hpp"

namespace jme::data {

/// Which columns had a number in a good row so far.
class ColumnsWithNumbers {
 public:
  explicit ColumnsWithNumbers(std::size_t columns) : has_(columns, 0), others_(columns) {}

  /// A good row, whose missing cells are NaN.
  void add(std::span<const double> row) {
    for (std::size_t i = 0; others_ > 0 && i < row.size(); ++i) {
      if (!std::isnan(row[i])) set(i);
    }
  }
  void add(const ColumnsWithNumbers& more) {
    for (std::size_t i = 0; others_ > 0 && i < has_.size(); ++i) {
      if (more.has_[i] != 0) set(i);
    }
  }
  [[nodiscard]] bool are_all() const { return others_ == 0; }
  /// Whether the problem is text in a column that had no number.
  [[nodiscard]] bool is_without(const RowProblem& problem) const {
    return problem.kind == RowProblem::Kind::cell && problem.status == CellStatus::text &&
           has_[problem.column] == 0;
  }

 private:
  void set(std::size_t column) {
    others_ -= has_[column] == 0 ? 1 : 0;
    has_[column] = 1;
  }

  std::vector<std::uint8_t> has_;
  std::size_t others_;  // columns that had none
};

}  // namespace jme::data
