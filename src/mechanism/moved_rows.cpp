#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/mechanism/moved_rows.hpp>
#include <jme/sensitivity/moved_row.hpp>

#include "filter/norms.hpp"

namespace jme {

namespace {

ColumnProducts products_of(const Filter& c) {
  return {.against = negative_product_bound(c), .along = positive_product_bound(c)};
}

MovedColumns columns_of(const Mechanism& mechanism) {
  const double first = first_column_norm(mechanism.exposure()),
               second = second_column_norm(mechanism.exposure());
  MovedColumns columns{.first = first * first, .second = second * second};
  columns.are_equal = !mechanism.has_second() || mechanism.second_is_like_first();
  if (columns.are_equal) {
    columns.of_first.against = negative_product_bound(mechanism.c1());
  } else {
    columns.of_first = products_of(mechanism.c1());
    columns.of_second.against = negative_product_bound(mechanism.c2());
  }
  return columns;
}

}  // namespace

double mu_of_moved_rows(const Mechanism& mechanism) {
  constexpr double up = 1 + 0x1p-48;
  // Two windows change, in each of which rows leave and others come.
  const std::optional<RowWindows>& windows = mechanism.config().participation.windows;
  if (windows && windows->are_units) return 4 * mechanism.mu() * up;
  // A person's rows leave one set of slots and come into another: each of the two costs mu at most.
  if (mechanism.config().participation.rows > 1) return 2 * mechanism.mu() * up;
  const RowModel rows = mechanism.row_model();
  const Calibration& noise = mechanism.calibration();
  const double of_one = joint_sensitivity(rows, mechanism.exposure(), noise.lambda);
  const double slack = std::max(0.0, noise.sensitivity - of_one);
  const double ratio = moved_row_sensitivity(rows, columns_of(mechanism), noise.lambda, slack) /
                       (of_one + slack) * (1 + 0x1p-40);
  // A row that leaves and one that comes cost mu each: never more than both.
  return std::clamp(ratio, 1.0, 2.0) * mechanism.mu() * up;
}

std::optional<double> mu_of_all_windows(const Mechanism& mechanism) {
  Participation participation = mechanism.config().participation;
  if (!participation.windows || !participation.windows->are_units) return std::nullopt;
  const std::size_t count = participation.windows->count;
  if (mechanism.horizon().is_unbounded()) return std::numeric_limits<double>::infinity();
  participation.windows->are_units = false;
  participation.rows *= count;
  const bool joint = mechanism.has_second();
  const Exposure all = exposure(mechanism.c1(), joint ? mechanism.c2() : mechanism.c1(),
                                mechanism.noise_horizon(), participation);
  const RowModel rows = mechanism.row_model();
  const Calibration& noise = mechanism.calibration();
  const double of_one = joint_sensitivity(rows, mechanism.exposure(), noise.lambda);
  // What rounding adds grows with the number of windows at most.
  const double slack = std::max(0.0, noise.sensitivity - of_one);
  const auto windows = static_cast<double>(count);
  const double ratio =
      (joint_sensitivity(rows, all, noise.lambda) + windows * slack) / (of_one + slack) * (1 + 0x1p-40);
  return std::clamp(ratio, 1.0, windows) * mechanism.mu() * (1 + 0x1p-48);
}

}  // namespace jme
