#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/joint.hpp>

#include "sensitivity/neighbours.hpp"

namespace jme {
namespace {

constexpr RowModel plane{.adjacency = Adjacency::replace_one, .dimension = 2, .norm_bound = 1};
constexpr RowModel scalar{.adjacency = Adjacency::replace_one, .dimension = 1, .norm_bound = 1};
constexpr RowModel plane_removed{.adjacency = Adjacency::add_remove, .dimension = 2, .norm_bound = 1};

/// The worst over all columns, from the definition.
double brute_force(const RowModel& rows, SecondMoment second, const std::vector<double>& a2,
                   const std::vector<double>& b2, double lambda) {
  double worst = 0;
  for (std::size_t i = 0; i < a2.size(); ++i) {
    worst =
        std::max(worst, testing::worst_change(testing::one_row(rows, second, a2[i], b2[i], lambda), 8, 11));
  }
  return std::sqrt(worst);
}

TEST(SingleExposure, KeepsOnlyColumnsThatNoOtherDominates) {
  const Exposure exposure = single_exposure({4, 1, 2, 2, 1, 4}, {1, 9, 3, 2, 8, 1});
  ASSERT_EQ(exposure.patterns.size(), 3U);  // (4,1), (2,3), (1,9)
  EXPECT_EQ(exposure.patterns[0][0].first, 4);
  EXPECT_EQ(exposure.patterns[1][0].second, 3);
  EXPECT_EQ(exposure.patterns[2][0].second, 9);
  EXPECT_EQ(exposure.blocks_touched, 1U);
  EXPECT_EQ(first_column_norm(exposure), 2);
  EXPECT_EQ(second_column_norm(exposure), 3);
}

TEST(SingleExposure, PruningChangesNoSensitivity) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> uniform(0.1, 3);
  std::vector<double> a2(200);
  std::vector<double> b2(200);
  for (double& value : a2) value = uniform(engine);
  for (double& value : b2) value = uniform(engine);
  const Exposure pruned = single_exposure(a2, b2);
  Exposure all;
  for (std::size_t i = 0; i < a2.size(); ++i) all.patterns.push_back({{.first = a2[i], .second = b2[i]}});
  for (double lambda : {0.0, 0.1, 1.0, 10.0}) {
    EXPECT_EQ(joint_sensitivity(plane, pruned, lambda), joint_sensitivity(plane, all, lambda));
    EXPECT_EQ(joint_sensitivity(scalar, pruned, lambda), joint_sensitivity(scalar, all, lambda));
  }
  EXPECT_EQ(largest_free_lambda(plane, pruned), largest_free_lambda(plane, all));
}

TEST(JointSensitivity, OfGeneralColumnsIsNotThatOfTheFirstColumns) {
  // docs/theory/sensitivity.md#columns: C1 = diag(2,1,1,1,1), C2 = diag(1,1,1,1,3), lambda = 1, d = 2.
  const std::vector<double> a2{4, 1, 1, 1, 1};
  const std::vector<double> b2{1, 1, 1, 1, 9};
  EXPECT_NEAR(joint_sensitivity(plane, single_exposure(a2, b2), 1), 4.47834, 0.5e-5);
  EXPECT_NEAR(joint_sensitivity(plane, single_exposure(a2, b2), 1),
              brute_force(plane, SecondMoment::full, a2, b2, 1), 1e-6);
  EXPECT_NEAR(joint_sensitivity(plane, single_exposure({a2[0]}, {b2[0]}), 1), 4.0, 1e-12);
}

TEST(JointSensitivity, IsTheWorstChangeForEveryDimensionBoundAndMode) {
  // 1e-6: what ascent leaves; 1e-12: its rounding.
  const std::vector<double> a2{1.0, 0.7, 1.3};
  const std::vector<double> b2{0.5, 2.0, 0.1};
  for (Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    for (std::size_t dimension : {1U, 2U, 3U, 5U}) {
      for (double zeta : {0.5, 3.0}) {
        for (double lambda : {0.05, 0.4, 2.0}) {
          for (SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
            const RowModel rows{.adjacency = adjacency, .dimension = dimension, .norm_bound = zeta};
            const double formula = joint_sensitivity(rows, single_exposure(a2, b2), lambda);
            const double found = brute_force(rows, second, a2, b2, lambda);
            EXPECT_LE(found, formula * (1 + 1e-12));
            EXPECT_GE(found, formula * (1 - 1e-6)) << dimension << " " << zeta << " " << lambda;
          }
        }
      }
    }
  }
}

TEST(SecondSensitivity, IsTheLimitOfManyLambdas) {
  const Exposure exposure = single_exposure({1.0, 0.7}, {0.5, 2.0});
  for (Adjacency adjacency : {Adjacency::replace_one, Adjacency::add_remove}) {
    for (std::size_t dimension : {1U, 2U, 5U}) {
      const RowModel rows{.adjacency = adjacency, .dimension = dimension, .norm_bound = 1.5};
      // sens^2/lambda - second^2 falls as 1/lambda.
      EXPECT_NEAR(joint_sensitivity(rows, exposure, 1e14) / 1e7, second_sensitivity(rows, exposure), 1e-12);
    }
  }
}

TEST(SecondSensitivity, HasNoRootTwoForScalars) {
  const Exposure exposure = single_exposure({1}, {9});
  EXPECT_DOUBLE_EQ(second_sensitivity({.dimension = 1, .norm_bound = 2}, exposure), 4.0 * 3);
  EXPECT_DOUBLE_EQ(second_sensitivity({.dimension = 2, .norm_bound = 2}, exposure), std::sqrt(2.0) * 4 * 3);
  EXPECT_DOUBLE_EQ(
      second_sensitivity({.adjacency = Adjacency::add_remove, .dimension = 2, .norm_bound = 2}, exposure),
      4.0 * 3);
}

TEST(FirstSensitivity, IsTwoZetaAOrZetaA) {
  const Exposure exposure = single_exposure({1, 6.25}, {1, 1});
  EXPECT_DOUBLE_EQ(first_sensitivity({.dimension = 3, .norm_bound = 2}, exposure), 2 * 2 * 2.5);
  EXPECT_DOUBLE_EQ(
      first_sensitivity({.adjacency = Adjacency::add_remove, .dimension = 3, .norm_bound = 2}, exposure),
      2 * 2.5);
}

TEST(JointSensitivity, SurvivesColumnsThatOneChannelDoesNotSee) {
  const Exposure exposure{.patterns = {{{.first = 0, .second = 4}}, {{.first = 1, .second = 0}}}};
  EXPECT_DOUBLE_EQ(joint_sensitivity(plane, exposure, 0), 2);
  EXPECT_DOUBLE_EQ(joint_sensitivity(plane, exposure, 1e6), 1e3 * std::sqrt(2.0) * 2);
  EXPECT_DOUBLE_EQ(largest_free_lambda(plane, exposure), 0.5);  // lambda 2 b^2 = 4
}

TEST(LargestFreeLambda, OfEqualColumnsIsOneOverCdZetaSquared) {
  const Exposure exposure = single_exposure({4.0, 1.0}, {9.0, 2.0});
  for (double zeta : {0.3, 1.0, 20.0}) {
    EXPECT_NEAR(largest_free_lambda({.dimension = 2, .norm_bound = zeta}, exposure) * zeta * zeta,
                4.0 / 9 / 2, 1e-14);
    EXPECT_NEAR(largest_free_lambda({.dimension = 1, .norm_bound = zeta}, exposure) * zeta * zeta,
                4.0 / 9 * (11 + 5 * std::sqrt(5)) / 8, 1e-14);
  }
  EXPECT_EQ(largest_free_lambda(plane_removed, exposure), 0);
}

TEST(LargestFreeLambda, IsFreeAndNothingBeyondIt) {
  // Columns where neither channel's largest decides: (a^2, b^2) = (1, 4) with room, (4, 1) without.
  for (const RowModel& rows : {plane, scalar}) {
    for (const Exposure& exposure :
         {single_exposure({4, 1}, {1, 4}), single_exposure({4, 3.9, 1}, {1, 1.1, 40})}) {
      const double lambda = largest_free_lambda(rows, exposure);
      const double first = first_sensitivity(rows, exposure);
      EXPECT_LE(joint_sensitivity(rows, exposure, lambda), first * (1 + 1e-15));
      EXPECT_GT(joint_sensitivity(rows, exposure, lambda * 1.001), first);
    }
  }
}

TEST(LargestFreeLambda, IsNotTheSmallestAsThePaperSays) {
  const Exposure exposure = single_exposure({1}, {1});
  const double lambda = largest_free_lambda(plane, exposure);
  for (double smaller : {0.5, 0.1, 1e-6}) {
    EXPECT_EQ(joint_sensitivity(plane, exposure, smaller * lambda), first_sensitivity(plane, exposure));
  }
}

TEST(LargestFreeLambda, OfASumIsWhereItsFirstEntryLeavesTheFlat) {
  const Exposure sum{
      .patterns = {{{.first = 2, .second = 1}, {.first = 2, .second = 4}, {.first = 1, .second = 1}}}};
  EXPECT_DOUBLE_EQ(largest_free_lambda(plane, sum), 0.5 * 2 / 4);
}

TEST(LargestFreeLambda, OfSeveralSumsIsFoundByBisection) {
  // The second pattern decides the first channel and is flat up to 5; the other one has room to rise and gets
  // there first.
  const Exposure exposure{.patterns = {{{.first = 1, .second = 4}, {.first = 1, .second = 2}},
                                       {{.first = 3, .second = 0.3}, {.first = 3, .second = 0.3}}}};
  for (const RowModel& rows : {plane, scalar}) {
    const double lambda = largest_free_lambda(rows, exposure);
    const double first = first_sensitivity(rows, exposure);
    EXPECT_EQ(first, std::sqrt(24.0));
    EXPECT_LE(joint_sensitivity(rows, exposure, lambda), first);
    EXPECT_GT(joint_sensitivity(rows, exposure, lambda * (1 + 1e-14)), first);
    // d >= 2: 2 lambda (4 + 2) + 4 + (1/4 + 1/2)/(2 lambda) = 24, a quadratic.
    if (rows.dimension == 1) continue;
    EXPECT_NEAR(lambda, (20 + std::sqrt(400 - 18)) / 24, 1e-14 * lambda);
  }
}

TEST(LargestFreeLambda, IsInfiniteWithoutASecondMoment) {
  EXPECT_EQ(largest_free_lambda(plane, single_exposure({1}, {0})), std::numeric_limits<double>::infinity());
}

double goal(const RowModel& rows, const Exposure& exposure, double ratio, double lambda) {
  const double s = joint_sensitivity(rows, exposure, lambda);
  return s * s * (1 + ratio / lambda);
}

TEST(WeightedLambda, IsTheClosedFormForOneColumnAndVectors) {
  // nu* = (1 + sqrt(1 + 16 W))/4, W = ratio zeta^2 b^2/a^2.
  for (double a2 : {1.0, 3.0}) {
    for (double ratio : {1e-6, 0.01, 1.0, 30.0, 1e6}) {
      const RowModel rows{.dimension = 4, .norm_bound = 2};
      const double scale = 4 * 0.5 / a2;
      const double nu = (1 + std::sqrt(1 + 16 * ratio * scale)) / 4;
      // The slope is known to rounding and crosses zero at unit speed in log lambda.
      EXPECT_NEAR(weighted_lambda(rows, single_exposure({a2}, {0.5}), ratio), nu / scale, 1e-13 * nu / scale);
    }
  }
}

TEST(WeightedLambda, IsTheRootOfTheRatioUnderAddRemove) {
  // (1 + nu)(1 + W/nu) is least at nu = sqrt(W).
  EXPECT_NEAR(weighted_lambda(plane_removed, single_exposure({1}, {1}), 7), std::sqrt(7.0), 1e-13);
}

TEST(WeightedLambda, StaysAtTheKinkOverAWideRangeForScalars) {
  const Exposure exposure = single_exposure({1}, {1});
  const double kink = (11 + 5 * std::sqrt(5)) / 8;
  for (double ratio : {0.01, 0.1, 1.0})
    EXPECT_NEAR(weighted_lambda(scalar, exposure, ratio), kink, 1e-14) << ratio;
  EXPECT_GT(weighted_lambda(scalar, exposure, 1e3), kink * 1.01);
}

TEST(WeightedLambda, MinimisesTheGoalForAnyExposure) {
  const Exposure columns = single_exposure({4, 1, 0.5}, {1, 4, 5});
  const Exposure sums{.patterns = {{{.first = 1, .second = 4}, {.first = 1, .second = 2}},
                                   {{.first = 3, .second = 0.3}, {.first = 3, .second = 0.3}}}};
  for (const RowModel& rows : {plane, scalar, plane_removed}) {
    for (const Exposure& exposure : {columns, sums}) {
      for (double ratio : {1e-4, 0.1, 1.0, 50.0}) {
        const double best = weighted_lambda(rows, exposure, ratio);
        const double least = goal(rows, exposure, ratio, best);
        // A scan of five decades on both sides; 1e-14 is the goal's rounding.
        for (double factor = 1e-5; factor < 1e5; factor *= 1.01) {
          EXPECT_GE(goal(rows, exposure, ratio, best * factor), least * (1 - 1e-14))
              << ratio << " " << factor;
        }
      }
    }
  }
}

TEST(Sensitivity, RefusesNonsense) {
  const Exposure exposure = single_exposure({1}, {1});
  const double infinity = std::numeric_limits<double>::infinity();
  for (double lambda : {-1.0, infinity, std::nan("")}) {
    EXPECT_THROW((void)joint_sensitivity(plane, exposure, lambda), InvalidParameter);
  }
  for (double ratio : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW((void)weighted_lambda(plane, exposure, ratio), InvalidParameter);
  }
  EXPECT_THROW((void)joint_sensitivity({.dimension = 0}, exposure, 1), InvalidParameter);
  EXPECT_THROW((void)joint_sensitivity({.norm_bound = 0}, exposure, 1), InvalidParameter);
  EXPECT_THROW((void)joint_sensitivity(plane, {}, 1), InvalidParameter);
  EXPECT_THROW((void)single_exposure({1, 2}, {1}), InvalidParameter);
  EXPECT_THROW((void)single_exposure({std::nan("")}, {1}), InvalidParameter);
  EXPECT_THROW((void)single_exposure({1}, {infinity}), InvalidParameter);
  EXPECT_THROW((void)single_exposure({}, {}), InvalidParameter);
}

}  // namespace
}  // namespace jme
