#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/joint.hpp>

#include "sensitivity/pattern.hpp"
#include "sensitivity/row_gain.hpp"

namespace jme {

using sensitivity::check;
using sensitivity::largest_pattern_sum;

Exposure single_exposure(const std::vector<double>& squared_first,
                         const std::vector<double>& squared_second) {
  if (squared_first.size() != squared_second.size()) {
    throw InvalidParameter("shape", "both channels must have the same number of steps");
  }
  sensitivity::Pattern columns;
  columns.reserve(squared_first.size());
  for (std::size_t i = 0; i < squared_first.size(); ++i) {
    columns.push_back({.first = squared_first[i], .second = squared_second[i]});
  }
  if (columns.empty()) throw InvalidParameter("shape", "must have at least one column");
  check(Exposure{.patterns = {columns}});  // before the sort: NaN has no order
  // The sensitivity grows with either norm, so a column whose norms are both below those of another column
  // can never decide it.
  std::ranges::sort(columns, [](const ColumnGain& left, const ColumnGain& right) {
    return left.first != right.first ? left.first > right.first : left.second > right.second;
  });
  Exposure exposure;
  double largest_second = -1;
  for (const ColumnGain& column : columns) {
    if (column.second <= largest_second) continue;
    exposure.patterns.push_back({column});
    largest_second = column.second;
  }
  return exposure;
}

double joint_sensitivity(const RowModel& rows, const Exposure& exposure, double lambda) {
  check(rows);
  check(exposure);
  if (!(lambda >= 0) || !std::isfinite(lambda)) {
    throw InvalidParameter("lambda", lambda, "a finite number of at least 0");
  }
  return std::sqrt(sensitivity::worst_pattern(rows, exposure, lambda).squared);
}

double first_sensitivity(const RowModel& rows, const Exposure& exposure) {
  return joint_sensitivity(rows, exposure, 0);
}

double second_sensitivity(const RowModel& rows, const Exposure& exposure) {
  check(rows);
  check(exposure);
  const sensitivity::RowGain row(rows);
  return row.length() * row.length() * std::sqrt(row.limit()) * second_column_norm(exposure);
}

double first_column_norm(const Exposure& exposure) {
  return std::sqrt(largest_pattern_sum(exposure, &ColumnGain::first));
}

double second_column_norm(const Exposure& exposure) {
  return std::sqrt(largest_pattern_sum(exposure, &ColumnGain::second));
}

}  // namespace jme
