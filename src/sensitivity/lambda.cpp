#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/joint.hpp>

#include "sensitivity/pattern.hpp"
#include "sensitivity/row_gain.hpp"

namespace jme {
namespace {

using sensitivity::Pattern;
using sensitivity::RowGain;
using sensitivity::Worst;
using sensitivity::worst_pattern;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The lambda up to which every entry of the pattern stays where its gain is flat.
double flat_lambda(const RowGain& row, const Pattern& pattern) {
  const double square = row.length() * row.length();
  double lambda = infinity;
  for (const ColumnGain& gain : pattern) {
    if (gain.second > 0) lambda = std::min(lambda, row.flat() * gain.first / (square * gain.second));
  }
  return lambda;
}

/// The lambda up to which one column stays within the first channel's sensitivity:
/// r_d^-1(4 a_max^2 / a_i^2) a_i^2 / (zeta^2 b_i^2) in the ball (docs/theory/sensitivity.md#the-free-lambda).
double free_lambda_of_column(const RowGain& row, const ColumnGain& gain, double largest_first) {
  if (gain.second == 0) return infinity;
  const double weight = row.length() * row.length() * gain.second;
  const double rho = row.at(0) * (largest_first / gain.first);
  if (!(rho < infinity)) return row.at(0) * largest_first / (row.limit() * weight);
  return row.inverse(rho) * gain.first / weight;
}

/// Where a pattern can still be free (`low`), and where it no longer is (`high`).
struct Bracket {
  double low = infinity;
  double high = infinity;
};
Bracket free_bracket(const RowModel& rows, const Exposure& exposure, double squared_first) {
  const double largest_first = sensitivity::largest_pattern_sum(exposure, &ColumnGain::first);
  const RowGain row(rows);
  Bracket bracket;
  for (const Pattern& pattern : exposure.patterns) {
    const bool single = pattern.size() == 1;
    const double lambda =
        single ? free_lambda_of_column(row, pattern.front(), largest_first) : flat_lambda(row, pattern);
    bracket.low = std::min(bracket.low, lambda);
    // A pattern that decides the first channel has no room: leaving its flat part is leaving the free range.
    const bool decides = sensitivity::squared_sensitivity(rows, pattern, 0) == squared_first;
    if (single || decides) bracket.high = std::min(bracket.high, lambda);
  }
  return bracket;
}

}  // namespace

double largest_free_lambda(const RowModel& rows, const Exposure& exposure) {
  sensitivity::check(rows);
  sensitivity::check(exposure);
  if (rows.adjacency == Adjacency::add_remove) return 0;
  const double squared_first = worst_pattern(rows, exposure, 0).squared;
  auto [low, high] = free_bracket(rows, exposure, squared_first);
  if (low == high) return low;
  if (high == infinity) {
    // low is finite, so some second channel is seen, and here it alone exceeds the first.
    const double second = second_sensitivity(rows, exposure);
    high = 2 * squared_first / (second * second);
  }
  // The lower end stays free throughout, so rounding can only make lambda smaller than the largest free one.
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return low;
    (worst_pattern(rows, exposure, middle).squared <= squared_first ? low : high) = middle;
  }
}

double weighted_lambda(const RowModel& rows, const Exposure& exposure, double ratio) {
  sensitivity::check(rows);
  sensitivity::check(exposure);
  if (!(ratio > 0) || !std::isfinite(ratio))
    throw InvalidParameter("balance", ratio, "a finite number above 0");
  if (!(first_column_norm(exposure) > 0) || !(second_column_norm(exposure) > 0)) {
    throw InvalidParameter("balance", "needs two moments to balance");
  }
  // With std1 = sigma s(lambda) and std2 = std1 / sqrt(lambda), the errors of
  // docs/theory/errors.md#noisy-moments make the goal
  //     s^2(lambda) (1 + ratio / lambda).
  // s^2 is a supremum of functions A + lambda B with A, B >= 0, so in log lambda the logarithms of both
  // factors are convex: one minimum, and the slope's sign says on which side of it we are, kinks included.
  const auto too_large = [&](double lambda) {
    const Worst worst = worst_pattern(rows, exposure, lambda);
    const double slope = sensitivity::squared_sensitivity_slope(rows, *worst.pattern, lambda);
    return lambda * slope / worst.squared > ratio / (lambda + ratio);
  };
  double low = 1;
  while (too_large(low) && low > std::numeric_limits<double>::min()) low /= 2;
  double high = 2 * low;
  while (!too_large(high) && high < std::numeric_limits<double>::max() / 4) {
    low = high;
    high *= 2;
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return low;
    (too_large(middle) ? high : low) = middle;
  }
}

}  // namespace jme
