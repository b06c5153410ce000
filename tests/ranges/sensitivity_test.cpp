// How far one person's records move what is counted, by brute force over the whole vector of histograms.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/ranges/range_search.hpp>

#include "ranges/staged_search.hpp"

namespace jme::ranges_sensitivity_tests {
namespace {

using namespace jme::ranges;  // NOLINT(google-build-using-namespace): what is tested

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
// In several bins of every stage, in none, and in bins of the first stage alone.
const std::vector<double> cells{absent, 0.0, 1.5, -1.5, 3.0, 3.5, 100.0, 1e308, -HUGE_VAL, 5e-324};

RangeSearch search_of(std::size_t columns, Adjacency adjacency = Adjacency::replace_one,
                      std::uint64_t per_person = 1) {
  return RangeSearch({.budget = {.epsilon = 8, .delta = 1e-6},
                      .columns = columns,
                      .records = 1000,
                      .adjacency = adjacency,
                      .records_per_person = per_person});
}

/// A search that has come to a stage over data which put every column into about [-4, 8].
StagedSearch search_at(const RangeSearch& search, std::size_t stage) {
  StagedSearch staged(search);
  std::vector<double> others;
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t j = 0; j < search.config().columns; ++j) {
      others.push_back(-2 + 6 * static_cast<double>(i) / 1000);
    }
  }
  while (staged.stage() < stage) {
    staged.take(staged.counts(MatrixView::of_rows(others, search.config().columns)));
  }
  return staged;
}

std::vector<std::vector<double>> all_rows(std::size_t columns) {
  std::vector<std::vector<double>> rows{{}};
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<std::vector<double>> longer;
    for (const auto& row : rows) {
      for (const double cell : cells) {
        longer.push_back(row);
        longer.back().push_back(cell);
      }
    }
    rows = longer;
  }
  return rows;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// The largest squared distance between the histograms of two records, and of a record and none.
struct Largest {
  double replaced = 0, removed = 0;
};
Largest largest_at(const RangeSearch& search, std::size_t stage) {
  const std::size_t columns = search.config().columns;
  const StagedSearch staged = search_at(search, stage);
  std::vector<std::vector<double>> histograms;
  for (const auto& row : all_rows(columns)) {
    histograms.push_back(staged.counts(MatrixView::of_rows(row, columns)));
  }
  const std::vector<double> nothing(histograms[0].size(), 0.0);
  Largest largest;
  for (const auto& a : histograms) {
    largest.removed = std::max(largest.removed, squared_distance(a, nothing));
    for (const auto& b : histograms) largest.replaced = std::max(largest.replaced, squared_distance(a, b));
  }
  return largest;
}

TEST(Sensitivity, OfEveryStageIsTwoPerColumnForARecordReplacedAndOneForARecordRemoved) {
  for (const std::size_t columns : {1U, 2U, 3U}) {
    const RangeSearch search = search_of(columns);
    for (std::size_t stage = 0; stage < RangeSearch::stages; ++stage) {
      const Largest largest = largest_at(search, stage);
      EXPECT_EQ(largest.replaced, 2.0 * static_cast<double>(columns)) << stage;
      EXPECT_EQ(largest.removed, 1.0 * static_cast<double>(columns)) << stage;
    }
  }
}

// With the noise that the search adds: all three stages together spend its mu, no more, and the worst pair of
// records reaches it.
TEST(Sensitivity, OverNoiseOfAllStagesTogetherIsMuAtMostAndReachesIt) {
  for (const Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    for (const std::size_t columns : {1U, 3U}) {
      const RangeSearch search = search_of(columns, adjacency);
      double squared = 0;
      for (std::size_t stage = 0; stage < RangeSearch::stages; ++stage) {
        const Largest largest = largest_at(search, stage);
        const double moved = adjacency == Adjacency::replace_one ? largest.replaced : largest.removed;
        squared += moved / (search.stage()[stage].std * search.stage()[stage].std);
      }
      EXPECT_LE(std::sqrt(squared), search.mu());
      EXPECT_GE(std::sqrt(squared), search.mu() * (1 - 1e-12));
    }
  }
}

TEST(Sensitivity, GrowsWithTheRecordsOfAPerson) {
  const RangeSearch one = search_of(2), three = search_of(2, Adjacency::replace_one, 3);
  // All records of a person in one bin, then all in another, in both columns.
  const StagedSearch staged = search_at(three, 1);
  const std::vector<double> before(6, 1.5), after(6, 3.5);
  const double moved = std::sqrt(squared_distance(staged.counts(MatrixView::of_rows(before, 2)),
                                                  staged.counts(MatrixView::of_rows(after, 2))));
  EXPECT_DOUBLE_EQ(moved, 3 * std::sqrt(2.0 * 2.0));
  for (std::size_t stage = 0; stage < RangeSearch::stages; ++stage) {
    EXPECT_NEAR(three.stage()[stage].std, 3 * one.stage()[stage].std, 1e-12 * three.stage()[stage].std);
    EXPECT_LE(moved / three.stage()[stage].std, three.stage()[stage].mu);
  }
}

