#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "privacy/turn_law.hpp"

namespace jme::privacy {

/// The masses of sums of independent parts on a lattice.
struct SumLaw {
  double spacing = 0;
  std::int64_t first = 0;        ///< masses[i] is that of (first + i) spacing
  std::vector<double> masses{};  ///< not negative
  double error = 0;              ///< bounds the sum of all absolute errors, with what lies past both ends
};

/// Where a sum lies but for a small probability.
struct Interval {
  double bottom, top;
};
/// A sum of `head` and `count` - 1 further parts lies outside with at most twice `mass`, by Chernoff's bound.
[[nodiscard]] Interval likely_interval(const LatticeMasses& head, const LatticeMasses& part, double count,
                                       double mass);

/// Parts of two kinds on one lattice, and the first part of each kind, whose law may be another.
struct Parts {
  LatticeMasses head, part;
};

/// The law of a sum of `count` parts of `all`, without the sums of parts of `inner` alone: those in which at
/// least one part is in `all` and not in `inner`. `lies` is where the sums of `all` lie but for `outside`.
[[nodiscard]] SumLaw law_of_sum(const Parts& all, const Parts& inner, std::uint64_t count, Interval lies,
                                double outside);

}  // namespace jme::privacy
