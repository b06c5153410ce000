#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

#include "filter/error_norm_stream.hpp"

namespace jme {
namespace {

StreamConfig small_config() {
  return {.budget = {.sigma = 1.0}, .rows = 6, .every = 2, .dimension = 2, .norm_bound = 1.0};
}

TEST(MomentStream, ReleasesAtBlockEndsAndRepeatsTheNewestInBetween) {
  MomentStream stream(small_config());
  const std::vector<double> row{0.1, 0.2};
  EXPECT_FALSE(stream.push(row).is_new());
  EXPECT_EQ(stream.release().rows(), 0U);
  const Release& second = stream.push(row);
  EXPECT_TRUE(second.is_new());
  EXPECT_EQ(second.rows(), 2U);
  const double first_value = second.first()[0];
  EXPECT_FALSE(stream.push(row).is_new());
  EXPECT_EQ(stream.release().first()[0], first_value);
}

TEST(MomentStream, RefusesARowPastTheHorizonEvenWhereTheLastBlockHasRoom) {
  StreamConfig config = small_config();
  config.rows = 3;
  MomentStream stream(config);
  const std::vector<double> row{0.1, 0.2};
  stream.push(row);
  stream.push(row);
  EXPECT_TRUE(stream.push(row).is_new());  // the partial last block closes with the last row
  const double before = stream.release().first()[0];
  EXPECT_THROW(stream.push(row), BudgetExhausted);
  EXPECT_EQ(stream.release().first()[0], before);
  EXPECT_FALSE(stream.finish().is_new());
}

TEST(MomentStream, FinishReleasesAPartialBlockOnceAndTakesNoMoreRows) {
  MomentStream stream(small_config());
  const std::vector<double> row{0.1, 0.2};
  for (int i = 0; i < 3; ++i) stream.push(row);
  EXPECT_TRUE(stream.finish().is_new());
  EXPECT_EQ(stream.release().rows(), 3U);
  EXPECT_FALSE(stream.finish().is_new());
  EXPECT_THROW(stream.push(row), BudgetExhausted);
}

TEST(MomentStream, WithoutAHorizonStatesTheNoiseOfEveryRelease) {
  for (const Workload& workload : {prefix(), mean(), decay(0.9)}) {
    for (const std::size_t every : {1ul, 3ul}) {
      StreamConfig config{.budget = {.epsilon = 1, .delta = 1e-6},
                          .unbounded = true,
                          .every = every,
                          .dimension = 2,
                          .norm_bound = 1.0,
                          .workload = workload};
      const Mechanism mechanism(config);
      MomentStream stream(mechanism, InsecureTestSeed{3});
      const std::vector<double> row{0.1, 0.2};
      std::vector<double> norms(40);
      ErrorNormStream(mechanism.a1(), mechanism.c1()).next(norms);
      for (std::size_t step = 0; step < norms.size(); ++step) {
        for (std::size_t i = 0; i < every; ++i) stream.push(row);
        ASSERT_TRUE(stream.release().is_new());
        EXPECT_DOUBLE_EQ(stream.release().std_first(),
                         mechanism.calibration().std_first * std::sqrt(norms[step]));
        EXPECT_DOUBLE_EQ(stream.release().std_second(),
                         mechanism.calibration().std_diagonal() * std::sqrt(norms[step]));
      }
    }
  }
}

TEST(MomentStream, NamesTheRowAndColumnOfBadValuesAndNeverTheValue) {
  MomentStream stream(small_config());
  stream.push(std::vector<double>{0.1, 0.2});
  try {
    stream.push(std::vector<double>{0.1, std::numeric_limits<double>::infinity()});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "row 2, column 2: not a finite number");
    EXPECT_EQ(error.row(), 2U);
    EXPECT_EQ(error.column(), 2U);
  }
  try {
    stream.push(std::vector<double>{0.1});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "row 2: has 1 values, the dimension is 2");
    EXPECT_EQ(error.row(), 2U);
    EXPECT_EQ(error.column(), std::nullopt);
  }
  EXPECT_EQ(stream.rows(), 1U);  // a refused row does not count
}

