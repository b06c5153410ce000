#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "random/gaussian_source.hpp"

namespace jme {

/// The bits of a pair of draws that are always read.
struct PairBits {
  std::uint64_t radius;    ///< the first 64 digits of U, radius sqrt(-2 log U)
  std::uint64_t fraction;  ///< its upper 52 bits are the next digits
  std::uint64_t angle;     ///< axis (2 bits), then the first 62 digits of the angle around it
};

enum class Half { first, second };  ///< of a pair of draws

/// Further digits of a pair, 64 of the radius and 64 of the angle: block `number` = 0, 1, ...
using FurtherBits = std::function<std::array<std::uint64_t, 2>(std::uint64_t number)>;

/// The whole number nearest to the affine function of the draw that these bits and all further ones make, in
/// interval arithmetic: every operation is rounded outwards (MPFR), and where the interval holds a boundary
/// between two whole numbers, 64 further digits are read. Limited to +-2^50.
[[nodiscard]] double nearest_whole_of_bits(const PairBits& bits, Half half, const AffineDraw& affine,
                                           const FurtherBits& further);

}  // namespace jme
