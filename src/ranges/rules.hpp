#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <jme/ranges/range_search.hpp>

#include "ranges/bins.hpp"

namespace jme::ranges {

// What is made of noisy counts: post-processing, which never sees a cell.

/// Bins from `first` to `last`, both included.
struct Hull {
  std::size_t first, last;
  [[nodiscard]] std::size_t size() const { return last - first + 1; }
  /// `by` bins more on both sides, as far as there are any.
  [[nodiscard]] Hull widened(std::size_t by, std::size_t bins) const;
  bool operator==(const Hull&) const = default;
};

/// From the first bin above the threshold to the last; none where no bin is above it.
[[nodiscard]] std::optional<Hull> hull_above(std::span<const double> counts, double threshold);
[[nodiscard]] double mass(std::span<const double> counts, const Hull& hull);

/// What is known about a column after some stages.
class Column {
 public:
  /// After the first stage: counts over SignedPowers.
  Column(std::span<const double> counts, const RangeSearch::Stage& stage);
  /// A further stage: counts over bins().
  void refine(std::span<const double> counts, const RangeSearch::Stage& stage);

  [[nodiscard]] bool is_found() const { return found_; }
  /// Over the present range; not where there is none.
  [[nodiscard]] EqualBins bins() const { return {.lowest = low_, .highest = high_}; }
  [[nodiscard]] FoundRange result() const;

 private:
  bool found_ = false, is_zero_ = false;
  double low_ = 0, high_ = 0;
  double total_ = 0, total_variance_ = 0;    // of all cells, as the first stage counts them
  double inside_ = 0, inside_variance_ = 0;  // of the cells in the range
  bool inside_is_part_of_total_ = true;      // counted in the same stage, with the same noise
};

}  // namespace jme::ranges
