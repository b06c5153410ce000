#pragma once

#include <span>

namespace jme {

/// True where squares of a row's entries, the largest of which is `largest`, neither over- nor underflow in a
/// way that matters: up to 2^32 of them.
[[nodiscard]] inline bool has_safe_squares(double largest) {
  return largest > 0x1p-400 && largest < 0x1p400;
}

/// Clips `row` to norm at most `norm_bound` and snaps it to the lattice of 2^-20 norm_bound: `units` gets
/// whole numbers whose squares sum to at most 2^40, checked in integers after rounding
/// (docs/theory/safety.md#data-on-the-lattice). Any finite row is allowed, including 1e308 and subnormals.
/// `units` may be the same span as `row`.
void clip_and_snap(std::span<const double> row, double norm_bound, std::span<double> units);

}  // namespace jme
