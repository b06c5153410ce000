#include "privacy/epoch_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "privacy/sum_law.hpp"
#include "privacy/turn_law.hpp"

namespace jme::privacy {
namespace {

// Cells of a turn's law, and points of a sum's, on each scale.
constexpr double cells = 0x1p15;
constexpr double points = 0x1p16;
// What lies below the largest turn by this factor is looked at on a finer scale of its own.
constexpr double next_scale = 0x1p-6;
// Spreading inside cells may add this squared to the variance of a loss before a finer scale is taken.
constexpr double loss_resolution = 1e-4;
// For choosing a scale; a coarser lattice spreads more, so that what it bounds is bounded.
constexpr double coarse_cells = 0x1p10;

/// The law of an epoch, put together from sums in which the largest turn is of one scale after another.
class Epoch {
 public:
  Epoch(const Allocation& mechanism, Direction direction, double left_out)
      : turn_(mechanism.sigma, direction),
        direction_(direction),
        turns_(mechanism.turns),
        count_(static_cast<double>(mechanism.turns)),
        left_out_(left_out) {}

  EpochLaw law() {
    double top = turn_.rarely_above(left_out_ / count_);
    largest_ = top;
    if (direction_ == Direction::remove)
      law_.infinite += turn_.above_with_row(top) + (count_ - 1) * turn_.above(top);
    while (top > 0) {
      const double below = all_below(top);
      if (below <= left_out_) {
        law_.infinite += below;
        break;
      }
      top = add_scale(top);
    }
    return std::move(law_);
  }

 private:
  [[nodiscard]] bool has_row() const { return direction_ == Direction::remove; }

  /// The probability that no turn is above `ratio`.
  [[nodiscard]] double all_below(double ratio) const {
    const double first = has_row() ? turn_.below_with_row(ratio) : turn_.below(ratio);
    return std::min(1.0, first * std::pow(turn_.below(ratio), count_ - 1) * (1 + 1e-12 * count_));
  }
  /// That one is.
  [[nodiscard]] double any_above(double ratio) const {
    const double first = has_row() ? turn_.above_with_row(ratio) : turn_.above(ratio);
    return first + (count_ - 1) * turn_.above(ratio);
  }

  /// The first turn is that with the row where it is removed: its law has w as its density.
  [[nodiscard]] LatticeMasses head_of(const LatticeMasses& part) const {
    LatticeMasses head = part;
    if (!has_row()) return head;
    for (std::size_t k = 0; k < head.masses.size(); ++k)
      head.masses[k] *= head.spacing * static_cast<double>(k) * (1 + 0x1p-51);
    return head;
  }

  [[nodiscard]] LatticeMasses turns_between(double from, double to, double spacing) const {
    LatticeMasses part = turn_.between(from, to, spacing);
    // Where the row is added, lower ratios are the worse ones: what is above the largest is taken for it.
    if (!has_row() && to == largest_) part.masses.back() += turn_.above(to);
    return part;
  }

  /// Sums whose largest turn is between the next scale and `top`; the next scale, or 0 after the last.
  double add_scale(double top) {
    const LatticeMasses coarse = turns_between(0, top, top / coarse_cells);
    const Interval lies = likely_interval(head_of(coarse), coarse, count_, left_out_);
    const double spacing = std::min(
        top, std::exp2(std::ceil(std::log2(std::max(top / cells, (lies.top - lies.bottom) / (points - 4))))));
    const bool is_last = spacing * std::sqrt(count_) <= 2 * loss_resolution * lies.bottom || spacing >= top;
    const double next = is_last ? 0 : std::max(top * next_scale, spacing);
    if (!is_last && any_above(next) <= left_out_ && top < largest_) {
      law_.infinite += any_above(next);
      return next;
    }
    add_sums(next, top, spacing, lies);
    return next;
  }

  void add_sums(double from, double to, double spacing, Interval lies) {
    Parts inner{.head = {}, .part = turns_between(0, from, spacing)};
    inner.head = head_of(inner.part);
    Parts all{.head = {}, .part = turns_between(from, to, spacing)};
    for (std::size_t k = 0; k < inner.part.masses.size(); ++k) all.part.masses[k] += inner.part.masses[k];
    all.head = head_of(all.part);
    const SumLaw sum = law_of_sum(all, inner, turns_, lies, 2 * left_out_);
    law_.infinite += sum.error;
    for (std::size_t i = 0; i < sum.masses.size(); ++i) {
      const double at = static_cast<double>(sum.first + static_cast<std::int64_t>(i)) * spacing;
      if (!(sum.masses[i] > 0)) continue;
      if (!(at > 0)) {
        law_.infinite += sum.masses[i];
        continue;
      }
      const double log_ratio = std::log(at / count_);
      law_.atoms.push_back({.loss = has_row() ? log_ratio : -log_ratio, .mass = sum.masses[i]});
    }
  }

  TurnLaw turn_;
  Direction direction_;
  std::uint64_t turns_;
  double count_, left_out_, largest_ = 0;
  EpochLaw law_{};
};

}  // namespace

EpochLaw epoch_law(const Allocation& mechanism, Direction direction, double left_out) {
  return Epoch(mechanism, direction, left_out).law();
}

}  // namespace jme::privacy
