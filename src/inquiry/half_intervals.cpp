#include "inquiry/half_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace jme::inquiry {

using Json = nlohmann::ordered_json;

namespace {

/// Where nothing is known of a column: a sixth of its range, so that the range is six deviations wide.
constexpr double usual_deviation = 1.0 / 3;

Json number_or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The largest over the means that a column may have; none where one of them has none.
template <class Half>
std::optional<double> largest(const std::vector<double>& means, const Half& half) {
  std::optional<double> result = 0;
  for (const double mean : means) {
    const std::optional<double> one = half(mean);
    if (!one) return std::nullopt;
    result = std::max(*result, *one);
  }
  return result;
}

std::optional<double> half_of_mean(const ExpectedRelease& release, const Column& column) {
  return largest(column.means(std::nullopt), [&](double mean) { return jme::half_of_mean(release, mean); });
}

/// Its standard deviation in the unit box; none where it has no range that would say one.
std::optional<double> deviation_of(const Column& column, bool bounded) {
  if (column.deviation) return column.deviation;
  if (!bounded) return std::nullopt;
  // A mean near a bound leaves less.
  return std::min(usual_deviation, std::sqrt(std::max(0.0, 1 - std::pow(column.mean.value_or(0), 2))));
}

struct Uncertain {
  std::vector<double> means;
  double deviation;
};

/// The columns of which a deviation is known or supposed.
std::vector<std::optional<Uncertain>> with_deviations(const std::vector<Column>& columns, bool bounded) {
  std::vector<std::optional<Uncertain>> result;
  for (const Column& column : columns) {
    const std::optional<double> deviation = deviation_of(column, bounded);
    result.push_back(deviation && *deviation > 0
                         ? std::optional(Uncertain{.means = column.means(deviation), .deviation = *deviation})
                         : std::nullopt);
  }
  return result;
}

/// The median over all pairs of columns.
std::optional<double> typical_correlation(const ExpectedRelease& release,
                                          const std::vector<std::optional<Uncertain>>& columns) {
  std::vector<double> halves;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      if (!columns[i] || !columns[j]) continue;
      // The error grows with both means.
      const auto half =
          half_of_correlation(release, {.mean = columns[i]->means.back(), .deviation = columns[i]->deviation},
                              {.mean = columns[j]->means.back(), .deviation = columns[j]->deviation});
      halves.push_back(half.value_or(HUGE_VAL));
    }
  }
  if (halves.empty()) return std::nullopt;
  const auto middle = halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2);
  std::nth_element(halves.begin(), middle, halves.end());
  return std::isfinite(*middle) ? std::optional(*middle) : std::nullopt;
}

}  // namespace

Json half_intervals(const ExpectedRelease& release, const std::vector<Column>& columns, bool bounded) {
  Json mean = Json::array(), deviation = Json::array();
  const std::vector<std::optional<Uncertain>> uncertain = with_deviations(columns, bounded);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const auto scaled = [&](std::optional<double> half) {
      return number_or_null(half ? std::optional(*half * column.half_width) : std::nullopt);
    };
    mean.push_back(scaled(half_of_mean(release, column)));
    deviation.push_back(scaled(!uncertain[i] ? std::nullopt : largest(uncertain[i]->means, [&](double m) {
      return half_of_deviation(release, {.mean = m, .deviation = uncertain[i]->deviation});
    })));
  }
  return {{"mean", std::move(mean)},
          {"std", std::move(deviation)},
          {"correlation", number_or_null(typical_correlation(release, uncertain))}};
}

/// Why a figure is null.
Json reasons(const Json& halves, const ExpectedRelease& release, const Mechanism& mechanism, bool bounded) {
  const auto is_null = [](const Json& value) { return value.is_null(); };
  Json result = Json::object();
  const bool no_mean = std::ranges::any_of(halves["mean"], is_null);
  if (no_mean) {
    result["mean"] = fmt::format(
        "too few rows: a mean is released once their count, {:.4g}, is above {:g} standard deviations of its "
        "noise, {:.4g} each",
        release.weight, release.known_above, release.noise.count);
  }
  const bool pp = squares_noisy_rows(mechanism.config().method);
  if (std::ranges::any_of(halves["std"], is_null)) {
    result["std"] = !mechanism.has_second() ? "the run releases no second moment"
                    : pp                    ? "with this method it depends on the data"
                    : no_mean               ? "as for the mean"
                    : !bounded              ? "without bounds, expect-std must say each deviation"
                                            : "too few rows for the counts";
  }
  if (halves["correlation"].is_null()) {
    result["correlation"] = mechanism.config().dimension < 2 ? "there is one column"
                            : mechanism.config().second != SecondMoment::full
                                ? "the run releases no products of columns"
                            : result.contains("std") ? "as for the standard deviation"
                                                     : "the noise is as large as any correlation can be";
  }
  return result;
}

}  // namespace jme::inquiry
