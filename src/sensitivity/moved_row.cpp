#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/moved_row.hpp>

#include "sensitivity/row_gain.hpp"

namespace jme {

double moved_row_sensitivity(const RowModel& rows, const MovedColumns& columns, double lambda, double slack) {
  if (!(columns.first > 0) || !(columns.second >= 0)) {
    throw InvalidParameter("shape", "must have columns above 0 in the first channel");
  }
  RowModel any = rows;
  any.adjacency = Adjacency::replace_one;
  const sensitivity::RowGain row(any);
  const double square = row.length() * row.length();
  const double nu = lambda * square * columns.second / columns.first;
  const double first = row.first_size(), second = row.second_size(nu), within = row.at(nu);
  const double unit = std::sqrt(square * columns.first);
  if (columns.are_equal) {
    // One product g serves both channels, and what it makes of them is linear in g: a row as large as can be
    // twice (g <= 0), or the two rows of one step that are farthest apart (g = 1).
    const double apart = std::sqrt(2 * (1 + columns.of_first.against));
    return std::max(apart * (unit * std::sqrt(first + second) + slack), unit * std::sqrt(within) + 2 * slack);
  }
  // Each channel has a product of its own. Squares, products and pairs of two rows never point against each
  // other, so that the second channel is worst where its columns do.
  const double along = columns.of_first.along;
  const double moved_first = std::max(2 * first * (1 + columns.of_first.against),
                                      2 * first * (1 - along) + row.first_distance() * along);
  const double moved_second = 2 * second * (1 + columns.of_second.against);
  return unit * std::sqrt(std::max(moved_first + moved_second, within)) + 2 * slack;
}

}  // namespace jme
