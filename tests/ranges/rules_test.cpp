#include "ranges/rules.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace jme::ranges_rules_tests {
namespace {

using namespace jme::ranges;  // NOLINT(google-build-using-namespace): what is tested

using Kind = FoundRange::Kind;
constexpr std::size_t powers = SignedPowers::count;

constexpr RangeSearch::Stage first{.bins = powers, .mu = 1, .std = 1, .threshold = 5};
constexpr RangeSearch::Stage later{.bins = EqualBins::count, .mu = 1, .std = 1, .threshold = 5};

/// Counts of a column with this many cells at each of these values, without noise.
std::vector<double> counts_of(const std::vector<std::pair<double, double>>& cells) {
  std::vector<double> counts(powers, 0.0);
  for (const auto& [value, count] : cells) counts[*SignedPowers::bin_of(value)] += count;
  return counts;
}

TEST(Hull, ReachesFromTheFirstBinAboveTheThresholdToTheLast) {
  const std::vector<double> counts{1, 6, 0, -3, 7, 5};
  EXPECT_EQ(hull_above(counts, 5), (Hull{1, 4}));
  EXPECT_EQ(hull_above(counts, 4.9), (Hull{1, 5}));
  EXPECT_FALSE(hull_above(counts, 7));
  EXPECT_DOUBLE_EQ(mass(counts, {1, 4}), 10);
}

TEST(Hull, WidensAsFarAsThereAreBins) {
  EXPECT_EQ((Hull{3, 4}.widened(2, 32)), (Hull{1, 6}));
  EXPECT_EQ((Hull{1, 30}.widened(15, 32)), (Hull{0, 31}));
}

TEST(Column, HasOneBinMoreOnBothSidesThanItsHull) {
  const Column column(counts_of({{1.5, 500}, {3, 500}}), first);
  ASSERT_TRUE(column.is_found());
  EXPECT_EQ(column.result().low, 0.5);
  EXPECT_EQ(column.result().high, 8);
  EXPECT_EQ(column.result().kind, Kind::found);
  EXPECT_DOUBLE_EQ(column.result().outside, 0);
}

TEST(Column, HasAnotherBinMoreWhereTooFewCellsAreInside) {
  // Bins of 5 cells are not above the threshold: 970 of 1000 are inside [0.5, 4] and their share is below
  // 0.98.
  std::vector<std::pair<double, double>> cells{{1.5, 970}};
  for (const double far : {100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0}) cells.emplace_back(far, 5);
  EXPECT_EQ(Column(counts_of(cells), first).result().low, 0.25);
  EXPECT_EQ(Column(counts_of(cells), first).result().high, 8);
  EXPECT_NEAR(Column(counts_of(cells), first).result().outside, 0.03, 1e-12);
}

TEST(Column, IsNotFoundWithoutABinAboveTheThresholdOrWithHalfOfTheCellsOutside) {
  EXPECT_FALSE(Column(counts_of({{1.5, 5}}), first).is_found());
  std::vector<std::pair<double, double>> cells{{1e-9, 40}};
  for (int e = 0; e < 15; ++e) cells.emplace_back(std::ldexp(1.5, e), 5);
  EXPECT_FALSE(Column(counts_of(cells), first).is_found());
  EXPECT_EQ(Column(counts_of(cells), first).result().kind, Kind::not_found);
}

TEST(Column, IsNotFoundWhereNoiseHasMoreThanAllOfTheCells) {
  std::vector<double> counts = counts_of({{1.5, 8}});
  for (std::size_t i = 0; i < 50; ++i) counts[i] = -1;
  EXPECT_FALSE(Column(counts, first).is_found());
}

TEST(Column, IsRefinedToItsHullWidenedByHalf) {
  Column column(counts_of({{5, 1000}}), first);
  EXPECT_EQ(column.bins().lowest, 2);
  EXPECT_EQ(column.bins().highest, 16);
  std::vector<double> counts(EqualBins::count, 0.0);
  counts[*column.bins().bin_of(5)] = 1000;
  column.refine(counts, later);
  EXPECT_DOUBLE_EQ(column.result().high - column.result().low, 3 * 14.0 / 32);
  EXPECT_LT(column.result().low, 5);
  EXPECT_GT(column.result().high, 5);
}

TEST(Column, KeepsItsRangeWhereTheNarrowerOneWouldLoseCells) {
  Column column(counts_of({{5, 1000}}), first);
  const FoundRange before = column.result();
  std::vector<double> counts(EqualBins::count, 4.0);  // 128 cells that no bin shows, 12 of them near
  counts[7] = 870;
  column.refine(counts, later);
  EXPECT_EQ(column.result().low, before.low);
  EXPECT_EQ(column.result().high, before.high);
  column.refine(std::vector<double>(EqualBins::count, 0.0), later);
  EXPECT_EQ(column.result().low, before.low);
}

TEST(Column, LooksConstantInTheBinAroundZeroAndWhereItIsVeryNarrow) {
  EXPECT_EQ(Column(counts_of({{0, 1000}}), first).result().kind, Kind::constant);
  EXPECT_EQ(Column(counts_of({{0, 1000}, {1, 6}}), first).result().kind, Kind::found);
}

/// z-scores of the share that is shown against the true one.
template <class Make>
void expect_honest_share(double truth, const Make& made_with) {
  std::mt19937_64 random(7);
  constexpr int runs = 4000;
  double sum = 0, squares = 0;
  for (int run = 0; run < runs; ++run) {
    const FoundRange found = made_with(random);
    ASSERT_NE(found.kind, Kind::not_found);
    const double z = (found.outside - truth) / found.outside_std;
    sum += z;
    squares += z * z;
  }
  // Standard errors are 1/63 and 1/45; six of them, and 0.02 for terms of second order in the noise.
  EXPECT_NEAR(sum / runs, 0, 6.0 / 63 + 0.02);
  EXPECT_NEAR(squares / runs, 1, 6.0 / 45 + 0.02);
}

TEST(Column, SaysTheNoiseOfItsShareOutsideWhereItIsOfTheFirstStage) {
  const std::vector<double> counts = counts_of({{1.5, 9000}, {1e5, 1000}});
  expect_honest_share(0.1, [&](std::mt19937_64& random) {
    std::normal_distribution<double> noise(0, 20);
    std::vector<double> noisy = counts;
    for (double& count : noisy) count += noise(random);
    return Column(noisy, {.bins = powers, .mu = 1, .std = 20, .threshold = 2000}).result();
  });
}

TEST(Column, SaysTheNoiseOfItsShareOutsideWhereItIsOfALaterStage) {
  const std::vector<double> counts = counts_of({{5, 9900}, {1e5, 100}});
  expect_honest_share(0.01, [&](std::mt19937_64& random) {
    std::normal_distribution<double> noise(0, 20);
    std::vector<double> noisy = counts;
    for (double& count : noisy) count += noise(random);
    Column column(noisy, {.bins = powers, .mu = 1, .std = 20, .threshold = 200});
    std::vector<double> equal(EqualBins::count, 0.0);
    equal[*column.bins().bin_of(5)] = 9900;
    for (double& count : equal) count += noise(random);
    column.refine(equal, {.bins = EqualBins::count, .mu = 1, .std = 20, .threshold = 200});
    return column.result();
  });
}

TEST(FoundRange, WarnsOfManyCellsOutsideBeyondTheNoiseAndAThinTail) {
  const auto with = [](double share, double std) {
    return FoundRange{.kind = Kind::found, .low = 0, .high = 1, .outside = share, .outside_std = std};
  };
  EXPECT_TRUE(with(0.05, 0.01).has_many_outside());
  EXPECT_FALSE(with(0.05, 0.03).has_many_outside());
  EXPECT_FALSE(with(0.009, 0.0001).has_many_outside());
  EXPECT_FALSE(FoundRange{}.has_many_outside());
}

}  // namespace
}  // namespace jme::ranges_rules_tests
