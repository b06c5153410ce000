#pragma once

#include <cstddef>
#include <vector>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>

namespace jme::sensitivity {

/// True for a Toeplitz C whose coefficients are non-negative and do not increase, with one row per step:
/// there every Gram entry (C'C)_ij falls with the later index and with the distance, so rows 1, 1 + b, 1 +
/// 2b, ... are worst in each entry at once (docs/theory/sensitivity.md#several-rows-of-one-person).
[[nodiscard]] bool earliest_packing_is_worst(const Filter& c, const Horizon& horizon);

/// Gram row sums g_i of that packing, i = 1 .. p; C as above. O(n log n) time.
[[nodiscard]] std::vector<double> earliest_packing_sums(const Filter& c, std::size_t participations,
                                                        std::size_t separation);

}  // namespace jme::sensitivity
