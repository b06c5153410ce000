#include <algorithm>
#include <cmath>
#include <limits>

#include <jme/base/errors.hpp>
#include <jme/filter/filter.hpp>
#include <jme/filter/schedule.hpp>

#include "filter/norms.hpp"
#include "filter/pair_sums.hpp"

namespace jme {
namespace {

/// From here on, blocks of columns without end grow with time, as 1/256 of their start: a chord is then
/// within 2e-6 q of the schedule.
constexpr std::size_t first_leap = 256 * Schedule::block;
/// Norms to the last step include the tail beyond it, and only its very end is bounded coarsely.
constexpr double tail = 2;

/// log(p_i p_k) of every pair, exact for poles near 1, because 1 - p is exact.
std::vector<double> log_ratios(std::span<const double> poles) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < poles.size(); ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      const double x = 1 - poles[i], y = 1 - poles[k];
      logs.push_back(std::log1p(-(x + y - x * y)));
    }
  }
  return logs;
}

}  // namespace

void Schedule::InverseNorms::fill_rows(std::size_t begin, std::span<double> out) const {
  if (row) return row->fill(begin, out);
  std::fill(out.begin(), out.end(), 1.0);
}

Schedule::InverseNorms Schedule::inverse_norms(const Schedule& row, const Toeplitz& core, std::size_t steps) {
  const auto* power = std::get_if<Power>(&row.kind_);
  if (power == nullptr && !row.is_one()) {
    throw InvalidParameter("schedule", "norms of columns need a row schedule that is 1 or a power");
  }
  if (steps == 0 || row.steps() < steps) throw InvalidParameter("schedule", "is shorter than the filter");
  bool positive = core.taps.size() == 1 && !core.inverted && core.lag_taps.empty();
  for (const Mode& mode : core.modes)
    positive = positive && mode.weight > 0 && mode.pole >= 0 && mode.pole < 1;
  if (!positive) {
    throw InvalidParameter("filter", "norms of columns need one tap, positive weights and poles in [0, 1)");
  }
  InverseNorms norms{.row = power == nullptr ? std::nullopt : std::optional(*power),
                     .squared_tap = core.taps[0] * core.taps[0],
                     .poles = {},
                     .weights = {},
                     .steps = steps,
                     .up = 1,
                     .ends = {},
                     .sums = {}};
  for (const Mode& mode : core.modes) {
    norms.poles.push_back(mode.pole);
    norms.weights.push_back(mode.weight);
  }
  return norms;
}

Schedule Schedule::inverse_column_norms(const Schedule& row, const Toeplitz& core, std::size_t steps) {
  InverseNorms norms = inverse_norms(row, core, steps);
  // A sum of positive terms with powers of a rounded ratio: the relative error grows by at most 3 u per step.
  norms.up = 1 + 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(steps + norms.pairs() + 16);
  for (std::size_t end = block; end < steps; end += block) norms.ends.push_back(end);
  norms.ends.push_back(steps);
  norms.sums.assign(norms.ends.size() * norms.pairs(), 0.0);
  std::vector<double> rows(block);
  with_pair_sums(norms.poles, norms.weights, std::vector<double>(norms.pairs(), 0.0), [&](auto pairs) {
    for (std::size_t b = norms.ends.size(); b-- > 1;) {
      const std::size_t begin = norms.ends[b - 1], count = norms.ends[b] - begin;
      norms.fill_rows(begin, std::span(rows).first(count));
      for (std::size_t t = count; t-- > 0;) pairs.sum = pairs.ratio * pairs.sum + rows[t] * rows[t];
      pairs.copy_to(std::span(norms.sums).subspan((b - 1) * norms.pairs(), norms.pairs()));
    }
  });
  Schedule schedule;
  schedule.kind_ = std::move(norms);
  return schedule;
}

