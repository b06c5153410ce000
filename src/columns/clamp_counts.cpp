#include <fmt/format.h>

#include <jme/columns/clamp_counts.hpp>

namespace jme {

namespace {

double percent(std::size_t part, std::size_t all) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

double ClampCounts::share(std::size_t column) const {
  if (cells[column] == 0) return 0;
  return percent(below[column] + above[column], cells[column]) / 100;
}

std::optional<std::string> clamping_warning(const ClampCounts& counts, const ColumnBounds& bounds,
                                            std::size_t column, std::string_view name) {
  if (!(counts.share(column) > doubtful_clamped_share)) return std::nullopt;
  const std::size_t cells = counts.cells[column];
  const double low = bounds.low()[column], high = bounds.high()[column];
  std::string what;
  if (counts.above[column] == 0) {
    what = fmt::format("{:.3g}% of the cells of {} were below its lower bound {} and were clamped to it",
                       percent(counts.below[column], cells), name, low);
  } else if (counts.below[column] == 0) {
    what = fmt::format("{:.3g}% of the cells of {} were above its upper bound {} and were clamped to it",
                       percent(counts.above[column], cells), name, high);
  } else {
    what = fmt::format("{:.3g}% of the cells of {} were clamped to its bounds ({:.3g}% to {}, {:.3g}% to {})",
                       100 * counts.share(column), name, percent(counts.below[column], cells), low,
                       percent(counts.above[column], cells), high);
  }
  return what + ": check the bounds and the units; keep these numbers to yourself";
}

}  // namespace jme
