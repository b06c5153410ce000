#include <vector>

#include <gtest/gtest.h>

#include "random/aes_schedule.hpp"
#include "random/exact_rounding.hpp"
#include "random/gaussian_kernels.hpp"
#include "random/gaussian_source.hpp"
#include "random/normality.hpp"

// Seeds are fixed: a failure is a defect, not bad luck. Each claim comes with the power of its test.
namespace jme {
namespace {

constexpr std::size_t sample_size = 5'000'000;

const std::vector<double>& sample() {
  static const std::vector<double> z = [] {
    std::vector<double> out(sample_size);
    GaussianSource(InsecureTestSeed{2}.key(), Nonce{}).fill(Channel::first, 0, 0, out);
    return out;
  }();
  return z;
}

const std::vector<double>& too_small_by_a_tenth() {
  static const std::vector<double> z = [] {
    std::vector<double> out = sample();
    for (double& x : out) x *= 0.9;
    return out;
  }();
  return z;
}

/// Twelve uniforms minus six: mean 0, variance 1, no tail beyond 6 and a thin tail before: this is what a
/// careless sampler gives.
const std::vector<double>& irwin_hall() {
  static const std::vector<double> z = [] {
    std::vector<std::uint64_t> bits(sample_size * 3);  // sixteen bits per uniform
    keystream(expand_key({7}), 0, 0, bits);
    std::vector<double> out(sample_size);
    for (std::size_t i = 0; i < sample_size; ++i) {
      double sum = -6;
      for (std::size_t j = 0; j < 12; ++j) {
        sum += (static_cast<double>(bits[3 * i + j / 4] >> (16 * (j % 4)) & 0xFFFF) + 0.5) / 65536;
      }
      out[i] = sum;
    }
    return out;
  }();
  return z;
}

TEST(GaussianMoments, AreNormalUpToTheEighth) {
  for (int k = 1; k <= 8; ++k) EXPECT_TRUE(moment_is_normal(sample(), k)) << k;
}

TEST(GaussianMoments, TestRejectsNoiseTenPercentTooSmall) {
  for (const int k : {2, 4, 6}) EXPECT_FALSE(moment_is_normal(too_small_by_a_tenth(), k)) << k;
}

TEST(GaussianMoments, TestRejectsIrwinHall) {
  EXPECT_FALSE(moment_is_normal(irwin_hall(), 4));
}

TEST(GaussianCells, AreEquiprobable) {
  EXPECT_TRUE(distribution_is_normal(sample()));
}

TEST(GaussianCells, TestRejectsNoiseTenPercentTooSmall) {
  EXPECT_FALSE(distribution_is_normal(too_small_by_a_tenth()));
}

// Excess kurtosis -1/10 adds N (1/240)^2 24 = 2083 to a statistic of 999 +- 45; the threshold is 1336.
TEST(GaussianCells, TestRejectsIrwinHall) {
  EXPECT_FALSE(distribution_is_normal(irwin_hall()));
}

TEST(GaussianPairs, AreIndependentInsideAndAcrossBlocks) {
  EXPECT_TRUE(pairs_are_independent(sample(), 1, 2));  // the two normals of a block
  EXPECT_TRUE(pairs_are_independent(sample(), 2, 4));  // two blocks that share a fraction block
  EXPECT_TRUE(pairs_are_independent(sample(), 1, 1));
  EXPECT_TRUE(pairs_are_independent(sample(), 512, 1));
}

TEST(GaussianPairs, TestRejectsACorrelationOfFourPercent) {
  // Adds N rho^2 = 2.5e6 x 0.0016 = 4000 to a statistic of 1023 +- 45; the threshold is 1363.
  std::vector<double> z = sample();
  for (std::size_t i = 0; i + 1 < z.size(); i += 2) z[i + 1] = 0.04 * z[i] + std::sqrt(1 - 0.0016) * z[i + 1];
  EXPECT_FALSE(pairs_are_independent(z, 1, 2));
}

TEST(GaussianTails, HaveTheirExpectedCounts) {
  for (const double x : {3.0, 4.0, 5.0})
    EXPECT_TRUE(tail_count_is_normal(tail_count(sample(), x), sample_size, x)) << x;
}

TEST(GaussianTails, TestRejectsNoiseTenPercentTooSmallAndIrwinHall) {
  EXPECT_FALSE(tail_count_is_normal(tail_count(too_small_by_a_tenth(), 4), sample_size, 4));
  EXPECT_FALSE(tail_count_is_normal(tail_count(irwin_hall(), 4), sample_size, 4));
}

// A radius from 32 bits ends at 6.66 sigma; 53 bits at 8.57. The map itself is what shows that ours does not.
TEST(GaussianTails, GoOnWhereFiftyThreeBitsEnd) {
  const FurtherBits zeros = [](std::uint64_t) { return std::array<std::uint64_t, 2>{0, 0}; };
  const std::uint64_t axis = std::uint64_t{1} << 61;
  double before = 8.5 * 0x1p30;
  for (int k = 12; k < 64; ++k) {  // u = 2^-54, 2^-55, ...
    const double draw = nearest_whole_of_bits({.radius = k < 22 ? std::uint64_t{1} << (21 - k) : 0,
                                               .fraction = k < 22 ? 0 : std::uint64_t{1} << (85 - k),
                                               .angle = axis},
                                              Half::first, {.scale = 0x1p30, .ratio = 1, .offset = 0}, zeros);
    EXPECT_GT(draw, before) << k;
    before = draw;
  }
}

}  // namespace
}  // namespace jme
