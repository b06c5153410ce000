#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <jme/changes/released_sums.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/models/units.hpp>

namespace jme {

/// Two ranges of steps whose rows are compared. They may lie anywhere, but must not overlap.
struct TwoWindows {
  StepRange before, after;
};

/// What is known about the variance of single rows, in the unit box, for every column.
struct RowVariance {
  std::vector<double> bound;  ///< not below the true one
  bool is_released = false;   ///< made from a released variance; else from public ranges alone
};
/// From public ranges alone: 1 in the box, the squared norm bound in the ball.
[[nodiscard]] RowVariance public_row_variance(const Mechanism& mechanism);
/// From released variances and their noise, in the unit box: the upper ends of their 95% intervals, at most
/// the public bound. A NaN is the public bound.
[[nodiscard]] RowVariance released_row_variance(const Mechanism& mechanism, std::span<const double> variance,
                                                std::span<const double> noise_std);

/// How the mean of a column differs between two windows, in natural units. NaN where the numbers of rows are
/// private and too few to be known (models/divisors.hpp).
struct MeanChange {
  double before, after;  ///< means of the rows in the windows
  double change;         ///< after - before
  double noise_std;      ///< of the change, from the noise alone
  double half_width;     ///< half of a 95% interval of the change, with the sampling error of the rows
  double p;              ///< two-sided, of no change: by Holm over all columns that are compared
  bool changed;          ///< p is at most 0.05: false in all columns with probability 95% if nothing changed
};
/// One for each of the columns. The law (changes/GUARANTEES.md#two-windows): for a contrast b of the blocks
/// the noise has variance std1^2 |C1^-T b|^2, and independent rows add at most their variance bound times
/// the sum of their squared weights. Throws StateError where releases are missing, and InvalidParameter for
/// windows that are empty or overlap.
[[nodiscard]] std::vector<MeanChange> compare_means(const Mechanism& mechanism, const Units& units,
                                                    const ReleasedSums& sums, const TwoWindows& windows,
                                                    const RowVariance& variance);

}  // namespace jme
