#include "moments/lattice_row.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace jme {
namespace {

std::vector<double> snapped_row(std::vector<double> row, double bound) {
  clip_and_snap(row, bound, row);
  return row;
}

std::int64_t integer_square(const std::vector<double>& units) {
  std::int64_t sum = 0;
  for (const double v : units) {
    EXPECT_EQ(v, std::floor(v));
    const auto whole = static_cast<std::int64_t>(v);
    sum += whole * whole;
  }
  return sum;
}

TEST(ClipAndSnap, NeverExceedsTheBoundAfterRounding) {
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal;
  for (const std::size_t d : {1U, 2U, 3U, 17U, 1000U}) {
    for (int repeat = 0; repeat < 300; ++repeat) {
      std::vector<double> row(d);
      for (double& v : row) v = normal(bits);
      // Rows exactly on the sphere are the ones that rounding pushes over.
      const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
      for (double& v : row) v *= 3.7 / norm;
      EXPECT_LE(integer_square(snapped_row(row, 3.7)), std::int64_t{1} << 40);
    }
  }
}

TEST(ClipAndSnap, MovesARowInsideTheBallByAtMostHalfAUnitACoordinate) {
  const std::vector<double> row{0.123456789, -0.3, 0.4};
  const auto units = snapped_row(row, 1.0);
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_LE(std::abs(units[i] - row[i] * 0x1p20), 0.5);
}

TEST(ClipAndSnap, KeepsTheDirectionOfALongRow) {
  const auto units = snapped_row({3e5, 4e5}, 1.0);
  EXPECT_NEAR(units[0], 0.6 * 0x1p20, 1.0);
  EXPECT_NEAR(units[1], 0.8 * 0x1p20, 1.0);
}

TEST(ClipAndSnap, TakesTheLargestAndTheSmallestNumbers) {
  const double huge = std::numeric_limits<double>::max();
  const auto units = snapped_row({huge, -huge, huge}, 2.0);
  for (const double v : units) EXPECT_NEAR(std::abs(v), 0x1p20 / std::sqrt(3.0), 1.0);
  EXPECT_EQ(snapped_row({5e-324, 0.0}, 1.0), (std::vector<double>{0, 0}));
  EXPECT_EQ(snapped_row({0.0, -0.0}, 1.0), (std::vector<double>{0, 0}));
  // A subnormal row under a tiny bound is still a row.
  EXPECT_EQ(snapped_row({1e-139}, 1e-139), (std::vector<double>{0x1p20}));
}

}  // namespace
}  // namespace jme
