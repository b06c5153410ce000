#include "sensitivity/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>

#include "sensitivity/joint_gain.hpp"

namespace jme::sensitivity {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// nu = lambda zeta^2 g2 / g1, infinite where the first channel does not see the column.
double balance(const RowModel& rows, const ColumnGain& gain, double lambda) {
  const double weighted = lambda * rows.norm_bound * rows.norm_bound * gain.second;
  return weighted == 0 ? 0 : weighted / gain.first;
}

}  // namespace

void check(const RowModel& rows) {
  if (rows.dimension == 0) throw InvalidParameter("dimension", 0, "a whole number of at least 1");
  (void)NormBound(rows.norm_bound);
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
  const double zeta2 = rows.norm_bound * rows.norm_bound;
  double sum = 0;
  for (const ColumnGain& gain : pattern) {
    const double nu = balance(rows, gain, lambda);
    sum += nu == infinity ? second_gain(rows.adjacency, rows.dimension) * lambda * zeta2 * gain.second
                          : gain.first * joint_gain(rows.adjacency, rows.dimension, nu);
  }
  return zeta2 * sum;
}

double squared_sensitivity_slope(const RowModel& rows, const Pattern& pattern, double lambda) {
  const double zeta2 = rows.norm_bound * rows.norm_bound;
  double sum = 0;
  for (const ColumnGain& gain : pattern) {
    const double nu = balance(rows, gain, lambda);
    const double slope = nu == infinity ? second_gain(rows.adjacency, rows.dimension)
                                        : joint_gain_slope(rows.adjacency, rows.dimension, nu);
    sum += slope * gain.second;
  }
  return zeta2 * zeta2 * sum;
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
