#pragma once

namespace jme::ranges {

/// Noisy counts are whole multiples of this, and so are counts: their sums are exact. Fine enough that
/// rounding to it adds nothing worth mentioning to noise of one count.
inline constexpr double lattice = 0x1p-10;
/// Counts stay far below 2^52 lattice units.
inline constexpr double most_records = 0x1p40;

}  // namespace jme::ranges
