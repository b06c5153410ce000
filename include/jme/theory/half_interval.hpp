#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// ||row t of A C^-1||^2 of one release, for each channel: what unit noise becomes in it. It depends on
/// workloads and shapes alone, so that mechanisms that differ in their budget share it.
struct ReleaseNorms {
  double first, second;  ///< second: 0 without a second moment, and for PP, whose second depends on the data
};
/// Of the release after `rows` rows (slots of time: after so many slots). A release that closes a block early
/// is at its place; where the workload cannot close early, rows must fill their blocks. Throws
/// InvalidParameter("expect-rows").
[[nodiscard]] ReleaseNorms release_norms(const Mechanism& mechanism, std::size_t rows);

/// Standard deviations of the noise on the sums of one release, in the unit box, with what the sums are
/// divided by. Counts: 0 where they are public.
struct SumNoise {
  double first = 0, diagonal = 0, off_diagonal = 0;
  double count = 0;       ///< of the count of rows, or of a column's cells
  double pair_count = 0;  ///< of the count of rows that have two cells; 0 where one count serves all sums
  bool has_second = false;
  bool counts_cells = false;
};
[[nodiscard]] SumNoise sum_noise(const Mechanism& mechanism, const ReleaseNorms& norms);

/// What is expected of a release, in the unit box.
struct ExpectedRelease {
  SumNoise noise;
  double weight = 0;       ///< the sum of the weights of the rows that count
  double known_above = 0;  ///< a private count is divided by where it exceeds so many of its deviations
};

// Half-widths of intervals that hold the error with probability 95%: the error of what is released against
// what the same rows have without noise. The derivations are in docs/theory/errors.md#half-intervals.

/// With which probability the counts are large enough to be divided by, at least.
[[nodiscard]] double probability_known(const ExpectedRelease& release);

/// At most the probability that a mean is not released, or is off by more than `half`. Exact for public
/// counts. `mean`: the mean of the column in the unit box.
[[nodiscard]] double probability_of_miss(const ExpectedRelease& release, double mean, double half);
/// The least `half` that a released mean misses in 5% of runs. None where it is released in less than 95% of
/// runs.
[[nodiscard]] std::optional<double> half_of_mean(const ExpectedRelease& release, double mean);

/// A column: its mean and standard deviation in the unit box.
struct ExpectedColumn {
  double mean, deviation;
};
/// Of the standard deviation, sqrt(max(0, variance)). None as above, and without a second moment.
[[nodiscard]] std::optional<double> half_of_deviation(const ExpectedRelease& release,
                                                      const ExpectedColumn& column);
/// Of the correlation of two columns that are not correlated, to first order in the noise. None as above,
/// without a full second moment, and where it would be 1 or more: the release then says nothing about the
/// correlation.
[[nodiscard]] std::optional<double> half_of_correlation(const ExpectedRelease& release,
                                                        const ExpectedColumn& a, const ExpectedColumn& b);

}  // namespace jme
