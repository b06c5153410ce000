#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace jme {

// Where many numbers are looked at together, some stand out by chance: 40 independent columns have 780
// correlations, of which 39 lie outside of their 95% intervals. Whatever is called the strongest, or is
// coloured, is corrected for the number of entries it was chosen from.

/// P(|N| >= |z|) for a standard normal N.
[[nodiscard]] double two_sided_p(double z);
/// z with P(N > z) = `tail`, for 0 < tail < 1.
[[nodiscard]] double upper_quantile(double tail);
/// z with P(|N| > z) = level / comparisons: Bonferroni's factor for standard deviations. 1.96 for one
/// comparison at 0.05.
[[nodiscard]] double bonferroni_factor(std::size_t comparisons, double level = 0.05);
/// Holm's adjusted p values: to reject where they are at most `level` errs anywhere with at most that
/// probability, however the tests depend on each other. A NaN stays NaN and is no test.
[[nodiscard]] std::vector<double> holm_adjusted(std::span<const double> p);

}  // namespace jme
