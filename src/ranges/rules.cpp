#include "ranges/rules.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace jme {

namespace ranges {

namespace {

// A range may leave out this share of the cells that a stage counts.
constexpr double spared_share = 0.02;
// A range narrower than this, relative to its middle, may be that of a constant.
constexpr double narrow = 0x1p-20;

double variance_of(const Hull& hull, const RangeSearch::Stage& stage) {
  return static_cast<double>(hull.size()) * stage.std * stage.std;
}

/// Whether too many of the cells that a stage counts lie outside `hull`. What is left out is counted itself:
/// the difference of two stages' totals would carry the noise of all their bins.
bool loses_many(std::span<const double> counts, const Hull& hull, double total) {
  const Hull all{.first = 0, .last = counts.size() - 1};
  return mass(counts, all) - mass(counts, hull) > spared_share * total;
}

}  // namespace

Hull Hull::widened(std::size_t by, std::size_t bins) const {
  return {.first = first - std::min(by, first), .last = std::min(last + by, bins - 1)};
}

std::optional<Hull> hull_above(std::span<const double> counts, double threshold) {
  const auto is_above = [&](double count) { return count > threshold; };
  const auto first = std::find_if(counts.begin(), counts.end(), is_above);
  if (first == counts.end()) return std::nullopt;
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_above);
  return Hull{.first = static_cast<std::size_t>(first - counts.begin()),
              .last = counts.size() - 1 - static_cast<std::size_t>(last - counts.rbegin())};
}

double mass(std::span<const double> counts, const Hull& hull) {
  const auto part = counts.subspan(hull.first, hull.size());
  return std::accumulate(part.begin(), part.end(), 0.0);
}

Column::Column(std::span<const double> counts, const RangeSearch::Stage& stage) {
  const Hull all{.first = 0, .last = counts.size() - 1};
  total_ = mass(counts, all);
  total_variance_ = variance_of(all, stage);
  const std::optional<Hull> above = hull_above(counts, stage.threshold);
  if (!above) return;
  is_zero_ = above->first == SignedPowers::zero && above->last == SignedPowers::zero;
  Hull hull = above->widened(1, counts.size());
  if (loses_many(counts, hull, total_)) {
    hull = hull.widened(1, counts.size());
  }
  inside_ = mass(counts, hull);
  inside_variance_ = variance_of(hull, stage);
  low_ = SignedPowers::low(hull.first);
  high_ = SignedPowers::high(hull.last);
  found_ = total_ > 0 && inside_ >= total_ / 2;
}

void Column::refine(std::span<const double> counts, const RangeSearch::Stage& stage) {
  if (!found_) return;
  const std::optional<Hull> above = hull_above(counts, stage.threshold);
  if (!above) return;
  const Hull hull = above->widened((above->size() + 1) / 2, counts.size());
  if (loses_many(counts, hull, total_)) return;
  const EqualBins within = bins();
  low_ = within.low(hull.first);
  high_ = within.high(hull.last);
  inside_ = mass(counts, hull);
  inside_variance_ = variance_of(hull, stage);
  inside_is_part_of_total_ = false;
}

// To first order in the noise: the share is 1 - I / T, with I and T independent where I was counted in a
// later stage than T, and T = I + O with I and O independent where both are of the first stage.
FoundRange Column::result() const {
  if (!found_) return {};
  const double share = 1 - inside_ / total_;
  const double squared = inside_is_part_of_total_
                             ? (1 - share) * (1 - share) * (total_variance_ - inside_variance_) +
                                   share * share * inside_variance_
                             : inside_variance_ + (1 - share) * (1 - share) * total_variance_;
  const bool is_narrow = high_ - low_ < narrow * std::abs(low_ / 2 + high_ / 2);
  return {.kind = is_zero_ || is_narrow ? FoundRange::Kind::constant : FoundRange::Kind::found,
          .low = low_,
          .high = high_,
          .outside = share,
          .outside_std = std::sqrt(squared) / total_};
}

}  // namespace ranges

bool FoundRange::has_many_outside() const {
  constexpr double thin_tail = 0.01;
  return kind != Kind::not_found && outside > std::max(thin_tail, 2 * outside_std);
}

}  // namespace jme
