#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <jme/audit/pair_distance.hpp>
#include <jme/base/errors.hpp>
#include <jme/theory/increments.hpp>

#include "audit/block_values.hpp"

namespace jme {
namespace {

using audit::BlockValues;

/// Block values in their channel's noise; entries without noise are not released.
BlockValues in_deviations(BlockValues values, const BlockValues& deviations) {
  const auto divide = [](Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    for (Eigen::Index i = 0; i < a.size(); ++i) a(i) /= b(i);
  };
  divide(values.first, deviations.first);
  divide(values.second, deviations.second);
  return values;
}

BlockValues minus(const BlockValues& a, const BlockValues& b) {
  return {.first = a.first - b.first, .second = a.second - b.second};
}

void check_method(const Mechanism& mechanism) {
  if (!squares_noisy_rows(mechanism.config().method)) return;
  throw InvalidParameter("method", "pp and pp-debiased add their noise to rows: there is no block to audit");
}

/// Whole numbers of lattice units, which differences of equal noise are.
double on_lattice(double value, double unit) {
  const double units = value / unit, whole = std::nearbyint(units);
  if (!(std::abs(units - whole) < 0.01)) {
    throw StateError(
        "the two runs differ by more than their data: increments differ by no whole number of lattice units");
  }
  return whole * unit;
}

/// sum over entries of |C x|^2, x the entry in all blocks.
double whitened_square(const Filter& c, const std::vector<BlockValues>& blocks,
                       Eigen::VectorXd BlockValues::*part) {
  const Filter leading = leading_steps(c, blocks.size());
  double sum = 0;
  std::vector<double> series(blocks.size());
  for (Eigen::Index i = 0; i < (blocks.front().*part).size(); ++i) {
    for (std::size_t t = 0; t < blocks.size(); ++t) series[t] = (blocks[t].*part)(i);
    if (std::all_of(series.begin(), series.end(), [](double value) { return value == 0; })) continue;
    for (const double value : leading.apply(series)) sum += value * value;
  }
  return sum;
}

/// The same by the inner products of C's columns, for the few blocks that differ. C beyond the last release
/// counts as well: noise that was never released protects nothing, and leaves nothing out here.
double gram_square(const Filter& c, const std::vector<BlockValues>& blocks,
                   const std::vector<std::size_t>& changed, Eigen::VectorXd BlockValues::*part) {
  const std::size_t steps = blocks.size();
  const Filter leading = leading_steps(c, steps);
  std::vector<std::vector<double>> columns;
  for (const std::size_t block : changed) {
    std::vector<double> unit(steps, 0.0);
    unit[block] = 1;
    columns.push_back(leading.apply(unit));
  }
  double sum = 0;
  for (std::size_t a = 0; a < changed.size(); ++a) {
    for (std::size_t b = 0; b < changed.size(); ++b) {
      double gram = 0;
      for (std::size_t t = 0; t < steps; ++t) gram += columns[a][t] * columns[b][t];
      sum += gram * (blocks[changed[a]].*part).dot(blocks[changed[b]].*part);
    }
  }
  return sum;
}

double found_distance(const Mechanism& mechanism, const AuditedRun& before, const AuditedRun& after,
                      const BlockValues& deviations) {
  std::vector<BlockValues> released;
  std::vector<std::size_t> rows;
  for (std::size_t t = 0; t < before.releases.size(); ++t) {
    released.push_back(minus(audit::released_values(mechanism, after.releases[t]),
                             audit::released_values(mechanism, before.releases[t])));
    rows.push_back(before.releases[t].rows());
  }
  std::vector<BlockValues> made = audit::increments(mechanism, released, rows);
  const BlockValues units = audit::lattice_units(mechanism);
  for (BlockValues& block : made) {
    for (Eigen::Index i = 0; i < block.first.size(); ++i) {
      block.first(i) = on_lattice(block.first(i), units.first(i));
    }
    for (Eigen::Index i = 0; i < block.second.size(); ++i) {
      block.second(i) = on_lattice(block.second(i), units.second(i));
    }
    block = in_deviations(block, deviations);
  }
  double squared = whitened_square(mechanism.c1(), made, &BlockValues::first);
  if (mechanism.has_second()) squared += whitened_square(mechanism.c2(), made, &BlockValues::second);
  return std::sqrt(squared);
}

std::vector<std::vector<double>> known_rows(const Mechanism& mechanism) {
  const std::size_t d = mechanism.config().dimension;
  const bool box = mechanism.geometry() == Geometry::box;
  const double bound = mechanism.config().norm_bound;
  const double corner = box ? 1 : bound / std::sqrt(static_cast<double>(d));
  std::vector<double> along(d, 0.0), all(d, corner), one_less(d, corner);
  along[0] = box ? 1 : bound;
  one_less[0] = -corner;
  std::vector<std::vector<double>> rows{all, along, one_less, std::vector<double>(d, 0.0)};
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> opposite = rows[i];
    for (double& value : opposite) value = -value;
    rows.push_back(opposite);
  }
  if (RowMap::of(mechanism).allows_absent()) {
    rows.emplace_back(d, std::numeric_limits<double>::quiet_NaN());
  }
  return rows;
}

/// Under add-remove one of the two is no row: absent where that is counted, else zero.
bool are_neighbours(const Mechanism& mechanism, std::span<const double> a, std::span<const double> b) {
  if (mechanism.config().adjacency == Adjacency::replace_one) return true;
  const bool absent = RowMap::of(mechanism).allows_absent();
  const auto is_nothing = [&](std::span<const double> row) {
    return std::all_of(row.begin(), row.end(),
                       [&](double value) { return absent ? std::isnan(value) : value == 0; });
  };
  return is_nothing(a) || is_nothing(b);
}

}  // namespace

