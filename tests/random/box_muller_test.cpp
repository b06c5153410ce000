#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>
#include <gtest/gtest.h>

#include "random/aes_schedule.hpp"
#include "random/gaussian_kernels.hpp"
#include "random/gaussian_source.hpp"
#include "random/simd_targets.hpp"

namespace jme {
namespace {

using Wide = boost::multiprecision::cpp_dec_float_50;

struct Words {
  std::uint64_t radius, fraction, angle;
};
struct WidePair {
  Wide first, second, radius;
};

/// The further digits are read where u is within 2^-12 of 0 or 1.
bool reads_fraction(const Words& w) {
  return std::min(w.radius, ~w.radius) < std::uint64_t{1} << 52;
}

/// The map as GUARANTEES defines it, in 50 digits, for `fraction` after the digits of the radius' word.
WidePair reference(const Words& w, const Wide& fraction) {
  const Wide u = ldexp(Wide(w.radius) + fraction, -64);
  const Wide radius = sqrt(-2 * log(u));
  const Wide y = (Wide(w.angle & ((std::uint64_t{1} << 62) - 1)) + Wide(0.5)) / ldexp(Wide(1), 61) - 1;
  const Wide phi = y * boost::math::constants::pi<Wide>() / 4;
  const Wide sine = radius * sin(phi);
  const Wide cosine = (w.angle >> 63 != 0 ? -radius : radius) * cos(phi);
  return (w.angle >> 62 & 1) != 0 ? WidePair{sine, cosine, radius} : WidePair{cosine, sine, radius};
}

Wide read_fraction(const Words& w) {
  return reads_fraction(w) ? ldexp(Wide(w.fraction >> 12) + Wide(0.5), -52) : Wide(0.5);
}

std::vector<double> computed(const std::vector<Words>& words) {
  std::vector<std::uint64_t> bits, fractions;
  for (const Words& w : words) {
    bits.push_back(w.radius);
    bits.push_back(w.angle);
    fractions.push_back(w.fraction);
  }
  std::vector<double> out(bits.size());
  normals_from_bits(bits, fractions, out);
  return out;
}

/// Largest relative error in units of 2^-53, of pairs within radius 9; farther ones must be NaN.
double largest_error(const std::vector<Words>& words) {
  const std::vector<double> out = computed(words);
  double largest = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const WidePair exact = reference(words[i], read_fraction(words[i]));
    for (const auto& [value, wanted] :
         {std::pair(out[2 * i], exact.first), std::pair(out[2 * i + 1], exact.second)}) {
      if (std::isnan(value)) {
        EXPECT_GT(exact.radius, 9 * (1 - 0x1p-50));
        continue;
      }
      EXPECT_LT(exact.radius, 9 * (1 + 0x1p-50));
      const Wide error = abs((Wide(value) - wanted) / wanted);
      largest = std::max(largest, ldexp(error, 53).convert_to<double>());
    }
  }
  return largest;
}

// GUARANTEES proves 9.1; what is seen is smaller because roundings seldom all have the same sign.
constexpr double proved_error = 9.1;

TEST(BoxMuller, IsWithinItsProvedErrorOnRandomWords) {
  std::vector<std::uint64_t> stream(3 * 20'000);
  keystream(expand_key({1}), 0, 0, stream);
  std::vector<Words> words;
  for (std::size_t i = 0; i < stream.size(); i += 3)
    words.push_back({stream[i], stream[i + 1], stream[i + 2]});
  const double error = largest_error(words);
  RecordProperty("largest_error_in_2^-53", std::to_string(error));
  EXPECT_LT(error, proved_error);
  EXPECT_GT(error, 1.0);  // else the reference is not a reference
}

TEST(BoxMuller, IsWithinItsProvedErrorAtExtremeWords) {
  // Every scale of the radius near u = 0 and u = 1, the seams u = 1/2, sqrt(1/2) 2^-k of the logarithm, and
  // angles at the axes and at the edges of the wedges.
  std::vector<std::uint64_t> patterns = {0, 1, 2, ~std::uint64_t{0}, ~std::uint64_t{1}};
  for (int k = 1; k < 64; ++k) {
    const std::uint64_t power = std::uint64_t{1} << k;
    const auto seam = static_cast<std::uint64_t>(std::ldexp(std::sqrt(0.5), k));
    for (const std::uint64_t p : {power, power - 1, power + 1, seam, seam + 1, ~power}) patterns.push_back(p);
  }
  const std::vector<std::uint64_t> angles = {0,
                                             1,
                                             (std::uint64_t{1} << 61) - 1,
                                             std::uint64_t{1} << 61,
                                             (std::uint64_t{1} << 62) - 1,
                                             ~std::uint64_t{0},
                                             0x5555555555555555,
                                             (std::uint64_t{3} << 62) | (std::uint64_t{1} << 60)};
  std::vector<Words> words;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto angle = [&](std::size_t j) { return angles[(i + j) % angles.size()]; };
    words.push_back({patterns[i], 0, angle(0)});
    words.push_back({patterns[i], ~std::uint64_t{0}, angle(1)});
    words.push_back({patterns[i], 0x0123456789abcdef, angle(2)});
    words.push_back({0, patterns[i], angle(3)});
    words.push_back({~std::uint64_t{0}, patterns[i], angle(4)});
    words.push_back({0x9e3779b97f4a7c15, 0, patterns[i]});
  }
  EXPECT_LT(largest_error(words), proved_error);
}

TEST(BoxMuller, LeavesPairsBeyondNineToExactArithmetic) {
  // All zero: u = 2^-117, a radius of 12.7. u = 2^-58: 8.967, u = 2^-59: 9.04.
  const std::uint64_t axis = std::uint64_t{1} << 61;
  const std::vector<double> out = computed({{0, 0, axis}, {64, 0, axis}, {32, 0, axis}});
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  EXPECT_NEAR(out[2], std::sqrt(2 * 58 * std::log(2.0)), 1e-12);
  EXPECT_TRUE(std::isnan(out[4]) && std::isnan(out[5]));
  // All ones: 1 - u = 2^-117, so r = 2^-58 to all digits.
  const std::vector<double> smallest = computed({{~std::uint64_t{0}, ~std::uint64_t{0}, axis}});
  EXPECT_EQ(smallest[0], 0x1p-58);
}

TEST(BoxMuller, IsMovedByUnreadDigitsByNoMoreThanItsSpread) {
  // Both ends of what the digits to come can be; the worst radius is the last whose fraction is not read.
  const std::uint64_t few = std::uint64_t{1} << 52, axis = std::uint64_t{1} << 61;
  std::vector<Words> words;
  for (const std::uint64_t radius :
       {few, few + 1, 2 * few, ~few, ~few - 1, axis, ~axis, few - 1, ~(few - 1)}) {
    for (const std::uint64_t angle : {axis, axis - 1, axis / 2, std::uint64_t{0}})
      words.push_back({radius, 0, angle});
  }
  const std::vector<double> out = computed(words);
  double largest = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (reads_fraction(words[i])) continue;
    for (const double end : {0.0, 1.0}) {
      const WidePair exact = reference(words[i], Wide(end));
      for (const auto& [value, wanted] :
           {std::pair(out[2 * i], exact.first), std::pair(out[2 * i + 1], exact.second)}) {
        const Wide off = abs(Wide(value) - wanted) - GaussianSource::draw_error * abs(wanted);
        largest = std::max(largest, off.convert_to<double>());
      }
      const WidePair middle = reference(words[i], Wide(0.5));
      largest = std::max(largest, abs(middle.first - exact.first).convert_to<double>());
    }
  }
  EXPECT_LT(largest, GaussianSource::draw_spread);
  EXPECT_GT(largest, 0.4 * GaussianSource::draw_spread);  // 2^-55.0 is what GUARANTEES derives
}

TEST(BoxMuller, IsWithinTwiceItsErrorOfItselfOnEveryTarget) {
  // Targets may fuse a multiplication with an addition, so the last bits differ.
  const auto targets = simd_targets();
  ASSERT_GE(targets.size(), 1u);
  constexpr std::size_t chunk = 1'000'000;
  const GaussianSource source(InsecureTestSeed{5}.key(), Nonce{});
  std::vector<double> expected(chunk), got(chunk);
  for (std::uint64_t step = 0; step < 10; ++step) {  // 1e7 draws
    {
      const OnlyTarget only(HWY_SCALAR);
      source.fill(Channel::first, step, 0, expected);
    }
    for (const auto target : targets) {
      const OnlyTarget only(target);
      source.fill(Channel::first, step, 0, got);
      std::size_t off = 0;
      for (std::size_t i = 0; i < chunk; ++i) {
        off += !(std::abs(got[i] - expected[i]) <= 2.1 * GaussianSource::draw_error * std::abs(expected[i]));
      }
      ASSERT_EQ(off, 0u) << hwy::TargetName(target);
    }
  }
}

}  // namespace
}  // namespace jme
