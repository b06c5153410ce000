#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "random/gaussian_kernels.hpp"
#include "random/gaussian_source.hpp"
#include "random/precise_draw.hpp"

namespace jme {
namespace {

TEST(FurtherBlocks, ServeNoTwoPairsOrNumbersAndNoOtherPurpose) {
  constexpr std::uint64_t most_pairs = one_bit << 55;
  std::set<std::uint64_t> blocks;
  std::size_t count = 0;
  for (const std::uint64_t pair : {std::uint64_t{0}, one_bit, most_pairs / 2, most_pairs - 1}) {
    for (std::uint64_t number = 0; number < 64; ++number, ++count) {
      const std::uint64_t block = further_block(pair, number);
      blocks.insert(block);
      EXPECT_GE(block, most_pairs);            // below are the pairs' own blocks
      EXPECT_LT(block, first_fraction_block);  // from here on are their fractions
    }
  }
  EXPECT_EQ(blocks.size(), count);
}

// A draw times 2^98 minus its own approximation fits the limit (2^98 times some units of 2^-53), so that
// nearest_whole tells a draw to 2^-99. Both draws of a pair give its angle, and so some thirty digits of it
// that only the further block has.
TEST(NearestWhole, ReadsFurtherDigitsThatBelongToThePairAlone) {
  const GaussianSource source(InsecureTestSeed{8}.key(), Nonce{});
  std::vector<double> draws(400);
  source.fill(Channel::second, 3, 0, draws);
  constexpr double scale = 0x1p98;
  const auto precise_draw = [&](std::uint64_t coordinate) {
    const double near = draws[static_cast<std::size_t>(coordinate)] * scale;
    const double rest =
        source.nearest_whole(Channel::second, 3, coordinate, {.scale = scale, .ratio = 1, .offset = -near});
    EXPECT_LT(std::abs(rest), 0x1p50);
    return Precise((Precise(near) + Precise(rest)) / Precise(scale));
  };
  std::vector<double> digits;  // of the angle's fraction, from the 63rd on
  for (std::uint64_t coordinate = 0; coordinate < draws.size(); coordinate += 2) {
    const Precise first = precise_draw(coordinate), second = precise_draw(coordinate + 1);
    // The longer one lies along the axis; the other's sign is the angle's.
    const Precise sine = abs(first) < abs(second) ? first : second;
    const Precise squared = first * first + second * second;
    if (squared < 1) continue;  // the errors of 2^-99 are divided by the radius
    const Precise phi = asin(sine / sqrt(squared));
    const Precise field = ldexp((phi * 4 / boost::math::constants::pi<Precise>() + 1) / 2, 62);
    digits.push_back(Precise(field - floor(field)).convert_to<double>());
  }
  // The field is known to 2^62 x 2^-99 x 4/pi < 2^-36. Two independent ones are within 2^-33 of each other
  // with probability 2^-32 = 2.3e-10.
  ASSERT_GT(digits.size(), 50u);
  std::sort(digits.begin(), digits.end());
  for (std::size_t i = 1; i < digits.size(); ++i) EXPECT_GT(digits[i] - digits[i - 1], 0x1p-33);
}

}  // namespace
}  // namespace jme
