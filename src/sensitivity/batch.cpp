#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/batch.hpp>

namespace jme {
namespace {

/// Squared joint sensitivity of (s, sqrt(lambda) ss'), s the sum of m rows of norm <= 1 of which one changes.
double squared_sum_gain(const RowModel& rows, double batch, double nu) {
  // In the worst case the other m - 1 rows have the direction of the changed one and multiply its effect on
  // the square.
  if (rows.adjacency == Adjacency::add_remove) {
    // s -> s - x: ||x||^2 + nu ||ss' - (s-x)(s-x)'||^2, greatest for |s - x| = m - 1 along x.
    return 1 + nu * (2 * batch - 1) * (2 * batch - 1);
  }
  if (batch == 1) return joint_gain(rows.adjacency, rows.dimension, nu);
  return 4 * (1 + 4 * nu * (batch - 1) * (batch - 1));  // docs/theory/batches.md#squares-of-a-batch
}

}  // namespace

Squares parse_squares(std::string_view text) {
  if (text == "per-example") return Squares::per_example;
  if (text == "batch-mean") return Squares::batch_mean;
  if (text == "paper") return Squares::paper;
  throw InvalidParameter("squares", text, "per-example, batch-mean or paper");
}

double batch_sensitivity(Squares squares, const RowModel& rows, std::size_t batch, double lambda) {
  if (batch == 0) throw InvalidParameter("batch", 0, "a whole number of at least 1");
  if (squares != Squares::per_example && (rows.geometry != Geometry::ball || rows.counts_rows)) {
    throw InvalidParameter("geometry", "must be ball, without counts, for squares of a batch");
  }
  const Exposure one_row = single_exposure({1.0}, {1.0});
  const double per_example = joint_sensitivity(rows, one_row, lambda);  // checks rows and lambda
  const double m = static_cast<double>(batch);
  const double zeta = rows.norm_bound;
  const double nu = lambda * zeta * zeta;
  switch (squares) {
    case Squares::per_example:
      return per_example;
    case Squares::paper:
      return zeta * std::sqrt(squared_sum_gain(rows, m, nu));
    // The mean is the sum of rows bounded by zeta/m.
    case Squares::batch_mean:
      return zeta / m * std::sqrt(squared_sum_gain(rows, m, nu / (m * m)));
  }
  throw InvalidParameter("squares", "must be per-example, batch-mean or paper");
}

double batch_sensitivity(Squares squares, const RowModel& rows, std::size_t batch, const Exposure& exposure,
                         double lambda) {
  if (squares == Squares::per_example) return joint_sensitivity(rows, exposure, lambda);
  // A column (g1, g2) scales what one batch can move, (u, v), to g1 |u|^2 + lambda g2 |v|^2: the batch's own
  // sensitivity at weight lambda g2/g1. This is the same step as from r_d to the joint sensitivity in
  // docs/theory/sensitivity.md#columns.
  double largest = 0;
  for (const auto& pattern : exposure.patterns) {
    double sum = 0;
    for (const ColumnGain& gain : pattern) {
      if (gain.first <= 0) continue;
      const double s = batch_sensitivity(squares, rows, batch, lambda * gain.second / gain.first);
      sum += gain.first * s * s;
    }
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

}  // namespace jme