Schedule Schedule::inverse_endless_column_norms(const Schedule& row, const Toeplitz& core,
                                                std::size_t steps) {
  InverseNorms norms = inverse_norms(row, core, steps);
  if (norms.row && (norms.row->s != 0 || norms.row->q > 0)) {
    throw InvalidParameter("schedule", "columns without end need a row schedule that does not rise");
  }
  if (!norms.row) return constant_until(steps, 1 / endless_column_norm(core), {});
  // Block by block at first; then in leaps over which the squared schedule stays below its chord.
  std::size_t end = block;
  const auto last = static_cast<std::size_t>(tail * static_cast<double>(steps));
  for (; end < last; end += std::max(block, end / first_leap * block)) norms.ends.push_back(end);
  norms.ends.push_back(end);
  // 3 u per step as above; the leaps and their closed forms lose far less than the steps that they replace.
  norms.up = 1 + 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(end + norms.pairs() + 16);
  norms.sums.resize(norms.ends.size() * norms.pairs());
  // From there on the schedule is at most its value there, which gives l^2 / (1 - p_i p_k).
  std::vector<double> sums;
  const double beyond = std::exp(2 * norms.row->log_at(static_cast<double>(end)));
  for (const double log_ratio : log_ratios(norms.poles)) sums.push_back(beyond / -std::expm1(log_ratio));
  for (std::size_t b = norms.ends.size(); b-- > 0;) {
    std::copy(sums.begin(), sums.end(), norms.sums.begin() + static_cast<std::ptrdiff_t>(b * norms.pairs()));
    if (b > 0) norms.leap(norms.ends[b], norms.ends[b - 1], sums);
  }
  Schedule schedule;
  schedule.kind_ = std::move(norms);
  return schedule;
}

// V(to) from V(from), from > to. Block by block it is exact; over a leap it uses the chord: log l^2 is convex
// where l is a falling power, so l_t^2 <= l_to^2 g^(t - to) with g from the two ends, and the sum is
// geometric.
void Schedule::InverseNorms::leap(std::size_t from, std::size_t to, std::span<double> pair_sums) const {
  const auto length = static_cast<double>(from - to);
  const double first = row ? 2 * row->log_at(static_cast<double>(to)) : 0.0;
  const double slope = row ? (2 * row->log_at(static_cast<double>(from)) - first) / length : 0.0;
  const std::vector<double> ratios = log_ratios(poles);
  if (from - to <= block && row) {
    std::vector<double> rows(from - to);
    fill_rows(to, rows);
    with_pair_sums(poles, weights, pair_sums, [&](auto pairs) {
      for (std::size_t t = rows.size(); t-- > 0;) pairs.sum = pairs.ratio * pairs.sum + rows[t] * rows[t];
      pairs.copy_to(pair_sums);
    });
    return;
  }
  for (std::size_t i = 0; i < pair_sums.size(); ++i) {
    const double joint = ratios[i] + slope;
    const double inside = std::exp(first) * std::expm1(length * joint) / std::expm1(joint);
    pair_sums[i] = std::exp(length * ratios[i]) * pair_sums[i] + inside;
  }
}

std::vector<double> Schedule::InverseNorms::sums_at(std::size_t end) const {
  const auto next = std::lower_bound(ends.begin(), ends.end(), end);
  const auto at = static_cast<std::size_t>(next - ends.begin());
  const auto stored = std::span(sums).subspan(at * pairs(), pairs());
  std::vector<double> result(stored.begin(), stored.end());
  if (*next != end) leap(*next, end, result);
  return result;
}

void Schedule::InverseNorms::fill(std::size_t begin, std::span<double> out) const {
  while (!out.empty()) {
    const std::size_t first = begin - begin % block;
    // The last block ends where the columns end; for columns without end, all blocks are whole.
    const std::size_t end = std::min(first + block, ends.back());
    const std::size_t count = std::min(out.size(), end - begin);
    std::vector<double> rows(end - begin);
    fill_rows(begin, rows);
    with_pair_sums(poles, weights, sums_at(end), [&](auto pairs) {
      for (std::size_t t = rows.size(); t-- > 0;) {
        const double squared = rows[t] * rows[t];
        if (t < count) out[t] = squared_tap * squared + (pairs.weight * pairs.sum).sum();
        pairs.sum = pairs.ratio * pairs.sum + squared;
      }
    });
    Eigen::Map<Eigen::ArrayXd> squares(out.data(), static_cast<Eigen::Index>(count));
    squares = 1 / (squares.sqrt() * up);
    begin += count;
    out = out.subspan(count);
  }
}

}  // namespace jme
