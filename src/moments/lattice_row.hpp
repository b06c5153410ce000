#pragma once

#include <cstddef>
#include <span>

#include <jme/moments/row_map.hpp>

namespace jme {

/// One in lattice units: the norm bound of the ball, half the width of the box, a cell or row that is there.
inline constexpr double lattice_one = 0x1p20;

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

/// Clamps every cell to [-1, 1] and snaps it to the lattice of 2^-20: whole numbers of at most 2^20. Where
/// `norm_bound` is below sqrt(d), the squares sum to at most (2^20 norm_bound)^2 besides.
void clamp_and_snap(std::span<const double> row, double norm_bound, std::span<double> units);

/// The largest sum of squares that clamp_and_snap leaves; infinite where the norm bound cuts nothing off.
[[nodiscard]] double largest_square_in_box(std::size_t dimension, double norm_bound);

/// A row in lattice units as the first channel sums it (ReleaseLayout): its values, 2^20 for each cell that
/// is present, 2^20 if the row exists. NaN is an absent cell. `units` has layout.first_size() entries.
void snap_row(const RowMap& map, std::span<const double> row, std::span<double> units);

}  // namespace jme
