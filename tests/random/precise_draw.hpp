#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "random/exact_rounding.hpp"

namespace jme {

// What a draw is, in arithmetic of another kind than the program's: 448 binary digits, 134 decimal ones. No
// test puts a value nearer to a boundary than 2^-320 without putting it there exactly, and functions of this
// type err by some units of 2^-448, so that the reference needs no bounds of its own.
using Precise = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<448, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;
using Block = std::array<std::uint64_t, 2>;

inline constexpr std::uint64_t one_bit = 1;
inline constexpr std::uint64_t angle_mask = (one_bit << 62) - 1;

/// The whole sequence of bits of a pair: those that are always read, blocks that follow, and one block that
/// repeats for ever after.
struct EndlessBits {
  PairBits read;
  std::vector<Block> next;
  Block rest{};

  [[nodiscard]] const Block& block(std::uint64_t number) const {
    return number < next.size() ? next[static_cast<std::size_t>(number)] : rest;
  }
};

/// The lower (or upper) end of all fractions that begin with the `digits` binary digits of `whole` and go on
/// with this many blocks.
inline Precise fraction_end(Precise whole, int digits, const EndlessBits& bits, std::size_t which,
                            std::uint64_t blocks, bool upper) {
  for (std::uint64_t number = 0; number < blocks; ++number) {
    whole = ldexp(whole, 64) + Precise(bits.block(number)[which]);
  }
  if (upper) whole += 1;
  return ldexp(whole, -(digits + 64 * static_cast<int>(blocks)));
}
inline Precise radius_fraction(const EndlessBits& bits, std::uint64_t blocks, bool upper) {
  const Precise read = ldexp(Precise(bits.read.radius), 52) + Precise(bits.read.fraction >> 12);
  return fraction_end(read, 116, bits, 0, blocks, upper);
}
inline Precise angle_fraction(const EndlessBits& bits, std::uint64_t blocks, bool upper) {
  return fraction_end(Precise(bits.read.angle & angle_mask), 62, bits, 1, blocks, upper);
}

inline Precise radius_of(const Precise& u) {
  return sqrt(-2 * log(u));
}

/// Two bits of the angle choose an axis; the coordinate along it is a cosine, the other one a sine.
inline bool is_sine(const PairBits& read, Half half) {
  return ((read.angle >> 62 & 1) != 0) == (half == Half::first);
}
inline Precise direction_of(const PairBits& read, Half half, const Precise& fraction) {
  const Precise phi = (2 * fraction - 1) * boost::math::constants::pi<Precise>() / 4;
  if (is_sine(read, half)) return sin(phi);
  return read.angle >> 63 != 0 ? -cos(phi) : cos(phi);
}

inline Precise affine_of(const AffineDraw& affine, const Precise& z) {
  return Precise(affine.scale) * Precise(affine.ratio) * z + Precise(affine.offset);
}

/// All values that continuations of the first `blocks` blocks can take. The draw is monotone in U, and
/// monotone in the angle's digits (no interval of them holds the axis inside), so its extremes are at
/// corners. Nothing where U may be 0.
inline std::optional<std::pair<Precise, Precise>> range_after(const EndlessBits& bits, Half half,
                                                              const AffineDraw& affine,
                                                              std::uint64_t blocks) {
  const Precise lowest = radius_fraction(bits, blocks, false);
  if (lowest == 0) return std::nullopt;
  const std::array<Precise, 2> radii{radius_of(lowest), radius_of(radius_fraction(bits, blocks, true))};
  std::vector<Precise> corners;
  for (const bool upper : {false, true}) {
    const Precise direction = direction_of(bits.read, half, angle_fraction(bits, blocks, upper));
    for (const Precise& radius : radii) corners.push_back(affine_of(affine, radius * direction));
  }
  const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
  return std::pair(*low, *high);
}

}  // namespace jme
