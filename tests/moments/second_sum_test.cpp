#include "moments/second_sum.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace jme {
namespace {

__extension__ using Integer128 = __int128;
using Rows = std::vector<std::vector<double>>;

Rows random_units(std::size_t count, std::size_t d, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::uniform_int_distribution<std::int64_t> units(-(1 << 19), 1 << 19);
  Rows rows(count, std::vector<double>(d));
  for (auto& row : rows) {
    for (double& v : row) v = static_cast<double>(units(bits));
  }
  return rows;
}

std::vector<double> closed(SecondSum& sum, const Rows& rows, std::size_t size) {
  for (const auto& row : rows) sum.add(row);
  std::vector<double> out(size);
  sum.close(out);
  return out;
}

// The oracle in 128-bit integers.
std::vector<double> exact(const Rows& rows, SecondMoment second) {
  const std::size_t d = rows[0].size();
  std::vector<double> result;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j < (second == SecondMoment::full ? d : i + 1); ++j) {
      Integer128 sum = 0;
      for (const auto& row : rows) sum += static_cast<Integer128>(row[i]) * static_cast<Integer128>(row[j]);
      result.push_back(static_cast<double>((sum + (1 << 19)) >> 20));
    }
  }
  return result;
}

class ExactSum : public testing::TestWithParam<std::size_t> {};

TEST_P(ExactSum, OfLatticeRowsEqualsIntegerArithmetic) {
  const std::size_t k = GetParam();
  for (const auto second : {SecondMoment::full, SecondMoment::diagonal}) {
    SecondSum sum(3, second, k, 1.0, SecondSum::Rows::lattice);
    for (unsigned block = 0; block < 2; ++block) {
      const Rows rows = random_units(k, 3, block + 1);
      EXPECT_EQ(closed(sum, rows, second_moment_size(second, 3)), exact(rows, second));
    }
    // A partial block after full ones.
    if (k > 2) {
      const Rows rows = random_units(k / 2, 3, 9);
      EXPECT_EQ(closed(sum, rows, second_moment_size(second, 3)), exact(rows, second));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Blocks, ExactSum, testing::Values(1, 2, 7, 256, 257, 8192, 8193, 30000));

TEST(ExactSum, HoldsWhereADoubleWouldHaveRounded) {
  // 20000 equal rows at the bound: products add to 2e4 * 2^40 > 2^53.
  const Rows rows(20000, {0x1p20, 1.0});
  SecondSum sum(2, SecondMoment::full, rows.size(), 1.0, SecondSum::Rows::lattice);
  EXPECT_EQ(closed(sum, rows, 3), exact(rows, SecondMoment::full));
}

TEST(ExactSum, HoldsAtTheLongestBlockOfRowsAtTheBound) {
  constexpr std::size_t longest = (std::size_t{1} << 23) - 1;
  SecondSum sum(1, SecondMoment::full, longest, 1.0, SecondSum::Rows::lattice);
  const std::vector<double> row{0x1p20};
  for (std::size_t i = 0; i < longest; ++i) sum.add(row);
  std::vector<double> out(1);
  sum.close(out);
  EXPECT_EQ(out[0], static_cast<double>(longest) * 0x1p20);
}

TEST(WeightedSum, IsTheDecayedSumToTheErrorThatTheSlackAllows) {
  const double beta = 0.9;
  for (const std::size_t k : {2U, 7U, 300U, 1000U}) {
    for (const auto second : {SecondMoment::full, SecondMoment::diagonal}) {
      const Rows rows = random_units(k, 2, 5);
      SecondSum sum(2, second, k, beta, SecondSum::Rows::lattice);
      const auto got = closed(sum, rows, second_moment_size(second, 2));
      std::vector<long double> want(got.size(), 0);
      for (const auto& row : rows) {
        std::size_t e = 0;
        for (std::size_t i = 0; i < 2; ++i) {
          for (std::size_t j = i; j < (second == SecondMoment::full ? 2U : i + 1); ++j, ++e) {
            want[e] = want[e] * static_cast<long double>(beta) +
                      static_cast<long double>(row[i] * row[j]) * 0x1p-20L;
          }
        }
      }
      // Half a unit of snapping plus 2(k+3) u * weight * 2^20 units, as Mechanism's slack has it.
      const double tolerance = 0.5 + 2 * (static_cast<double>(k) + 3) * 0x1p-53 * 10 * 0x1p20;
      for (std::size_t e = 0; e < got.size(); ++e) {
        EXPECT_EQ(got[e], std::floor(got[e]));
        EXPECT_NEAR(got[e], static_cast<double>(want[e]), tolerance);
      }
    }
  }
}

TEST(RealSum, LeavesNumbersAsTheyAre) {
  SecondSum sum(2, SecondMoment::full, 2, 1.0, SecondSum::Rows::real);
  EXPECT_EQ(closed(sum, {{0.5, 0.25}, {1.5, 1.0}}, 3), (std::vector<double>{2.5, 1.625, 1.0625}));
}

}  // namespace
}  // namespace jme
