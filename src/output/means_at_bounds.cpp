#include <algorithm>

#include <fmt/format.h>

#include <jme/models/covariance.hpp>
#include <jme/output/means_at_bounds.hpp>
#include <jme/output/report_collector.hpp>

namespace jme {

namespace {

constexpr std::size_t most_names = 12;

/// In the unit box.
MeanInterval interval_of(const Release& release, const Divisors& divisors) {
  const Units unit_box = Units::identity(release.dimension());
  if (divisors.kind() != Divisors::Kind::weights) return mean_interval(release, unit_box);
  const MeanEstimate mean = running_mean(release, unit_box, divisors);
  return {.low = mean.value - band_95 * mean.noise_std, .high = mean.value + band_95 * mean.noise_std};
}

}  // namespace

std::vector<std::size_t> means_at_bounds(const Release& release, const Divisors& divisors,
                                         const ColumnBounds& bounds) {
  std::vector<std::size_t> result;
  if (bounds.is_none()) return result;
  const MeanInterval interval = interval_of(release, divisors);
  for (Eigen::Index i = 0; i < interval.low.size(); ++i) {
    // An unknown mean is NaN, of which no comparison is true.
    const bool at_low = interval.low(i) <= -1 && interval.high(i) < 0;
    const bool at_high = interval.high(i) >= 1 && interval.low(i) > 0;
    if (at_low || at_high) result.push_back(static_cast<std::size_t>(i));
  }
  return result;
}

std::string means_at_bounds_words(const std::vector<std::size_t>& at_bounds,
                                  const std::vector<std::string>& columns) {
  if (at_bounds.empty()) return "";
  if (at_bounds.size() == 1) {
    return fmt::format("the mean of {} lies within its noise of a bound: check bounds and units",
                       columns[at_bounds.front()]);
  }
  std::string names;
  for (std::size_t k = 0; k < std::min(at_bounds.size(), most_names); ++k) {
    names += fmt::format("{}{}", k == 0 ? "" : ", ", columns[at_bounds[k]]);
  }
  if (at_bounds.size() > most_names)
    names += fmt::format(" and {} more columns", at_bounds.size() - most_names);
  return fmt::format("the means of {} lie within their noise of a bound: check bounds and units", names);
}

}  // namespace jme
