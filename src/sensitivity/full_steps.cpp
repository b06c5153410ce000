#include "sensitivity/full_steps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <jme/base/errors.hpp>

#include "filter/norms.hpp"

namespace jme::sensitivity {

namespace {

/// All rows in one step: the columns, each entered by the sum of `rows` equal changes. The rows may also be
/// in different steps, which moves no more than `rows` times the worst single row.
Exposure one_step(const Filter& c1, const Filter& c2, std::size_t rows) {
  const bool one_is_enough = first_column_is_largest(c1) && first_column_is_largest(c2);
  Exposure columns =
      one_is_enough ? single_exposure({largest_squared_column_norm(c1)}, {largest_squared_column_norm(c2)})
                    : single_exposure(squared_column_norms(c1), squared_column_norms(c2));
  const auto count = static_cast<double>(rows);
  const double factor = count * count * (1 + 4 * std::numeric_limits<double>::epsilon());
  for (auto& pattern : columns.patterns) {
    for (ColumnGain& gain : pattern) gain = {.first = factor * gain.first, .second = factor * gain.second};
  }
  return columns;
}

/// G(0), ..., G(steps - 1). G does not rise, so neither need its bounds.
std::vector<double> lag_bounds(const Filter& c, std::size_t steps) {
  std::vector<std::size_t> lags(steps);
  std::iota(lags.begin(), lags.end(), std::size_t{0});
  std::vector<double> bounds = gram_lag_bounds(c, lags);
  for (std::size_t l = 1; l < steps; ++l) bounds[l] = std::min(bounds[l], bounds[l - 1]);
  return bounds;
}

/// c_i sum_j c_j G(|i-j|) for steps 0 .. p-1 with c = m, but `last` rows in the last step.
std::vector<double> sums_of_steps(const std::vector<double>& bounds, double m, double last) {
  const std::size_t p = bounds.size();
  std::vector<double> within(p + 1, 0.0);  // within[l] = G(0) + ... + G(l-1)
  std::partial_sum(bounds.begin(), bounds.end(), within.begin() + 1);
  const double up = 1 + static_cast<double>(p + 8) * std::numeric_limits<double>::epsilon();
  std::vector<double> sums(p);
  for (std::size_t i = 0; i + 1 < p; ++i) {
    const double full = within[i + 1] + (within[p - 1 - i] - bounds[0]);  // the steps 0 .. p-2
    sums[i] = up * m * (m * full + last * bounds[p - 1 - i]);
  }
  sums[p - 1] = up * last * (m * (within[p] - bounds[0]) + last * bounds[0]);
  return sums;
}

/// m^2 times the sum of G over all steps of all windows, for each of them: windows after windows.
std::vector<double> sums_of_windows(const Filter& c, std::size_t windows, std::size_t window, std::size_t p,
                                    double m) {
  std::vector<std::size_t> lags(p + windows);
  std::iota(lags.begin(), lags.begin() + static_cast<std::ptrdiff_t>(p), std::size_t{0});
  // Beyond the same window: windows side by side have steps side by side.
  for (std::size_t t = 0; t < windows; ++t) lags[p + t] = t == 0 ? 0 : (t - 1) * window + 1;
  std::vector<double> bounds = gram_lag_bounds(c, lags);
  std::vector<double> others(windows, 0.0);  // sum over the windows at distance 1 .. t
  for (std::size_t t = 1; t < windows; ++t) {
    others[t] = others[t - 1] + static_cast<double>(p) * bounds[p + t];
  }
  const double up = 1 + static_cast<double>(p + windows + 8) * std::numeric_limits<double>::epsilon();
  std::vector<double> sums;
  for (std::size_t t = 0; t < windows; ++t) {
    const double outside = others[t] + others[windows - 1 - t];
    for (std::size_t i = 0; i < p; ++i) {
      double inside = 0;
      for (std::size_t j = 0; j < p; ++j) inside += bounds[i < j ? j - i : i - j];
      sums.push_back(up * m * m * (inside + outside));
    }
  }
  return sums;
}

/// What a person can move whose rows are in at most `windows` windows of `window` steps, `rows` in each,
/// `in_step` in a step, `in_all` in all.
struct WindowedRows {
  std::size_t rows, in_step, window, windows, in_all;
};
Exposure windowed(const Filter& c1, const Filter& c2, const WindowedRows& at) {
  const std::size_t n = c1.steps();
  const std::size_t p = std::min(1 + (at.rows - 1) / at.in_step, at.window);
  const auto m = static_cast<double>(at.in_step);
  const std::vector<double> first = sums_of_windows(c1, at.windows, at.window, p, m);
  const std::vector<double> second = sums_of_windows(c2, at.windows, at.window, p, m);
  std::vector<ColumnGain> steps;
  for (std::size_t i = 0; i < first.size(); ++i) steps.push_back({.first = first[i], .second = second[i]});
  Exposure result{.patterns = {steps}};
  // All rows in one step would move no less, where the last step of a window is not full.
  const Exposure together = one_step(c1, c2, at.in_all);
  if (first_column_norm(together) < first_column_norm(result)) result = together;
  result.blocks_touched = std::min({at.windows * std::min(at.rows, at.window), at.in_all, n});
  return result;
}

}  // namespace

Exposure windows_exposure(const Filter& c1, const Filter& c2, std::size_t rows, std::size_t in_step,
                          std::size_t window) {
  const std::size_t n = c1.steps();
  if (rows == 0 || in_step == 0 || window == 0 || c2.steps() != n) {
    throw InvalidParameter("rows-per-person", "needs rows, steps and windows of at least 1");
  }
  const std::size_t m = std::min(rows, in_step), w = std::min(window, n), windows = 1 + (n - 1) / w;
  return windowed(c1, c2,
                  {.rows = rows,
                   .in_step = m,
                   .window = w,
                   .windows = windows,
                   .in_all = windows * std::min(rows, m * w)});
}

Exposure limited_windows_exposure(const Filter& c1, const Filter& c2, const RowWindows& windows,
                                  std::size_t rows_in_all) {
  const std::size_t touched = std::min(
      {windows.count, 1 + (rows_in_all - 1) / windows.rows, windows_touched(c1.steps(), windows.steps)});
  return windowed(c1, c2,
                  {.rows = windows.rows,
                   .in_step = windows.rows,
                   .window = std::min(windows.steps, c1.steps()),
                   .windows = touched,
                   .in_all = std::min(rows_in_all, touched * windows.rows)});
}

Exposure full_steps_exposure(const Filter& c1, const Filter& c2, const Horizon& horizon, std::size_t rows) {
  // Slots of time may hold all of them.
  const std::size_t m = std::min(rows, horizon.most_rows_in_step().value_or(rows));
  const std::size_t p = 1 + (rows - 1) / m;
  Exposure result = one_step(c1, c2, rows);
  if (p > 1) {
    const std::vector<double> bounds1 = lag_bounds(c1, p), bounds2 = lag_bounds(c2, p);
    // The step that is not full does most at an end where both channels have the same bounds; else it counts
    // as full.
    const std::size_t rest = bounds1 == bounds2 ? rows - (p - 1) * m : m;
    const auto full = static_cast<double>(m), last = static_cast<double>(rest);
    const std::vector<double> first = sums_of_steps(bounds1, full, last);
    const std::vector<double> second = sums_of_steps(bounds2, full, last);
    std::vector<ColumnGain> steps;
    for (std::size_t i = 0; i < p; ++i) steps.push_back({.first = first[i], .second = second[i]});
    // Both bounds hold. The one that is smaller in the first channel is taken.
    const Exposure apart{.patterns = {steps}};
    if (first_column_norm(apart) < first_column_norm(result)) result = apart;
  }
  result.blocks_touched = std::min(rows, horizon.steps());
  return result;
}

}  // namespace jme::sensitivity
