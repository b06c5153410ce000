#pragma once

#include <cmath>

#include "random/gaussian_source.hpp"

namespace jme {

// How far a computed value v' = fl(own' + past), own' = fl(fresh * fl(ratio * z')), may be from
// v = fresh * ratio * z + past, z the exact draw. `reach` = |fresh * ratio|.
//     |v' - v| <= own_error |own'| + 2^-53 |v'| + draw_spread reach
// The proof is in GUARANTEES.md of this room. Twice 2^-53 |v'| and draw_spread leave room for the rounding of
// the test itself.

/// Errors of the draw, of the product with its ratio and of the product with the fresh scale, with a margin
/// of 0.9.
constexpr double own_error = GaussianSource::draw_error + 2.9 * 0x1p-53;
constexpr double value_error = 0x1p-52;
constexpr double spread = 2 * GaussianSource::draw_spread;
constexpr double test_error = 0x1p-50;

/// True where `rounded`, the whole number nearest to `value`, is the one nearest to v. False for NaN, and for
/// 2^50 or more.
[[nodiscard]] inline bool is_certain(double value, double rounded, double own, double reach) {
  const double off = std::abs(value - rounded) + own_error * std::abs(own) + value_error * std::abs(value) +
                     spread * std::abs(reach);
  return std::abs(value) < 0x1p50 && off <= 0.5 - test_error;
}

/// For |value| < 2^50 is_certain holds wherever |value - rounded| + value_error |value| is at most this: for
/// the largest reach of a tile and the largest possible |own|.
[[nodiscard]] inline double certain_limit(double largest_reach) {
  constexpr double farthest = GaussianSource::farthest_draw * (1 + 0x1p-20);
  return 0.5 - 2 * test_error - (own_error * farthest + spread) * (1 + 0x1p-20) * std::abs(largest_reach);
}

}  // namespace jme
