#include "sensitivity/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>

#include "sensitivity/row_gain.hpp"

namespace jme::sensitivity {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// nu = lambda length^2 g2 / g1, infinite where the first channel does not see the column.
double balance(const RowGain& row, const ColumnGain& gain, double lambda) {
  const double weighted = lambda * row.length() * row.length() * gain.second;
  return weighted == 0 ? 0 : weighted / gain.first;
}

}  // namespace

bool reaches_corners(const RowModel& rows) {
  return rows.norm_bound >= std::sqrt(static_cast<double>(rows.dimension));
}

void check(const RowModel& rows) {
  if (rows.dimension == 0) throw InvalidParameter("dimension", 0, "a whole number of at least 1");
  (void)NormBound(rows.norm_bound);
  if (rows.geometry == Geometry::automatic) {
    throw InvalidParameter("geometry", "must be ball, ball-trace or box where a sensitivity is computed");
  }
  const bool counts = rows.counts_rows || rows.presence != Presence::complete;
  if (rows.geometry == Geometry::ball_trace && (rows.adjacency != Adjacency::replace_one || counts)) {
    throw InvalidParameter("geometry", name(rows.geometry),
                           "auto, ball or box under add-remove and where rows or cells are counted in "
                           "private: the trace is free under replace-one with a public number of rows");
  }
  if (rows.presence != Presence::cells) return;
  if (rows.geometry != Geometry::box) {
    throw InvalidParameter("geometry", name(rows.geometry), "box where single cells may be absent");
  }
  if (!reaches_corners(rows)) {
    throw InvalidParameter("norm-bound", rows.norm_bound,
                           "at least the root of the dimension where single cells may be absent");
  }
}

void check(const Exposure& exposure) {
  const auto usable = [](const ColumnGain& gain) {
    return gain.first >= 0 && std::isfinite(gain.first) && gain.second >= 0 && std::isfinite(gain.second);
  };
  if (exposure.patterns.empty()) throw InvalidParameter("shape", "must have at least one column");
  for (const Pattern& pattern : exposure.patterns) {
    if (!std::ranges::all_of(pattern, usable)) {
      throw InvalidParameter("shape", "must have columns of finite norm");
    }
  }
}

double squared_sensitivity(const RowModel& rows, const Pattern& pattern, double lambda) {
  const RowGain row(rows);
  const double square = row.length() * row.length();
  double sum = 0;
  for (const ColumnGain& gain : pattern) {
    const double nu = balance(row, gain, lambda);
    sum += nu == infinity ? row.limit() * lambda * square * gain.second : gain.first * row.at(nu);
  }
  return square * sum;
}

double squared_sensitivity_slope(const RowModel& rows, const Pattern& pattern, double lambda) {
  const RowGain row(rows);
  const double square = row.length() * row.length();
  double sum = 0;
  for (const ColumnGain& gain : pattern) {
    const double nu = balance(row, gain, lambda);
    sum += (nu == infinity ? row.limit() : row.slope(nu)) * gain.second;
  }
  return square * square * sum;
}

Worst worst_pattern(const RowModel& rows, const Exposure& exposure, double lambda) {
  Worst worst{nullptr, -1};
  for (const Pattern& pattern : exposure.patterns) {
    const double squared = squared_sensitivity(rows, pattern, lambda);
    if (squared > worst.squared) worst = {&pattern, squared};
  }
  return worst;
}

double largest_pattern_sum(const Exposure& exposure, double ColumnGain::*channel) {
  double largest = 0;
  for (const Pattern& pattern : exposure.patterns) {
    double sum = 0;
    for (const ColumnGain& gain : pattern) sum += gain.*channel;
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace jme::sensitivity
