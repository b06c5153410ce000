#include <algorithm>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/participation.hpp>

#include "filter/norms.hpp"
#include "sensitivity/earliest_packing.hpp"
#include "sensitivity/full_steps.hpp"
#include "sensitivity/lag_bound.hpp"

namespace jme {

namespace {

void check_windows(const Horizon& horizon, const Participation& participation) {
  const RowWindows& windows = *participation.windows;
  const bool is_whole = windows.rows > 0 && windows.steps > 0 && windows.count > 0;
  // A step that held rows of two windows would break the bound; steps of rows do not follow the clock.
  if (!horizon.has_slots() || !is_whole || participation.separation != 1) {
    throw InvalidParameter("rows-per-person",
                           "a limit for each window of time needs steps that are slots of time");
  }
  if (windows.are_units ? participation.rows != windows.rows : participation.rows < windows.rows) {
    throw InvalidParameter("rows-per-person", "has fewer rows in all than in a window");
  }
}

}  // namespace

std::size_t windows_touched(std::size_t steps, std::size_t window) {
  return steps == 0 ? 0 : 1 + (steps - 1) / window + ((steps - 1) % window == 0 ? 0 : 1);
}

std::size_t rows_that_fit(const Horizon& horizon, const Participation& participation) {
  if (participation.rows == 0) throw InvalidParameter("participations", 0, "a whole number of at least 1");
  if (participation.separation == 0) throw InvalidParameter("separation", 0, "a whole number of at least 1");
  if (horizon.has_slots()) return participation.rows;  // any number of rows fits into a slot
  return std::min(participation.rows, 1 + (horizon.rows() - 1) / participation.separation);
}

Exposure exposure(const Filter& c1, const Filter& c2, const Horizon& horizon,
                  const Participation& participation) {
  const std::size_t p = rows_that_fit(horizon, participation);
  const std::size_t b = participation.separation;
  if (c1.steps() != horizon.steps() || c2.steps() != horizon.steps()) {
    throw InvalidParameter("shape", "must have as many rows and columns as the horizon has steps");
  }
  if (participation.windows) {
    check_windows(horizon, participation);
    const RowWindows& windows = *participation.windows;
    // Of one window, all rows may be in one slot, as where there are no windows.
    if (!windows.are_units) return sensitivity::limited_windows_exposure(c1, c2, windows, p);
  }
  if (p == 1 && first_column_is_largest(c1) && first_column_is_largest(c2)) {
    return single_exposure({largest_squared_column_norm(c1)}, {largest_squared_column_norm(c2)});
  }
  if (p == 1) return single_exposure(squared_column_norms(c1), squared_column_norms(c2));

  const bool packed = sensitivity::earliest_packing_is_worst(c1, horizon) &&
                      sensitivity::earliest_packing_is_worst(c2, horizon);
  if (!packed && b == 1) return sensitivity::full_steps_exposure(c1, c2, horizon, p);
  const auto sums = [&](const Filter& c) {
    return packed ? sensitivity::earliest_packing_sums(c, p, b)
                  : sensitivity::lag_bound_sums(c, horizon, p, b);
  };
  const std::vector<double> first = sums(c1);
  const std::vector<double> second = sums(c2);
  Exposure result{.patterns = {{}}, .blocks_touched = std::min(p, horizon.steps())};
  for (std::size_t i = 0; i < p; ++i) {
    result.patterns.front().push_back({.first = first[i], .second = second[i]});
  }
  return result;
}

}  // namespace jme
