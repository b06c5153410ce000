#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>

#include <gtest/gtest.h>

#include "noise/reference_pair.hpp"
#include "noise/rounding_kernels.hpp"
#include "noise/rounding_tolerance.hpp"
#include "random/aes_schedule.hpp"
#include "random/exact_rounding.hpp"
#include "random/gaussian_kernels.hpp"

namespace jme::redecided {

/// What one comparison of many draws found.
struct Tally {
  std::uint64_t draws = 0;
  std::uint64_t left_kernel = 0;  ///< not certain by the kernel's limit
  std::uint64_t exact = 0;        ///< not certain by is_certain either, or beyond radius 9
  std::uint64_t open = 0;         ///< the reference could not tell
  std::uint64_t beyond_bound = 0, wrong = 0, claimed_certain = 0, wrongly_finite = 0, exact_differs = 0;
};

inline constexpr std::size_t chunk_pairs = 256, chunk_draws = 2 * chunk_pairs;

/// What the own part is added to: nothing; up to six of its deviations; or what puts the sum within one and a
/// half times the tolerance of a half-integer, so that a third of the draws is just certain.
enum class Past { none, some, tie };

inline double past_of(Past past, double own, double reach, double symmetric) {
  if (past == Past::none || std::isnan(own)) return 0;
  if (past == Past::some) return 6 * reach * symmetric;
  const double tolerance = (own_error + value_error) * std::abs(own) + spread * reach + test_error;
  return (std::floor(own) + 0.5 - own) + 1.5 * tolerance * symmetric;
}

/// A chunk of draws that is decided as ShapedNoise decides it: by the kernel, by is_certain, by exact
/// arithmetic.
class Chunk {
 public:
  Chunk(Kind kind, std::uint64_t number, double fresh, Past past) : number_(number), fresh_(fresh) {
    std::array<std::uint64_t, 4 * chunk_pairs> words;
    std::array<std::uint64_t, 2 * chunk_pairs> bits;
    std::array<std::uint64_t, chunk_pairs> fractions;
    keystream(expand_key({7}), static_cast<std::uint64_t>(kind), number * (words.size() / 2), words);
    for (std::size_t i = 0; i < chunk_pairs; ++i) {
      bits_[i] = of_kind(kind, {words[4 * i], words[4 * i + 1], words[4 * i + 2]}, words[4 * i + 3]);
      bits[2 * i] = bits_[i].radius;
      bits[2 * i + 1] = bits_[i].angle;
      fractions[i] = bits_[i].fraction;
    }
    alignas(64) std::array<double, chunk_draws> draws;
    normals_from_bits(bits, fractions, draws);
    for (std::size_t i = 0; i < chunk_draws; ++i) {
      // Two more uniform numbers, in (0, 1) and (-1, 1), from words that already had another use.
      const std::uint64_t mixed = words[4 * (i / 2) + i % 2] * 0x9e3779b97f4a7c15;
      const double uniform = (static_cast<double>(mixed >> 44) + 0.5) * 0x1p-20;
      const double symmetric = static_cast<double>(static_cast<std::int64_t>(mixed << 20)) * 0x1p-63;
      ratios_[i] = i % 4 < 2 ? 1 : 0.25 + 0.75 * uniform;
      draws[i] *= ratios_[i];
      owns_[i] = draws[i] * fresh;
      pasts_[i] = past_of(past, owns_[i], fresh * ratios_[i], symmetric);
    }
    const RoundedStep step{.fresh = fresh,
                           .past = 1,
                           .column = 1,
                           .limit = certain_limit(fresh),  // the largest ratio is 1
                           .decision = {.context = this, .decide = &Chunk::decide}};
    rounded_step(step, draws.data(), pasts_.data(), rounded_.data(), nullptr, chunk_draws);
  }
  // The kernel's callback holds its address.
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  /// `with_exact`: exact arithmetic decides every draw again.
  void check(Tally& tally, bool with_exact) const {
    count(tally);
    for (std::size_t i = 0; i < chunk_draws; i += 2) {
      const ReferencePair pair = reference_pair(bits_[i / 2]);
      check(tally, i, pair, with_exact);
      check(tally, i + 1, pair, with_exact);
    }
  }
  void count(Tally& tally) const {
    tally.draws += chunk_draws;
    for (std::size_t i = 0; i < chunk_draws; ++i) {
      tally.left_kernel += left_kernel_[i];
      tally.exact += left_kernel_[i] && !certain(i);
    }
  }

  [[nodiscard]] const PairBits& bits(std::size_t draw) const { return bits_[draw / 2]; }
  [[nodiscard]] Half half(std::size_t draw) const { return draw % 2 == 0 ? Half::first : Half::second; }
  [[nodiscard]] AffineDraw affine(std::size_t draw) const {
    return {.scale = fresh_, .ratio = ratios_[draw], .offset = pasts_[draw]};
  }
  /// Any bits will do for those that follow, as long as they are always the same.
  [[nodiscard]] FurtherBits further(std::size_t draw) const {
    const std::uint64_t pair = number_ * chunk_pairs + draw / 2;
    return [pair](std::uint64_t number) {
      std::array<std::uint64_t, 2> words;
      keystream(expand_key({8}), number, pair, words);
      return words;
    };
  }

