#pragma once

#include <cstddef>
#include <vector>

#include <jme/base/horizon.hpp>
#include <jme/filter/filter.hpp>

namespace jme::sensitivity {

/// Bounds g_i >= sum_j |(C'C)_{B_i B_j}| over the blocks B_1 <= ... <= B_p of any p rows of one person that
/// are at least `separation` rows apart, for any C (docs/theory/sensitivity.md#several-rows-of-one-person). p
/// rows must fit the horizon.
///
/// Rows m participations apart lie floor(m b / k) blocks apart or more, so each entry is at most G there. Of
/// the rows that could be in B_i, at most ceil(k / b) are; the rest are in another block and get G(1).
[[nodiscard]] std::vector<double> lag_bound_sums(const Filter& c, const Horizon& horizon,
                                                 std::size_t participations, std::size_t separation);

}  // namespace jme::sensitivity
