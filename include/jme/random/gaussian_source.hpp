#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <jme/base/upcoming.hpp>
#include <jme/random/key.hpp>

namespace jme {

/// Separate streams of draws under one key.
enum class Channel : std::uint8_t { first = 1, second = 2 };

/// Standard normal draws as a pure function of (key, nonce, channel, step, coordinate): any draw can be made
/// again, in any order, with the same bits on every processor. Cheap to copy; safe to use from several
/// threads at once.
class GaussianSource {
 public:
  /// No |draw| is larger: the radius comes from 116 bits, sqrt(-2 log 2^-117) = 12.735...
  static constexpr double largest_draw = 12.74;

  GaussianSource(const Key& key, const Nonce& nonce);
  GaussianSource(const GaussianSource&) = default;
  GaussianSource& operator=(const GaussianSource&) = default;
  ~GaussianSource();

  /// out[i] = draw(channel, step, first + i). `first` need not be aligned. step < 2^56, first + out.size() <=
  /// 2^63. Fetches as much of `upcoming` meanwhile.
  void fill(Channel channel, std::uint64_t step, std::uint64_t first, std::span<double> out,
            const Upcoming& upcoming = {}) const;

 private:
  std::array<std::uint8_t, 240>
      round_keys_;  // AES-256, expanded once, so that a draw of a few coordinates stays cheap
};

}  // namespace jme
