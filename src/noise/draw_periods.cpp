#include "noise/draw_periods.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <jme/base/errors.hpp>

namespace jme {

DrawPeriods::DrawPeriods(std::vector<DrawPeriod> periods) : periods_(std::move(periods)) {
  const auto not_after = [](const DrawPeriod& a, const DrawPeriod& b) {
    return b.first_step <= a.first_step;
  };
  if (periods_.empty() || periods_.front().first_step != 0 ||
      std::adjacent_find(periods_.begin(), periods_.end(), not_after) != periods_.end()) {
    throw StateError("state: the nonces' steps do not begin at 0 and rise");
  }
}

const GaussianSource& DrawPeriods::at(std::uint64_t step) const {
  // Nearly always the newest.
  if (step >= periods_.back().first_step) return periods_.back().source;
  const auto next = std::upper_bound(
      periods_.begin(), periods_.end(), step,
      [](std::uint64_t value, const DrawPeriod& period) { return value < period.first_step; });
  return std::prev(next)->source;
}

}  // namespace jme
