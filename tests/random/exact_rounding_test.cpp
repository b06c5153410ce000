#include "random/exact_rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

#include "random/precise_draw.hpp"

namespace jme {
namespace {

double limited_nearest(const Precise& value) {
  const Precise whole = floor(value + Precise(0.5));
  return whole > 0x1p50 ? 0x1p50 : whole < -0x1p50 ? -0x1p50 : whole.convert_to<double>();
}

struct Decided {
  double whole;
  std::uint64_t blocks;

  friend bool operator==(const Decided&, const Decided&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Decided& decided) {
    return out << decided.whole << " after " << decided.blocks << " further blocks";
  }
};

/// The answer, and after how many blocks every continuation has it.
Decided wanted(const EndlessBits& bits, Half half, const AffineDraw& affine) {
  for (std::uint64_t blocks = 0;; ++blocks) {
    const auto range = range_after(bits, half, affine, blocks);
    if (!range) continue;
    const double low = limited_nearest(range->first), high = limited_nearest(range->second);
    if (low == high) return {low, blocks};
  }
}

/// What nearest_whole_of_bits returns, and how many blocks it asked for.
Decided decided(const EndlessBits& bits, Half half, const AffineDraw& affine) {
  std::uint64_t blocks = 0;
  const double whole = nearest_whole_of_bits(bits.read, half, affine, [&](std::uint64_t number) {
    blocks = std::max(blocks, number + 1);
    return bits.block(number);
  });
  return {whole, blocks};
}

class RandomCases {
 public:
  explicit RandomCases(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t word() { return engine_(); }
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }
  Half half() { return word() % 2 == 0 ? Half::first : Half::second; }
  EndlessBits bits() {
    EndlessBits bits{.read = {word(), word(), word()}, .next = {}};
    for (int i = 0; i < 4; ++i) bits.next.push_back({word(), word()});
    return bits;
  }
  /// 1 .. 2^45, any mantissa, any sign.
  double scale() { return (word() % 8 == 0 ? -1 : 1) * std::exp2(between(0, 45)); }
  double ratio() { return word() % 4 == 0 ? 1.0 : (word() % 8 == 0 ? -1 : 1) * between(0.25, 4); }

