#pragma once

#include <cstddef>
#include <optional>

namespace jme::ranges {

/// Bins of all sizes of numbers, in their order: between negative powers of two from -2^64 to -2^-40, one
/// around 0, between positive powers of two. Every number is in one bin at most, and fixed: no bin depends on
/// data.
struct SignedPowers {
  static constexpr int least = -40, most = 64;
  static constexpr std::size_t zero = most - least;  ///< index of the bin around 0
  static constexpr std::size_t count = 2 * zero + 1;

  /// None for NaN and for numbers of 2^64 and more.
  [[nodiscard]] static std::optional<std::size_t> bin_of(double x);
  [[nodiscard]] static double low(std::size_t bin);
  [[nodiscard]] static double high(std::size_t bin) { return -low(count - 1 - bin); }
};

/// 32 bins of equal width over a range.
struct EqualBins {
  static constexpr std::size_t count = 32;
  double lowest, highest;

  /// None for NaN and for numbers outside the range.
  [[nodiscard]] std::optional<std::size_t> bin_of(double x) const;
  [[nodiscard]] double low(std::size_t bin) const;
  [[nodiscard]] double high(std::size_t bin) const { return low(bin + 1); }
};

}  // namespace jme::ranges
