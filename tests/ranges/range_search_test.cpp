#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/ranges/range_search.hpp>

#include "ranges/staged_search.hpp"

namespace jme::ranges_range_search_tests {
namespace {

using namespace jme::ranges;  // NOLINT(google-build-using-namespace): what is tested

using Kind = FoundRange::Kind;
constexpr double absent = std::numeric_limits<double>::quiet_NaN();

RangeSearch search_of(std::size_t columns, std::uint64_t records) {
  return RangeSearch({.budget = {.epsilon = 1, .delta = 1e-6}, .columns = columns, .records = records});
}

std::vector<FoundRange> found_in(const std::vector<double>& cells, std::size_t columns,
                                 std::uint64_t seed = 1) {
  return search_of(columns, cells.size() / columns)
      .find(MatrixView::of_rows(cells, columns), InsecureTestSeed{seed}.key());
}

TEST(RangeNoise, HasTheStagesDeviationAndTheTestHasPower) {
  const RangeSearch search = search_of(10, 10000);
  for (std::size_t number = 0; number < RangeSearch::stages; ++number) {
    const RangeSearch::Stage& stage = search.stage()[number];
    constexpr std::size_t draws = 20000;
    std::vector<double> noise(draws, 0.0);
    add_noise(noise, stage, number, InsecureTestSeed{3}.key());
    double squares = 0;
    for (const double value : noise) squares += value * value;
    // chi^2 with 20,000 degrees of freedom: its mean is off by less than 6.1% with probability 1 - 1e-9
    // (Laurent & Massart), and noise 10% too small has 81% of the variance.
    EXPECT_NEAR(squares / draws / (stage.std * stage.std), 1, 0.067) << number;
  }
}

TEST(RangeNoise, IsOnTheLatticeWhateverTheCounts) {
  const RangeSearch search = search_of(1, 10000);
  std::vector<double> counts{0, 1, 17, 1e6, 0x1p40};
  const std::vector<double> before = counts;
  std::vector<double> alone(5, 0.0);
  add_noise(counts, search.stage()[0], 0, InsecureTestSeed{5}.key());
  add_noise(alone, search.stage()[0], 0, InsecureTestSeed{5}.key());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(counts[i] * 1024, std::floor(counts[i] * 1024));
    EXPECT_EQ(counts[i] - before[i], alone[i]) << "the noise never saw the counts";
  }
}

TEST(RangeNoise, IsOfAStagesOwnDrawsAndOfTheKey) {
  const RangeSearch search = search_of(1, 10000);
  std::set<std::vector<double>> different;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (std::size_t number = 0; number < RangeSearch::stages; ++number) {
      std::vector<double> noise(8, 0.0);
      add_noise(noise, search.stage()[1], number, InsecureTestSeed{seed}.key());
      different.insert(noise);
    }
  }
  EXPECT_EQ(different.size(), 6U);
}

// Ranges are published; where bins are counted before noise is added, their hull would be too.
TEST(RangeSearch, DecidesFromNoisyCountsAlone) {
  const RangeSearch search = search_of(1, 10000);
  std::vector<double> cells(10000, 5.0);
  cells[0] = 1e9;  // one record decides about nothing
  StagedSearch staged(search);
  for (std::size_t number = 0; number < RangeSearch::stages; ++number) {
    std::vector<double> counts = staged.counts(MatrixView::of_rows(cells, 1));
    add_noise(counts, search.stage()[number], number, InsecureTestSeed{4}.key());
    staged.take(counts);
  }
  const FoundRange by_hand = staged.result()[0], found = found_in(cells, 1, 4)[0];
  EXPECT_EQ(found.low, by_hand.low);
  EXPECT_EQ(found.high, by_hand.high);
  EXPECT_EQ(found.outside, by_hand.outside);
  EXPECT_NE(found.outside, 1e-4) << "the share outside has noise";
  EXPECT_LT(found.high, 10);
}

TEST(RangeSearch, FindsTheSameFromTheSameKeyAndOtherSharesFromAnother) {
  const std::vector<double> cells(10000, 5.0);
  EXPECT_EQ(found_in(cells, 1, 8)[0].outside, found_in(cells, 1, 8)[0].outside);
  EXPECT_NE(found_in(cells, 1, 8)[0].outside, found_in(cells, 1, 9)[0].outside);
}

TEST(RangeSearch, DrawsNothingForFewerRecordsThanItSays) {
  const RangeSearch search = search_of(2, 10000);
  const std::vector<double> cells(2 * 9999, 5.0);
  EXPECT_THROW(static_cast<void>(search.find(MatrixView::of_rows(cells, 2), InsecureTestSeed{1}.key())),
               InvalidParameter);
  EXPECT_THROW(static_cast<void>(search.find(MatrixView::of_rows(cells, 1), InsecureTestSeed{1}.key())),
               InvalidParameter);
}

TEST(RangeSearch, FindsNothingInColumnsWithoutNumbersThatCanBeCounted) {
  constexpr std::size_t columns = 5, records = 20000;
  const std::vector<double> row{absent, 1e308, -HUGE_VAL, 5e-324, 7};
  std::vector<double> cells;
  for (std::size_t i = 0; i < records; ++i) cells.insert(cells.end(), row.begin(), row.end());
  const std::vector<FoundRange> found = found_in(cells, columns);
  for (const std::size_t nothing : {0U, 1U, 2U}) EXPECT_EQ(found[nothing].kind, Kind::not_found) << nothing;
  EXPECT_EQ(found[3].kind, Kind::constant);
  EXPECT_EQ(found[4].kind, Kind::found);
  EXPECT_LT(found[4].low, 7);
  EXPECT_GT(found[4].high, 7);
}

TEST(RangeSearch, TakesBlankCellsOutOfAColumnsOwnTotal) {
  constexpr std::size_t records = 20000;
  std::vector<double> cells;
  for (std::size_t i = 0; i < records; ++i) {
    cells.push_back(i % 10 == 0 ? 1 + static_cast<double>(i % 100) / 100 : absent);
  }
  const FoundRange found = found_in(cells, 1)[0];
  EXPECT_EQ(found.kind, Kind::found);
  EXPECT_LE(found.low, 1);
  EXPECT_GE(found.high, 1.9);
  EXPECT_NEAR(found.outside, 0, 6 * found.outside_std);
}

}  // namespace
}  // namespace jme::ranges_range_search_tests