PairDistance pair_distance(const Mechanism& mechanism, const AuditedRun& before, const AuditedRun& after) {
  check_method(mechanism);
  if (before.releases.size() != after.releases.size() || before.releases.empty()) {
    throw StateError("the two runs do not have the same number of releases");
  }
  const BlockValues deviations = audit::deviations(mechanism);
  std::vector<BlockValues> first = audit::block_values(mechanism, before.given);
  const std::vector<BlockValues> second = audit::block_values(mechanism, after.given);
  if (first.size() != before.releases.size() || second.size() != first.size()) {
    throw StateError("the two runs do not have as many blocks as releases");
  }
  std::vector<std::size_t> changed;
  for (std::size_t t = 0; t < first.size(); ++t) {
    first[t] = minus(second[t], first[t]);
    if (!first[t].first.isZero(0) || !first[t].second.isZero(0)) changed.push_back(t);
    first[t] = in_deviations(first[t], deviations);
  }
  double squared = gram_square(mechanism.c1(), first, changed, &BlockValues::first);
  if (mechanism.has_second()) squared += gram_square(mechanism.c2(), first, changed, &BlockValues::second);
  return {.found = found_distance(mechanism, before, after, deviations),
          .theory = std::sqrt(squared),
          .changed_blocks = changed.size()};
}

double largest_known_distance(const Mechanism& mechanism) {
  check_method(mechanism);
  const BlockValues deviations = audit::deviations(mechanism);
  // Of some columns; those of scaled shapes are all of the same length, others fall.
  const std::size_t steps = std::min<std::size_t>(mechanism.error_steps(), 4096);
  const auto squared_column = [&](const Filter& c, std::size_t block) {
    std::vector<double> unit(steps, 0.0);
    unit[block] = 1;
    double squared = 0;
    for (const double value : leading_steps(c, steps).apply(unit)) squared += value * value;
    return squared;
  };
  struct Columns {
    double first, second;
  };
  std::vector<Columns> columns;
  for (const std::size_t block : {std::size_t{0}, steps / 2, steps - 1}) {
    columns.push_back({squared_column(mechanism.c1(), block),
                       mechanism.has_second() ? squared_column(mechanism.c2(), block) : 0});
  }
  const auto rows = known_rows(mechanism);
  double largest = 0;
  for (const auto& a : rows) {
    const BlockValues of_a = in_deviations(audit::row_values(mechanism, a), deviations);
    for (const auto& b : rows) {
      if (!are_neighbours(mechanism, a, b)) continue;
      const BlockValues of_b = in_deviations(audit::row_values(mechanism, b), deviations);
      const BlockValues difference = minus(of_a, of_b);
      for (const Columns& column : columns) {
        largest = std::max(largest, column.first * difference.first.squaredNorm() +
                                        column.second * difference.second.squaredNorm());
      }
    }
  }
  return std::sqrt(largest);
}

NoiseSize noise_size(const Mechanism& mechanism, const AuditedRun& run) {
  check_method(mechanism);
  const BlockValues deviations = audit::deviations(mechanism);
  const std::vector<BlockValues> data = audit::block_values(mechanism, run.given);
  std::vector<BlockValues> released;
  std::vector<std::size_t> rows;
  for (const Release& release : run.releases) {
    released.push_back(audit::released_values(mechanism, release));
    rows.push_back(release.rows());
  }
  std::vector<BlockValues> noise = audit::increments(mechanism, released, rows);
  NoiseSize result;
  for (std::size_t t = 0; t < noise.size(); ++t) {
    noise[t] = in_deviations(minus(noise[t], data[t]), deviations);
    result.draws += static_cast<std::size_t>(noise[t].first.size() + noise[t].second.size());
  }
  double squared = whitened_square(mechanism.c1(), noise, &BlockValues::first);
  if (mechanism.has_second()) squared += whitened_square(mechanism.c2(), noise, &BlockValues::second);
  const auto draws = static_cast<double>(result.draws);
  result.relative = std::sqrt(squared / draws);
  // A sum of squares of n normal numbers, by Laurent and Massart 2000: beyond n + 2 sqrt(n x) + 2 x or below
  // n - 2 sqrt(n x) with probability at most exp(-x) each; x = 21.5 makes that 1e-9 together.
  constexpr double x = 21.5;
  result.tolerance = std::sqrt(1 + 2 * std::sqrt(x / draws) + 2 * x / draws) - 1;
  const double below = 1 - 2 * std::sqrt(x / draws);
  result.tolerance = std::max(result.tolerance, 1 - std::sqrt(std::max(0.0, below)));
  return result;
}

}  // namespace jme