 private:
  static double decide(const void* context, std::size_t i, double own, double past) {
    const Chunk& self = *static_cast<const Chunk*>(context);
    self.left_kernel_[i] = true;
    const double value = own + past, rounded = nearest_whole(value);
    return is_certain(value, rounded, own, self.fresh_ * self.ratios_[i]) ? rounded : self.exactly(i);
  }
  [[nodiscard]] double exactly(std::size_t i) const {
    return nearest_whole_of_bits(bits(i), half(i), affine(i), further(i));
  }
  [[nodiscard]] bool certain(std::size_t i) const {
    const double value = owns_[i] + pasts_[i];
    return is_certain(value, nearest_whole(value), owns_[i], fresh_ * ratios_[i]);
  }

  void check(Tally& tally, std::size_t i, const ReferencePair& pair, bool with_exact) const {
    const long double reach = static_cast<long double>(fresh_) * ratios_[i];
    const long double own = reach * (i % 2 == 0 ? pair.first : pair.second);
    const long double reference = own + pasts_[i];
    const long double unread = i % 2 == 0 ? pair.first_spread : pair.second_spread;
    const long double error =
        reference_error * std::abs(own) + reach * unread + 0x1p-63L * std::abs(reference);
    const double value = owns_[i] + pasts_[i];
    // The root rises and is rounded correctly: 9 only where the squared radius is within 2^-49 of 81.
    if (std::isnan(value) ? pair.radius < 9 - 0x1p-45L : pair.radius > 9 + 0x1p-45L) ++tally.wrongly_finite;
    // The claim of rounding_tolerance.hpp, for every continuation of the read bits. The sum is taken apart
    // again: value - past is as small as the own part and so loses 2^-64 of that, not of the sum.
    const long double bound = static_cast<long double>(own_error) * std::abs(owns_[i]) +
                              0x1p-53L * std::abs(value) +
                              static_cast<long double>(GaussianSource::draw_spread) * reach;
    const long double apart = static_cast<long double>(value) - pasts_[i], off = std::abs(apart - own);
    const long double own_reference_error =
        reference_error * std::abs(own) + reach * unread + 0x1p-64L * (std::abs(apart) + off);
    if (!std::isnan(value) && !(off + own_reference_error <= bound)) ++tally.beyond_bound;
    if (!left_kernel_[i] && !certain(i)) ++tally.claimed_certain;
    const long double whole = std::floor(reference + 0.5L);
    const bool is_open = !(0.5L - std::abs(reference - whole) > error);
    if (is_open ? exactly(i) != rounded_[i] : whole != rounded_[i]) ++tally.wrong;
    tally.open += is_open;
    if (with_exact && exactly(i) != rounded_[i]) ++tally.exact_differs;
  }

  std::uint64_t number_;
  double fresh_;
  std::array<PairBits, chunk_pairs> bits_;
  alignas(64) std::array<double, chunk_draws> ratios_, pasts_, owns_;
  alignas(64) std::array<double, chunk_draws> rounded_{};
  mutable std::array<bool, chunk_draws> left_kernel_{};
};

/// Decides this many draws of a kind again: deviations of the own part from 1 to 2^37 lattice units, with
/// mantissas of all sorts, and all pasts. One of `tie_every` chunks has ties, which take ten microseconds
/// each.
inline Tally redecide(Kind kind, std::uint64_t draws, std::uint64_t tie_every, bool with_exact) {
  Tally tally;
  for (std::uint64_t chunk = 0; tally.draws < draws; ++chunk) {
    const double mantissa = static_cast<double>((chunk * 0x9e3779b97f4a7c15) >> 12) * 0x1p-52;
    const double fresh =
        std::ldexp(chunk % 5 == 0 ? 1.0 : 0.5 + 0.5 * mantissa, 37 - static_cast<int>(chunk % 38));
    const Past past = chunk % tie_every == 0 ? Past::tie : chunk % 3 == 0 ? Past::none : Past::some;
    Chunk(kind, chunk, fresh, past).check(tally, with_exact);
  }
  return tally;
}

inline const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::ordinary:
      return "ordinary";
    case Kind::small_angle:
      return "small angle";
    case Kind::small_radius:
      return "small radius";
    case Kind::large_radius:
      return "large radius";
    default:
      return "one word";
  }
}

/// Decides draws of all kinds again and expects no disagreement.
inline void expect_agreement(std::uint64_t draws_of_each_kind, std::uint64_t tie_every, bool with_exact) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is no wider than double";
  for (const Kind kind : all_kinds) {
    const Tally tally = redecide(kind, draws_of_each_kind, tie_every, with_exact);
    std::printf("%-12s %llu draws: %llu left to is_certain, %llu to exact arithmetic; reference open %llu\n",
                name_of(kind), static_cast<unsigned long long>(tally.draws),
                static_cast<unsigned long long>(tally.left_kernel),
                static_cast<unsigned long long>(tally.exact), static_cast<unsigned long long>(tally.open));
    EXPECT_EQ(tally.beyond_bound, 0u) << name_of(kind);     // farther from the draw than the proved bound
    EXPECT_EQ(tally.wrong, 0u) << name_of(kind);            // another whole number than the reference's
    EXPECT_EQ(tally.claimed_certain, 0u) << name_of(kind);  // certain to the kernel and not to is_certain
    EXPECT_EQ(tally.wrongly_finite, 0u) << name_of(kind);   // beyond radius 9 and approximated, or not beyond
    EXPECT_EQ(tally.exact_differs, 0u) << name_of(kind);
    // Every way of deciding was used.
    EXPECT_GT(tally.left_kernel, 0u);
    EXPECT_GT(tally.exact, 0u);
  }
}

}  // namespace jme::redecided