TEST(MomentStream, GivesTheExactMomentsWhereNoiseIsNegligible) {
  // Noise of sigma 1e-9 is far below a lattice unit: what is left are the sums of snapped rows.
  for (const Method method :
       {Method::jme, Method::lambda_jme, Method::ime, Method::cs, Method::pp, Method::pp_debiased}) {
    MomentStream stream({.budget = {.sigma = 1e-9},
                         .rows = 5,
                         .every = 2,
                         .dimension = 2,
                         .norm_bound = 2.0,
                         .workload = prefix(),
                         .method = method,
                         .shape = Shape::identity()});
    const std::vector<std::vector<double>> rows{{0.5, 0.25}, {-1, 0.5}, {0.125, 1}, {1, 1}, {0, -0.75}};
    double x = 0, xy = 0, yy = 0;
    for (const auto& row : rows) {
      x += row[0];
      xy += row[0] * row[1];
      yy += row[1] * row[1];
      const Release& release = stream.push(row);
      if (!release.is_new()) continue;
      // These rows lie on the lattice; one unit of slack per block for the snapped products.
      EXPECT_NEAR(release.first()[0], x, 1e-5) << name(method);
      EXPECT_NEAR(release.second()[1], xy, 2e-5) << name(method);
      EXPECT_NEAR(release.second_matrix()(1, 1), yy, 2e-5) << name(method);
    }
    EXPECT_EQ(stream.release().rows(), 5U);
  }
}

TEST(MomentStream, ClipsARowOutsideTheBall) {
  MomentStream stream(
      {.budget = {.sigma = 1e-9}, .rows = 1, .dimension = 2, .norm_bound = 1.0, .workload = prefix()});
  const Release& release = stream.push(std::vector<double>{30, 40});
  EXPECT_NEAR(release.first()[0], 0.6, 1e-5);
  EXPECT_NEAR(release.second()[0], 0.36, 1e-5);
}

TEST(MomentStream, ReleasesLatticePointsWhateverTheRowsAndTheirWeights) {
  // A value off the lattice would contain digits of the rows that no noise covers
  // (docs/theory/safety.md#why-a-lattice). The first release is the sum with its noise, exactly in units of
  // 2^-20.
  for (const Method method : {Method::jme, Method::ime, Method::cs}) {
    for (const Workload& workload : {prefix(), decay(0.9)}) {
      for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
        MomentStream stream({.budget = {.sigma = 1.0},
                             .rows = 8,
                             .every = 4,
                             .dimension = 2,
                             .norm_bound = 1.0,
                             .geometry = Geometry::ball,
                             .workload = workload,
                             .method = method,
                             .shape = Shape::square_root(),
                             .second = second});
        for (const double x : {0.1, -1 / 3.0, 0.7, 1e-9}) stream.push(std::vector<double>{x, 0.2 - x});
        ASSERT_TRUE(stream.release().is_new());
        for (const double v : stream.release().first()) EXPECT_EQ(v * 0x1p20, std::floor(v * 0x1p20));
        for (const double v : stream.release().second()) EXPECT_EQ(v * 0x1p20, std::floor(v * 0x1p20));
      }
    }
  }
}

TEST(MomentStream, TwoStreamsOfTheSameRowsDrawDifferentNoise) {
  MomentStream one(small_config()), two(small_config());
  const std::vector<double> row{0.1, 0.2};
  one.push(row);
  two.push(row);
  EXPECT_NE(one.push(row).first()[0], two.push(row).first()[0]);
}

TEST(MomentStream, TheTestSeedFixesEveryRelease) {
  const Mechanism mechanism(small_config());
  MomentStream one(mechanism, InsecureTestSeed{3}), two(mechanism, InsecureTestSeed{3}),
      other(mechanism, InsecureTestSeed{4});
  const std::vector<double> row{0.1, 0.2};
  for (int i = 0; i < 6; ++i) {
    one.push(row);
    two.push(row);
    other.push(row);
  }
  EXPECT_EQ(one.release().second()[1], two.release().second()[1]);
  EXPECT_NE(one.release().second()[1], other.release().second()[1]);
}

TEST(MomentStream, AMovedFromStreamSaysSo) {
  MomentStream stream(small_config());
  MomentStream other(std::move(stream));
  const std::vector<double> row{0.1, 0.2};
  EXPECT_THROW(stream.push(row), StateError);  // NOLINT(bugprone-use-after-move): the point of the test
  EXPECT_NO_THROW(other.push(row));
}

TEST(MomentStream, LeavesTheSecondMomentOutWhereAskedTo) {
  StreamConfig config = small_config();
  config.second = SecondMoment::none;
  MomentStream stream(config);
  const std::vector<double> row{0.1, 0.2};
  stream.push(row);
  EXPECT_TRUE(stream.push(row).second().empty());
  EXPECT_EQ(stream.mechanism().calibration().std_second, 0.0);
}

}  // namespace
}  // namespace jme
