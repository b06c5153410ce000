#pragma once

#include <vector>

#include <jme/sensitivity/joint.hpp>

namespace jme::sensitivity {

/// The columns one person reaches at once.
using Pattern = std::vector<ColumnGain>;

/// The norm bound cuts nothing off the unit box. A square root that was rounded down still counts: such rows
/// are not clipped, and everything that follows is for the whole box.
[[nodiscard]] bool reaches_corners(const RowModel& rows);

/// Throw InvalidParameter unless the row model and the exposure make sense.
void check(const RowModel& rows);
void check(const Exposure& exposure);

/// Squared joint sensitivity of one pattern: the sum of g1 squared_gain(rows, lambda g2 / g1)
/// (docs/theory/sensitivity.md#several-rows-of-one-person).
[[nodiscard]] double squared_sensitivity(const RowModel& rows, const Pattern& pattern, double lambda);

/// Its derivative in lambda, from the right.
[[nodiscard]] double squared_sensitivity_slope(const RowModel& rows, const Pattern& pattern, double lambda);

/// The pattern that decides the joint sensitivity at this lambda.
struct Worst {
  const Pattern* pattern;
  double squared;
};
[[nodiscard]] Worst worst_pattern(const RowModel& rows, const Exposure& exposure, double lambda);

/// Largest sum over a pattern of one channel's gains.
[[nodiscard]] double largest_pattern_sum(const Exposure& exposure, double ColumnGain::*channel);

}  // namespace jme::sensitivity
