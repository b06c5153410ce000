#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jme/columns/clamp_counts.hpp>

#include "random/simd_targets.hpp"

namespace jme {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> names{"a", "b"};

// (0.3 - 0.2) / 0.1 is above 1 in doubles: a comparison after the map would count the bound itself.
TEST(ClampCounts, AreOfCellsBeyondTheBoundsAsTheyWereGivenAndOfNoOthers) {
  const auto bounds = ColumnBounds::parse("a=0.1:0.3,b=-20:45", names);
  ClampCounts counts(2);
  const auto count = [&](double a, double b) { bounds.count_clamped(std::vector<double>{a, b}, counts); };
  count(0.1, 45);
  count(0.3, -20);
  EXPECT_THAT(counts.below, ElementsAre(0, 0));
  EXPECT_THAT(counts.above, ElementsAre(0, 0));
  count(std::nextafter(0.1, 0.0), std::nextafter(45.0, 100.0));
  count(-1e300, 1e300);
  count(1e-320, 45.1);
  EXPECT_THAT(counts.below, ElementsAre(3, 0));
  EXPECT_THAT(counts.above, ElementsAre(0, 3));
  EXPECT_THAT(counts.cells, ElementsAre(5, 5));
}

TEST(ClampCounts, TakeAMissingCellForNoCell) {
  const auto bounds = ColumnBounds::parse("a=1:2,b=1:2", names);
  ClampCounts counts(2);
  bounds.count_clamped(std::vector<double>{std::numeric_limits<double>::quiet_NaN(), 7}, counts);
  EXPECT_THAT(counts.cells, ElementsAre(0, 1));
  EXPECT_EQ(counts.share(0), 0);
  EXPECT_EQ(counts.share(1), 1);
}

// The number of columns decides where in a vector of the processor a cell lies.
TEST(ColumnBounds, MapAndCountManyRowsToTheSameBitsAsRowByRow) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal(0, 1);
  for (const std::int64_t target : simd_targets()) {
    const OnlyTarget only(target);
    for (const std::size_t d : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 11U, 64U, 65U, 67U, 513U, 520U}) {
      std::vector<std::string> columns;
      for (std::size_t i = 0; i < d; ++i) columns.push_back(fmt::format("c{}", i));
      const std::vector<double> low(d, -0.7), high(d, 0.3);
      const auto bounds = ColumnBounds::of(columns, low, high);
      for (const std::size_t count : {1U, 2U, 57U, 301U}) {
        std::vector<double> together(d * count);
        for (double& cell : together) cell = normal(generator);
        for (std::size_t i = 0; i < d; ++i) together[i] = i % 2 == 0 ? 0.3 : -0.7;
        std::vector<double> one_by_one = together;
        ClampCounts counts(d), expected(d);
        bounds.rows_to_unit(together, counts);
        for (std::size_t at = 0; at < one_by_one.size(); at += d) {
          const std::span row = std::span(one_by_one).subspan(at, d);
          bounds.count_clamped(row, expected);
          bounds.to_unit(row);
        }
        ASSERT_EQ(std::memcmp(together.data(), one_by_one.data(), together.size() * sizeof(double)), 0)
            << d << " columns, " << count << " rows, target " << target;
        EXPECT_EQ(counts.cells, expected.cells);
        EXPECT_EQ(counts.below, expected.below);
        EXPECT_EQ(counts.above, expected.above);
        if (count == 301) {
          EXPECT_GT(counts.above[d - 1], 0U);
        }
      }
    }
  }
}

TEST(ClampCounts, AreOfNothingWithoutBounds) {
  ClampCounts counts(2);
  ColumnBounds::none(2).count_clamped(std::vector<double>{1e9, -1e9}, counts);
  std::vector<double> row{1e9, -1e9};
  ColumnBounds::none(2).rows_to_unit(row, counts);
  EXPECT_EQ(row, (std::vector<double>{1e9, -1e9}));
  EXPECT_THAT(counts.cells, ElementsAre(0, 0));
}

TEST(ClampingWarning, NamesTheColumnTheShareAndTheBoundAboveOnePerCent) {
  const auto bounds = ColumnBounds::parse("a=86:113,b=-20:45", names);
  ClampCounts counts(2);
  counts.cells = {1000, 1000};
  counts.below = {10, 0};
  EXPECT_FALSE(clamping_warning(counts, bounds, 0, "a")) << "one per cent is not more than one per cent";
  EXPECT_FALSE(clamping_warning(counts, bounds, 1, "b"));
  counts.below = {11, 0};
  EXPECT_EQ(
      clamping_warning(counts, bounds, 0, "a"),
      "1.1% of the cells of a were below its lower bound 86 and were clamped to it: check the bounds and "
      "the units; keep these numbers to yourself");
  counts.above = {0, 1000};
  EXPECT_THAT(*clamping_warning(counts, bounds, 1, "b"),
              HasSubstr("100% of the cells of b were above its upper bound 45"));
  // Each of both sides is below 1%, and the column is above it.
  counts.below = {0, 6};
  counts.above = {0, 8};
  EXPECT_THAT(*clamping_warning(counts, bounds, 1, "b"),
              HasSubstr("1.4% of the cells of b were clamped to its bounds (0.6% to -20, 0.8% to 45)"));
}

}  // namespace
}  // namespace jme
