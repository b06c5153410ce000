#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <jme/random/key.hpp>

#include "base/upcoming.hpp"

namespace jme {

/// Separate streams of draws under one key.
enum class Channel : std::uint8_t { first = 1, second = 2 };

/// scale * ratio * draw + offset, for finite numbers, scale and ratio not 0.
struct AffineDraw {
  double scale, ratio, offset;
};

/// Standard normal draws as a pure function of (key, nonce, channel, step, coordinate): any draw can be made
/// again, in any order. A draw is a real number given by an endless sequence of bits, the same on every
/// processor; `fill` approximates it, as fast as the processor can, and nearest_whole reads as many of its
/// bits as it takes to be exact. Cheap to copy; safe to use from several threads at once.
class GaussianSource {
 public:
  GaussianSource(const Key& key, const Nonce& nonce);
  GaussianSource(const GaussianSource&) = default;
  GaussianSource& operator=(const GaussianSource&) = default;
  ~GaussianSource();

  /// out[i] = draw(channel, step, first + i), within draw_error and draw_spread of the real number. A pair
  /// that lies farther out than 9 (one of 2^58 pairs) is given as NaN: only nearest_whole can decide it.
  /// `first` need not be aligned. step < 2^56, first + out.size() <= 2^56. Meanwhile it fetches as much of
  /// `upcoming`.
  void fill(Channel channel, std::uint64_t step, std::uint64_t first, std::span<double> out,
            const Upcoming& upcoming = {}) const;
  /// |approximation - draw| <= draw_error |draw| + draw_spread: from roundings in the computation, and from
  /// the bits that are not read (src/random/GUARANTEES.md, section 2).
  static constexpr double draw_error = 9.1 * 0x1p-53, draw_spread = 0x1p-54;
  static constexpr double farthest_draw = 9;  ///< of those that are approximated

  /// The whole number nearest to the affine function of the real draw (not of its approximation): exact, by
  /// interval arithmetic on more and more bits. It takes some ten microseconds.
  [[nodiscard]] double nearest_whole(Channel channel, std::uint64_t step, std::uint64_t coordinate,
                                     const AffineDraw& affine) const;

 private:
  std::array<std::uint8_t, 240>
      round_keys_;  // AES-256, expanded once, so that a draw of a few coordinates stays cheap
};

}  // namespace jme
