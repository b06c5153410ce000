// Tries to show that a search leaks more than it claims: on the pairs of data where the bound is tight, the
// optimal attacker's statistic, the likelihood ratio of all three stages' noisy counts, is compared over its
// whole ROC curve with what mu-GDP allows. Exact binomial limits: each comparison's false alarm is below
// 1e-10; noise 10% too small must be found.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <jme/privacy/gaussian.hpp>
#include <jme/ranges/range_search.hpp>

#include "ranges/staged_search.hpp"
#include "statistics/trade_off.hpp"

namespace jme::ranges_falsification_tests {
namespace {

using namespace jme::ranges;  // NOLINT(google-build-using-namespace): what is tested

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
// At mu = 4, 20,000 samples per side tell 4 from 4.44 with an error probability below 1e-9.
constexpr std::size_t samples = 20000;
constexpr std::size_t columns = 3;

using Cells = std::vector<double>;

/// 30 records at each of two values, so that both are found in every stage, and one record that differs.
Cells data_with(double cell) {
  Cells cells(columns, cell);
  for (int i = 0; i < 30; ++i) {
    cells.insert(cells.end(), columns, 1.1);
    cells.insert(cells.end(), columns, 3.1);
  }
  return cells;
}

/// The logarithm of the likelihood ratio of `x` against `y`, over the noise that is claimed, when the truth
/// is one of them and the noise is `factor` of what is claimed. What later stages count depends on the
/// earlier noisy counts, as it does in the search.
double log_ratio(const RangeSearch& search, const Cells& truth, const Cells& x, const Cells& y, double factor,
                 std::uint64_t seed) {
  StagedSearch staged(search);
  double sum = 0;
  for (std::size_t number = 0; number < RangeSearch::stages; ++number) {
    const RangeSearch::Stage& claimed = search.stage()[number];
    RangeSearch::Stage used = claimed;
    used.std *= factor;
    std::vector<double> noisy = staged.counts(MatrixView::of_rows(truth, columns));
    const auto under_x = staged.counts(MatrixView::of_rows(x, columns)),
               under_y = staged.counts(MatrixView::of_rows(y, columns));
    add_noise(noisy, used, number, InsecureTestSeed{seed}.key());
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      sum += (under_x[i] - under_y[i]) * (noisy[i] - (under_x[i] + under_y[i]) / 2) /
             (claimed.std * claimed.std);
    }
    staged.take(noisy);
  }
  return sum;
}

bool leaks(const RangeSearch& search, const Cells& x, const Cells& y, double factor) {
  std::vector<double> under_x, under_y;
  for (std::size_t r = 0; r < samples; ++r) {
    under_x.push_back(log_ratio(search, x, x, y, factor, 2 * r));
    under_y.push_back(log_ratio(search, y, x, y, factor, 2 * r + 1));
  }
  return trade_off::exceeds_curve(under_y, under_x, search.mu());
}

RangeSearch search_with(Adjacency adjacency) {
  return RangeSearch({.budget = {.epsilon = gdp_epsilon(4, 1e-6), .delta = 1e-6},
                      .columns = columns,
                      .records = 61,
                      .adjacency = adjacency});
}

TEST(RangeFalsification, HoldsForARecordWhoseEveryCellChangesItsBin) {
  const RangeSearch search = search_with(Adjacency::replace_one);
  EXPECT_NEAR(search.mu(), 4, 1e-6);
  EXPECT_FALSE(leaks(search, data_with(1.1), data_with(3.1), 1));
  EXPECT_TRUE(leaks(search, data_with(1.1), data_with(3.1), 0.9)) << "noise 10% too small must be found";
}

TEST(SlowRangeFalsification, HoldsForARecordAgainstNone) {
  const RangeSearch search = search_with(Adjacency::add_remove);
  EXPECT_FALSE(leaks(search, data_with(1.1), data_with(absent), 1));
  EXPECT_TRUE(leaks(search, data_with(1.1), data_with(absent), 0.9)) << "noise 10% too small must be found";
}

}  // namespace
}  // namespace jme::ranges_falsification_tests