 private:
  std::mt19937_64 engine_;
};

constexpr std::array all_axes{std::uint64_t{0}, one_bit << 62, one_bit << 63, std::uint64_t{3} << 62};
constexpr std::array both_halves{Half::first, Half::second};

TEST(ExactRounding, EqualsArithmeticOf134DigitsOnRandomWordsScalesAndOffsets) {
  RandomCases random(1);
  for (int i = 0; i < 1'000; ++i) {
    const EndlessBits bits = random.bits();
    const AffineDraw affine{.scale = random.scale(), .ratio = random.ratio(), .offset = 0};
    const AffineDraw moved{.scale = affine.scale,
                           .ratio = affine.ratio,
                           .offset = affine.scale * affine.ratio * random.between(-5, 5)};
    const Half half = random.half();
    ASSERT_EQ(decided(bits, half, affine), wanted(bits, half, affine)) << i;
    ASSERT_EQ(decided(bits, half, moved), wanted(bits, half, moved)) << i;
  }
}

/// Digits of a fraction in [0, 1) from the 62nd on: the angle's word (without its axis), and blocks.
void write_angle(const Precise& fraction, EndlessBits& bits) {
  Precise left = ldexp(fraction, 62);
  bits.read.angle = (bits.read.angle & ~angle_mask) | floor(left).convert_to<std::uint64_t>();
  left -= floor(left);
  for (Block& block : bits.next) {
    left = ldexp(left, 64);
    block[1] = floor(left).convert_to<std::uint64_t>();
    left -= floor(left);
  }
}

// The angle is solved for, so that the value lies at a chosen distance from a half-integer, on a chosen side:
// 10^-18 to 10^-30 of what the 178 digits leave open (2^-62 of the angle), and farther and nearer. 64 further
// digits are 19.3 decimal ones: at 10^-30 two blocks must be read, at 10^-58 four.
TEST(ExactRounding, EqualsArithmeticOf134DigitsHoweverNearToAHalfTheValueLies) {
  RandomCases random(2);
  std::set<std::uint64_t> blocks_seen;
  for (const int digits : {0, 3, 12, 18, 19, 20, 22, 24, 26, 28, 30, 36, 40, 58}) {
    for (const std::uint64_t axis : all_axes) {
      for (const Half half : both_halves) {
        EndlessBits bits = random.bits();
        bits.read.angle = (bits.read.angle & angle_mask) | axis;
        AffineDraw affine{.scale = random.scale(), .ratio = random.ratio(), .offset = 0};
        // So that the value is near some half-integer, by an offset; then exactly, by the angle.
        const Precise factor = Precise(affine.scale) * Precise(affine.ratio);
        const Precise radius = radius_of(radius_fraction(bits, 4, false));
        const Precise middle = (angle_fraction(bits, 0, false) + angle_fraction(bits, 0, true)) / 2;
        const Precise value = factor * radius * direction_of(bits.read, half, middle);
        const Precise boundary = floor(value * random.between(-2, 2)) + Precise(0.5);
        affine.offset = Precise(boundary - value).convert_to<double>();
        const Precise left_open = abs(factor * radius *
                                      (direction_of(bits.read, half, middle + ldexp(Precise(1), -62)) -
                                       direction_of(bits.read, half, middle)));
        for (const int side : {-1, 1}) {
          const Precise target = boundary + side * left_open * pow(Precise(10), -digits);
          Precise direction = (target - Precise(affine.offset)) / (factor * radius);
          Precise phi;
          if (is_sine(bits.read, half)) {
            phi = asin(direction);
          } else {
            if (axis >> 63 != 0) direction = -direction;
            phi = middle < Precise(0.5) ? -acos(direction) : acos(direction);
          }
          EndlessBits solved = bits;
          write_angle((phi * 4 / boost::math::constants::pi<Precise>() + 1) / 2, solved);
          const Decided expected = wanted(solved, half, affine);
          ASSERT_EQ(Precise(expected.whole), boundary + side * Precise(0.5));  // the case is what it claims
          ASSERT_EQ(decided(solved, half, affine), expected) << digits << ' ' << side;
          blocks_seen.insert(expected.blocks);
        }
      }
    }
  }
  EXPECT_EQ(blocks_seen, (std::set<std::uint64_t>{0, 1, 2, 3, 4}));
}

/// The affine function of the draw that puts `z` on a half-integer of size |factor z| or so, to a relative
/// 2^-106: the scale by division, the offset for what its rounding left.
AffineDraw with_boundary_at(const Precise& z, double scale, double ratio) {
  const Precise boundary = floor(Precise(scale) * Precise(ratio) * z) + Precise(0.5);
  AffineDraw affine{.scale = 0, .ratio = ratio, .offset = 0};
  affine.scale = Precise(boundary / (Precise(ratio) * z)).convert_to<double>();
  affine.offset = Precise(boundary - Precise(affine.scale) * Precise(ratio) * z).convert_to<double>();
  return affine;
}

TEST(ExactRounding, LeavesToTheFurtherAngleWhatTheReadBitsLeaveOpen) {
  RandomCases random(3);
  for (const std::uint64_t axis : all_axes) {
    for (const Half half : both_halves) {
      for (int i = 0; i < 8; ++i) {
        EndlessBits bits = random.bits();
        bits.read.angle = (bits.read.angle & angle_mask) | axis;
        const Precise radius = radius_of(radius_fraction(bits, 1, false));
        const Precise middle = (angle_fraction(bits, 0, false) + angle_fraction(bits, 0, true)) / 2;
        const AffineDraw affine =
            with_boundary_at(radius * direction_of(bits.read, half, middle), random.scale(), random.ratio());
        const Block first = bits.block(0);
        bits.next = {};
        bits.rest = {first[0], 0};
        const Decided zeros = decided(bits, half, affine);
        EXPECT_EQ(zeros, wanted(bits, half, affine));
        bits.rest = {first[0], ~std::uint64_t{0}};
        const Decided ones = decided(bits, half, affine);
        EXPECT_EQ(ones, wanted(bits, half, affine));
        EXPECT_EQ(std::abs(zeros.whole - ones.whole), 1);
        EXPECT_EQ(zeros.blocks, 1u);
        EXPECT_EQ(ones.blocks, 1u);
      }
    }
  }
}

// U of 1 to 7 units of 2^-116 is a radius beyond 12, and the digits that follow move it by hundredths or
// more; those of the angle by 2^-58.
TEST(ExactRounding, LeavesToTheFurtherRadiusWhatTheReadBitsLeaveOpen) {
  RandomCases random(4);
  for (std::uint64_t units = 1; units < 8; ++units) {
    for (const std::uint64_t axis : all_axes) {
      for (const Half half : both_halves) {
        EndlessBits bits{.read = {0, units << 12 | (random.word() >> 52), random.word()}, .next = {}};
        bits.read.angle = (bits.read.angle & angle_mask) | axis;
        const Precise u = (radius_fraction(bits, 0, false) + radius_fraction(bits, 0, true)) / 2;
        ASSERT_GT(radius_of(u), 12);
        const Precise direction = direction_of(bits.read, half, angle_fraction(bits, 0, false));
        // Half the range is below 1 unit, so that the two ends are neighbours.
        const AffineDraw affine = with_boundary_at(radius_of(u) * direction, 3, random.ratio());
        bits.rest = {0, random.word()};
        const Decided zeros = decided(bits, half, affine);
        EXPECT_EQ(zeros, wanted(bits, half, affine));
        bits.rest[0] = ~std::uint64_t{0};
        const Decided ones = decided(bits, half, affine);
        EXPECT_EQ(ones, wanted(bits, half, affine));
        EXPECT_EQ(std::abs(zeros.whole - ones.whole), 1);
        EXPECT_GE(zeros.blocks, 1u);
        EXPECT_GE(ones.blocks, 1u);
      }
    }
  }
}

// Where U is about 2^-62, unread digits of radius and angle move a draw equally far, and the draws that the
// read bits allow are those between the two extreme ones of four corners. The boundary is put between an
// extreme and the other corners, and the bits that follow lead to the extreme.
TEST(ExactRounding, AllowsForTheUnreadBitsOfRadiusAndAngleTogether) {
  RandomCases random(9);
  for (const std::uint64_t axis : all_axes) {
    for (const Half half : both_halves) {
      for (int i = 0; i < 8; ++i) {
        EndlessBits bits{.read = {1 + random.word() % 6, random.word(), random.word()}, .next = {}};
        bits.read.angle = (bits.read.angle & angle_mask) | axis;
        std::vector<std::pair<Precise, Block>> corners;  // the draw, and the bits that lead there
        for (const bool upper_radius : {false, true}) {
          for (const bool upper_angle : {false, true}) {
            const Precise radius = radius_of(radius_fraction(bits, 0, upper_radius));
            const Precise direction = direction_of(bits.read, half, angle_fraction(bits, 0, upper_angle));
            corners.emplace_back(radius * direction, Block{upper_radius ? ~std::uint64_t{0} : 0,
                                                           upper_angle ? ~std::uint64_t{0} : 0});
          }
        }
        std::sort(corners.begin(), corners.end());
        for (const auto& [extreme, other] : {std::pair(0, 1), std::pair(3, 2)}) {
          const Precise between = (corners[static_cast<std::size_t>(extreme)].first +
                                   corners[static_cast<std::size_t>(other)].first) /
                                  2;
          const AffineDraw affine = with_boundary_at(between, random.scale(), random.ratio());
          bits.rest = corners[static_cast<std::size_t>(extreme)].second;
          const Decided expected = wanted(bits, half, affine);
          EXPECT_EQ(expected.blocks, 1u);
          EXPECT_EQ(decided(bits, half, affine), expected);
        }
      }
    }
  }
}

TEST(ExactRounding, EqualsArithmeticOf134DigitsForRadiiBeyondNine) {
  RandomCases random(5);
  for (int leading_zeros = 56; leading_zeros < 116; ++leading_zeros) {  // U < 2^-58.4: radius > 9
    for (const std::uint64_t axis : all_axes) {
      EndlessBits bits = random.bits();
      bits.read.angle = (bits.read.angle & angle_mask) | axis;
      bits.read.radius = leading_zeros < 64 ? bits.read.radius >> leading_zeros : 0;
      if (leading_zeros >= 64) bits.read.fraction >>= leading_zeros - 64;
      const AffineDraw affine{
          .scale = random.scale(), .ratio = random.ratio(), .offset = random.between(-1e6, 1e6)};
      const Half half = random.half();
      ASSERT_EQ(decided(bits, half, affine), wanted(bits, half, affine)) << leading_zeros;
    }
  }
}

TEST(ExactRounding, ReadsOnWhereTheReadBitsOfTheRadiusAreAllZero) {
  RandomCases random(6);
  for (const std::uint64_t axis : all_axes) {
    for (const Half half : both_halves) {
      EndlessBits bits = random.bits();
      bits.read.radius = bits.read.fraction = 0;
      for (const std::uint64_t angle :
           {std::uint64_t{0}, one_bit << 61, angle_mask, bits.read.angle & angle_mask}) {
        bits.read.angle = angle | axis;
        const AffineDraw affine{.scale = random.scale(), .ratio = 1, .offset = 0.25};
        const Decided expected = wanted(bits, half, affine);
        EXPECT_GE(expected.blocks, 1u);
        EXPECT_EQ(decided(bits, half, affine), expected);
      }
    }
  }
}

// 1 - U <= 2^-116: a radius of at most 2^-57.5, which may be 0. On a half-integer the draw's sign decides: at
// or above it the value goes up.
TEST(ExactRounding, OfTheSmallestRadiusOnAHalfIsDecidedByTheSign) {
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  RandomCases random(7);
  for (const std::uint64_t axis : all_axes) {
    for (const Half half : both_halves) {
      EndlessBits bits = random.bits();
      bits.read = {ones, ones, (random.word() & angle_mask) | axis};
      const bool is_positive = direction_of(bits.read, half, angle_fraction(bits, 0, false)) > 0;
      for (const double offset : {0.5, -0.5, 1234567.5}) {
        const AffineDraw affine{.scale = 0x1p45, .ratio = 0.7, .offset = offset};
        const Decided got = decided(bits, half, affine);
        EXPECT_EQ(got.whole, is_positive ? offset + 0.5 : offset - 0.5);
        EXPECT_EQ(got, wanted(bits, half, affine));
      }
      const AffineDraw far_from_a_half{.scale = 0x1p45, .ratio = 0.7, .offset = 7.25};
      EXPECT_EQ(decided(bits, half, far_from_a_half), (Decided{7, 0}));
    }
  }
}

TEST(ExactRounding, IsLimitedToTwoToThe50) {
  RandomCases random(8);
  for (const std::uint64_t axis : all_axes) {
    for (const Half half : both_halves) {
      EndlessBits bits = random.bits();
      bits.read.angle = (bits.read.angle & angle_mask) | axis;
      const bool is_positive = direction_of(bits.read, half, angle_fraction(bits, 0, false)) > 0;
      for (const double scale : {0x1p70, 1e300}) {
        EXPECT_EQ(decided(bits, half, {.scale = scale, .ratio = 1, .offset = 0}),
                  (Decided{is_positive ? 0x1p50 : -0x1p50, 0}));
      }
      for (const double offset : {0x1p50 + 1, 0x1p51 + 0.5, 1e300}) {
        EXPECT_EQ(decided(bits, half, {.scale = 0.01, .ratio = 1, .offset = offset}), (Decided{0x1p50, 0}));
        EXPECT_EQ(decided(bits, half, {.scale = 0.01, .ratio = 1, .offset = -offset}), (Decided{-0x1p50, 0}));
      }
      // Just inside nothing is limited: |0.01 z| stays below a quarter.
      EXPECT_EQ(decided(bits, half, {.scale = 0.01, .ratio = 1, .offset = 0x1p50 - 1}),
                (Decided{0x1p50 - 1, 0}));
      EXPECT_EQ(decided(bits, half, {.scale = 0.01, .ratio = 1, .offset = 1 - 0x1p50}),
                (Decided{1 - 0x1p50, 0}));
    }
  }
}

TEST(ExactRounding, OfAKeystreamThatIsBrokenEndsWithAnError) {
  std::set<std::uint64_t> asked;
  EXPECT_THROW((void)nearest_whole_of_bits({0, 0, 0}, Half::first, {.scale = 1, .ratio = 1, .offset = 0},
                                           [&](std::uint64_t number) {
                                             asked.insert(number);
                                             return Block{0, 0};
                                           }),
               Error);
  EXPECT_EQ(asked.size(), 64u);
  EXPECT_EQ(*asked.rbegin(), 63u);  // further_block has room for this many
}

}  // namespace
}  // namespace jme
