#include "ranges/bins.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace jme::ranges_bins_tests {
namespace {

using namespace jme::ranges;  // NOLINT(google-build-using-namespace): what is tested

TEST(SignedPowers, AreTwoHundredAndNineBinsThatFollowEachOther) {
  EXPECT_EQ(SignedPowers::count, 209U);
  EXPECT_EQ(SignedPowers::low(0), -0x1p64);
  EXPECT_EQ(SignedPowers::high(208), 0x1p64);
  EXPECT_EQ(SignedPowers::low(SignedPowers::zero), -0x1p-40);
  EXPECT_EQ(SignedPowers::high(SignedPowers::zero), 0x1p-40);
  for (std::size_t bin = 0; bin + 1 < SignedPowers::count; ++bin) {
    EXPECT_EQ(SignedPowers::high(bin), SignedPowers::low(bin + 1)) << bin;
    EXPECT_LT(SignedPowers::low(bin), SignedPowers::high(bin)) << bin;
  }
}

TEST(SignedPowers, HoldEveryNumberBelowTheirLimitInTheBinWhoseEdgesEncloseIt) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-60, 64), sign(-1, 1);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::copysign(std::exp2(exponent(random)), sign(random));
    const auto bin = SignedPowers::bin_of(x);
    ASSERT_TRUE(bin);
    ASSERT_LE(SignedPowers::low(*bin), x);
    ASSERT_GE(SignedPowers::high(*bin), x);
  }
}

TEST(SignedPowers, BeginAtTheirEdgeTowardsZero) {
  EXPECT_EQ(SignedPowers::bin_of(1.0), SignedPowers::bin_of(1.999));
  EXPECT_NE(SignedPowers::bin_of(1.0), SignedPowers::bin_of(std::nextafter(1.0, 0)));
  EXPECT_NE(SignedPowers::bin_of(1.0), SignedPowers::bin_of(2.0));
  EXPECT_EQ(*SignedPowers::bin_of(1.0) - SignedPowers::zero,
            SignedPowers::zero - *SignedPowers::bin_of(-1.0));
}

TEST(SignedPowers, HoldNoNumberThatIsTooLargeAndTakeTheSmallestForZero) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {infinity, -infinity, std::nan(""), 1e308, -1e308, 0x1p64, -0x1p64}) {
    EXPECT_FALSE(SignedPowers::bin_of(x)) << x;
  }
  for (const double x : {0.0, -0.0, 5e-324, -5e-324, 1e-310, std::nextafter(0x1p-40, 0)}) {
    EXPECT_EQ(SignedPowers::bin_of(x), SignedPowers::zero) << x;
  }
  EXPECT_EQ(SignedPowers::bin_of(std::nextafter(0x1p64, 0)), SignedPowers::count - 1);
  EXPECT_EQ(SignedPowers::bin_of(std::nextafter(-0x1p64, 0)), 0U);
}

TEST(EqualBins, HoldBothEndsOfTheirRangeAndNothingOutside) {
  const EqualBins bins{.lowest = -3, .highest = 5};
  EXPECT_EQ(bins.bin_of(-3), 0U);
  EXPECT_EQ(bins.bin_of(5), 31U);
  EXPECT_EQ(bins.bin_of(1), 16U);
  for (const double x : {std::nextafter(-3.0, -4), std::nextafter(5.0, 6), std::nan(""), 1e308, -HUGE_VAL}) {
    EXPECT_FALSE(bins.bin_of(x)) << x;
  }
}

// The place of a number is computed with a few roundings, so it may be off its bin by as many.
TEST(EqualBins, HoldNumbersBetweenTheirEdges) {
  std::mt19937_64 random(2);
  for (const EqualBins bins : {EqualBins{-0x1p64, 0x1p64}, EqualBins{-0x1p-39, 0x1p-39},
                               EqualBins{1856, 2192}, EqualBins{0.1, 0.30000000000000004}}) {
    std::uniform_real_distribution<double> inside(bins.lowest, bins.highest);
    const double slack =
        8 * std::numeric_limits<double>::epsilon() * std::max(std::abs(bins.lowest), std::abs(bins.highest));
    for (int i = 0; i < 10000; ++i) {
      const double x = inside(random);
      const auto bin = bins.bin_of(x);
      ASSERT_TRUE(bin);
      ASSERT_LE(bins.low(*bin) - slack, x);
      ASSERT_GE(bins.high(*bin) + slack, x);
    }
    EXPECT_EQ(bins.low(0), bins.lowest);
    EXPECT_EQ(bins.high(31), bins.highest);
  }
}

}  // namespace
}  // namespace jme::ranges_bins_tests