// Computed with 40 digits (mpmath): mu by bisection of the Gaussian curve, then the formulas of
// docs/theory/ranges.md. The solver rounds mu down, and 2^-48 and half a lattice unit are added.
TEST(RangeSearch, HasTheNoiseAndThresholdsOfItsFormulas) {
  struct Expected {
    double epsilon, delta;
    std::size_t columns;
    Adjacency adjacency;
    std::uint64_t per_person;
    double mu, std1, tau1, std2, tau2;
    std::uint64_t needed;
  };
  using enum Adjacency;
  for (const Expected& e : {
           Expected{1, 1e-6, 10, replace_one, 1, 0.23670438066343571, 29.872990909786571, 157.27797756253334,
                    34.494358686529041, 168.86691430263751, 1573},
           Expected{1, 1e-6, 3, replace_one, 1, 0.23670438066343571, 16.36211098143688, 82.318021466605403,
                    18.893338359286229, 87.722713198650422, 824},
           Expected{0.5, 1e-5, 1, add_remove, 1, 0.14221055866926122, 11.118294203185297, 53.453313666949376,
                    12.838300302276974, 56.489525046326723, 535},
           Expected{2, 1e-6, 8, add_remove, 3, 0.44833474039519278, 29.924979387438507, 156.27822405776865,
                    34.554389809663249, 167.57835655691684, 1563},
       }) {
    const RangeSearch search({.budget = {.epsilon = e.epsilon, .delta = e.delta},
                              .columns = e.columns,
                              .records = 10000,
                              .adjacency = e.adjacency,
                              .records_per_person = e.per_person});
    constexpr double relative = 1e-9;
    EXPECT_NEAR(search.mu(), e.mu, relative * e.mu);
    EXPECT_LE(search.mu(), e.mu);
    EXPECT_NEAR(search.stage()[0].std, e.std1, relative * e.std1);
    EXPECT_GE(search.stage()[0].std, e.std1);
    EXPECT_NEAR(search.stage()[0].threshold, e.tau1 + 0x1p-11, relative * e.tau1);
    for (const std::size_t later : {1U, 2U}) {
      EXPECT_NEAR(search.stage()[later].std, e.std2, relative * e.std2);
      EXPECT_NEAR(search.stage()[later].threshold, e.tau2 + 0x1p-11, relative * e.tau2);
    }
    EXPECT_EQ(search.records_needed(), e.needed);
  }
}

TEST(RangeSearch, RefusesBeforeLookingWhereNothingUsefulCanComeOut) {
  const RangeSearchConfig config{.budget = {.epsilon = 1, .delta = 1e-6}, .columns = 10, .records = 1572};
  EXPECT_THROW(RangeSearch(config).check_records(), InvalidParameter);
  RangeSearchConfig enough = config;
  enough.records = 1573;
  EXPECT_NO_THROW(RangeSearch(enough).check_records());
  // About 120 sqrt(d) / mu.
  EXPECT_NEAR(static_cast<double>(RangeSearch(config).records_needed()),
              120 * std::sqrt(10.0) / RangeSearch(config).mu(), 50);
}

TEST(RangeSearch, NamesTheParameterThatIsWrong) {
  const auto field_of = [](const RangeSearchConfig& config) -> std::string {
    try {
      static_cast<void>(RangeSearch(config));
    } catch (const InvalidParameter& error) {
      return error.field();
    }
    return "";
  };
  EXPECT_EQ(field_of({.budget = {.epsilon = 1, .delta = 1e-6}, .columns = 0, .records = 10}), "columns");
  EXPECT_EQ(field_of({.budget = {.epsilon = 1, .delta = 1e-6}, .columns = 1, .records = 0}), "first");
  EXPECT_EQ(field_of({.budget = {.epsilon = 1, .delta = 1e-6}, .columns = 1, .records = 1ULL << 41}),
            "first");
  EXPECT_EQ(
      field_of(
          {.budget = {.epsilon = 1, .delta = 1e-6}, .columns = 1, .records = 10, .records_per_person = 0}),
      "participations");
}

}  // namespace
}  // namespace jme::ranges_sensitivity_tests
