#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "random/exact_rounding.hpp"

namespace jme::redecided {

/// Where the draws' errors are of different kinds: anywhere; beside an axis, where the sine is small and the
/// angle's unread bits are not; near the origin and far out, where the radius' unread bits count; and where
/// the radius is the last that is made of one word or the first that needs another.
enum class Kind { ordinary, small_angle, small_radius, large_radius, one_word };
inline constexpr std::array all_kinds{Kind::ordinary, Kind::small_angle, Kind::small_radius,
                                      Kind::large_radius, Kind::one_word};

inline constexpr std::uint64_t angle_digits = (std::uint64_t{1} << 62) - 1;

/// The words of a pair of this kind from uniform ones; `choice` is uniform too. Every power of 2 of the small
/// quantity is as frequent as every other.
inline PairBits of_kind(Kind kind, PairBits bits, std::uint64_t choice) {
  if (kind == Kind::small_angle) {
    constexpr std::uint64_t axis = std::uint64_t{1} << 61;
    const std::uint64_t off = (bits.angle & angle_digits) >> (1 + choice % 61);
    const std::uint64_t field = choice >> 63 != 0 ? axis + off : axis - 1 - off;
    bits.angle = (bits.angle & ~angle_digits) | field;
  } else if (kind == Kind::small_radius) {  // 0 to 115 leading ones of 116 digits
    const std::uint64_t ones = choice % 116;
    bits.radius = ~(ones < 64 ? bits.radius >> ones : 0);
    if (ones >= 64) bits.fraction = ~(bits.fraction >> (ones - 64));
  } else if (kind == Kind::large_radius) {
    // 24 to 53 leading zeros, radius 5.8 to 9; one pair of 1024 has more, down to no digit at all.
    const std::uint64_t zeros = choice >> 54 == 0 ? 54 + choice % 63 : 24 + choice % 30;
    bits.radius = zeros < 64 ? bits.radius >> zeros : 0;
    if (zeros >= 64) bits.fraction >>= zeros - 64;
  } else if (kind == Kind::one_word) {  // 10 to 13 leading zeros or ones
    bits.radius >>= 10 + choice % 4;
    if (choice >> 63 != 0) bits.radius = ~bits.radius;
  }
  return bits;
}

/// Both draws of a pair in significands of 64 bits (unit 2^-64) from the digits that were read and half a
/// unit for the others, and how far every continuation of these digits is from them: `reference_error` |draw|
/// + spread, spread for unread digits.
///
/// Error in units of 2^-64, relative. P = 2^116 min(U, 1 - U), 117 digits: 1. -log U: from P 1.44 where U <
/// 1/2 (over |log U| >= 0.69) and 1.44 where not (P / ((1 - P) -log(1 - P)) at P = 1/2); logl and log1pl: 6
/// (three units in the last place). The root halves these and adds 1. Angle: exact, pi/4 and the product with
/// it 2; sinl, cosl: 4. Product of radius and direction: 1. Sum (1.44 + 6) / 2 + 1 + 2 + 4 + 1 = 11.8; two
/// more for the products of the affine function, 13.8 < 16. The library's errors are those its manual states,
/// rounded up; LongDoubleReference.HoldsEveryContinuationOfTheReadBits tests them.
struct ReferencePair {
  long double first, second;
  long double first_spread, second_spread;
  long double radius;
};
inline constexpr long double reference_error = 0x1p-60L;

inline ReferencePair reference_pair(const PairBits& bits) {
  constexpr long double half_digit = 0x1p-117L;
  const bool near_one = bits.radius >> 63 != 0;
  const std::uint64_t flip = near_one ? ~std::uint64_t{0} : 0;
  // min(U, 1 - U) and the least it can be.
  const long double whole = static_cast<long double>(bits.radius ^ flip) * 0x1p-64L;
  const long double rest = static_cast<long double>((bits.fraction ^ flip) >> 12) * 0x1p-116L;
  const long double p = whole + (rest + half_digit), least = whole + rest;
  const long double minus_log = near_one ? -std::log1p(-p) : -std::log(p);
  const long double radius = std::sqrt(2 * minus_log);
  // |dr/dU| = 1 / (U r) over the digit. Near one r >= sqrt(2 (1 - U)) at its least end, and where that may be
  // 0 the radius itself is the distance to it (and more than that to the other end). Elsewhere r falls by
  // less than a hundredth over the digit, which with the rounding of these lines is in the 1.01.
  long double radius_spread;
  if (near_one) {
    radius_spread =
        least == 0 ? radius * (1 + 0x1p-50L) : 1.01L * half_digit / ((1 - p) * std::sqrt(2 * least));
  } else {
    radius_spread =
        least == 0 ? std::numeric_limits<long double>::infinity() : 1.01L * half_digit / (least * radius);
  }
  // y 2^62 = 2 field + 1 - 2^62: odd and below 2^62, so exact.
  const auto odd = static_cast<std::int64_t>(2 * (bits.angle & angle_digits) + 1) - (std::int64_t{1} << 62);
  const long double phi = static_cast<long double>(odd) * 0x1p-62L * (std::numbers::pi_v<long double> / 4);
  const long double sine = std::sin(phi), cosine = std::cos(phi);
  const long double axis = bits.angle >> 63 != 0 ? -cosine : cosine;
  const bool is_exchanged = (bits.angle >> 62 & 1) != 0;
  const long double first = is_exchanged ? sine : axis, second = is_exchanged ? axis : sine;
  const long double turn = 0.8L * 0x1p-62L * radius;  // pi/4 of half a digit of y, 2^-62
  const auto spread = [&](long double direction) { return radius_spread * std::abs(direction) + turn; };
  return {radius * first, radius * second, spread(first), spread(second), radius};
}

}  // namespace jme::redecided
