#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/theory/plan.hpp>

#include "theory/recommend.hpp"

namespace jme {
namespace {

using testing::HasSubstr;

StreamConfig stream(Workload workload, std::size_t rows, std::size_t dimension, double sigma) {
  StreamConfig config;
  config.budget.sigma = sigma;
  config.rows = rows;
  config.dimension = dimension;
  config.norm_bound = 1;
  config.workload = std::move(workload);
  return config;
}

const PlanCandidate* find(const Plan& plan, Method method, const std::string& shape) {
  const auto found =
      std::find_if(plan.candidates.begin(), plan.candidates.end(),
                   [&](const PlanCandidate& c) { return c.method == method && c.shape.name() == shape; });
  return found == plan.candidates.end() ? nullptr : &*found;
}

TEST(Plan, ListsEveryMethodAndShapeWithTheErrorsOfItsMechanism) {
  const StreamConfig config = stream(prefix(), 60, 3, 1);
  const Plan all = plan(config, {});
  for (const Method method :
       {Method::jme, Method::lambda_jme, Method::ime, Method::cs, Method::pp, Method::pp_debiased}) {
    for (const std::string shape : {"identity", "sqrt", "banded:16", "blt:4", "dense"}) {
      const PlanCandidate* candidate = find(all, method, shape);
      ASSERT_NE(candidate, nullptr) << name(method) << ' ' << shape;
      StreamConfig one = config;
      one.method = method;
      one.shape = Shape::parse(shape);
      const ExpectedError error = expected_error(Mechanism(one));
      // The dense optimum is passed on as a matrix and costs nothing in accuracy.
      EXPECT_NEAR(candidate->error_first, error.first, 1e-9 * error.first) << name(method) << ' ' << shape;
      EXPECT_NEAR(candidate->error_second.high, error.second.high, 1e-9 * error.second.high);
      EXPECT_DOUBLE_EQ(candidate->rmse_first, std::sqrt(candidate->error_first / (60 * 3)));
      EXPECT_DOUBLE_EQ(candidate->rmse_second, std::sqrt(candidate->error_second.high / (60 * 9)));
    }
  }
}

TEST(Plan, GivesCsTheErrorsOfOneShapeWhetherOrNotTheOtherMethodsHaveTwo) {
  for (const std::optional<Workload>& second : {std::optional<Workload>(), {mean()}, {decay(0.9)}}) {
    StreamConfig config = stream(mean(), 60, 3, 1);
    config.workload_second = second;
    const Plan all = plan(config, {});
    for (const Method method : {Method::jme, Method::ime, Method::cs}) {
      for (const std::string shape : {"identity", "banded:16", "blt:4", "scaled-blt:2"}) {
        const PlanCandidate* candidate = find(all, method, shape);
        ASSERT_NE(candidate, nullptr) << name(method) << ' ' << shape;
        StreamConfig one = config;
        one.method = method;
        one.shape = Shape::parse(shape);
        one.shape_second = candidate->shape_second;
        const ExpectedError error = expected_error(Mechanism(one));
        EXPECT_EQ(candidate->error_first, error.first) << name(method) << ' ' << shape;
        EXPECT_EQ(candidate->error_second.high, error.second.high) << name(method) << ' ' << shape;
      }
    }
  }
}

TEST(Plan, ListsNothingTwice) {
  const Plan all = plan(stream(mean(), 100, 2, 1), {});
  for (std::size_t i = 0; i < all.candidates.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(all.candidates[i].method == all.candidates[j].method &&
                   all.candidates[i].shape.name() == all.candidates[j].shape.name() &&
                   !all.candidates[i].shape_second && !all.candidates[j].shape_second);
}

TEST(Plan, RecommendsTheFreeSecondMomentAndAShapeWhoseStateFits) {
  const Plan all = plan(stream(prefix(), 1000, 5, 1), {});
  const PlanCandidate& best = all.candidates[all.recommended];
  EXPECT_EQ(best.method, Method::jme);
  EXPECT_LE(best.state_vectors, 5U);
  EXPECT_EQ(best.note, "");
  for (const PlanCandidate& other : all.candidates) {
    if (other.state_vectors > 5) continue;
    EXPECT_LE(best.error_first, 1.01 * other.error_first);
  }
}

TEST(Plan, RecommendsPostprocessingWhereItIsReallyBetter) {
  // docs/theory/errors.md#who-wins: identity shape, sigma below (1/2) sqrt(1 - 2/d), one row per step.
  StreamConfig config = stream(prefix(), 100, 100, 0.1);
  const PlanScope identity{.method = std::nullopt, .shape = Shape::identity()};
  const Plan low_privacy = plan(config, identity);
  EXPECT_EQ(low_privacy.candidates[low_privacy.recommended].method, Method::pp_debiased);
  config.budget.sigma = 1;
  const Plan high_privacy = plan(config, identity);
  EXPECT_EQ(high_privacy.candidates[high_privacy.recommended].method, Method::jme);
}

TEST(Plan, ListsOnlyWhatIsNamed) {
  const StreamConfig config = stream(decay(0.9), 50, 2, 1);
  const Plan one = plan(config, {.method = Method::ime, .shape = Shape::banded(4)});
  ASSERT_EQ(one.candidates.size(), 1U);
  EXPECT_EQ(one.candidates[0].method, Method::ime);
  EXPECT_EQ(one.candidates[0].shape.name(), "banded:4");
  EXPECT_EQ(one.recommended, 0U);
  for (const PlanCandidate& c : plan(config, {.method = Method::cs, .shape = Shape::automatic()}).candidates)
    EXPECT_EQ(c.method, Method::cs);
}

TEST(Plan, SaysWhatIsWrongWithACandidate) {
  StreamConfig config = stream(prefix(), 60, 2, 1);
  config.every = 3;
  const Plan all = plan(config, {});
  EXPECT_EQ(find(all, Method::jme, "identity")->note, "");
  EXPECT_THAT(find(all, Method::pp_debiased, "sqrt")->note, HasSubstr("destroys the cancellation"));
  EXPECT_THAT(find(all, Method::pp, "identity")->note, HasSubstr("every row"));
  EXPECT_THAT(find(all, Method::pp, "identity")->note, HasSubstr("biased"));
  EXPECT_THAT(find(all, Method::jme, "sqrt")->note, HasSubstr("grows with the stream"));
  EXPECT_THAT(find(all, Method::jme, "banded:16")->note, HasSubstr("max-state-vectors"));
}

TEST(Plan, UnderAddRemoveLeavesOutWhatNeedsALambdaAndSaysSo) {
  StreamConfig config = stream(mean(), 50, 2, 1);
  config.adjacency = Adjacency::add_remove;
  const Plan all = plan(config, {});
  EXPECT_EQ(find(all, Method::jme, "identity"), nullptr);
  EXPECT_NE(find(all, Method::ime, "identity"), nullptr);
  EXPECT_FALSE(all.left_out.empty());
  EXPECT_THAT(all.left_out.front(), HasSubstr("jme with"));
  config.lambda = 1;
  EXPECT_NE(find(plan(config, {}), Method::jme, "identity"), nullptr);
}

TEST(Plan, ThrowsTheReasonWhereNothingIsLeft) {
  StreamConfig config = stream(mean(), 50, 2, 1);
  config.adjacency = Adjacency::add_remove;
  EXPECT_THROW((void)plan(config, {.method = Method::jme, .shape = Shape::identity()}), InvalidParameter);
  StreamConfig no_budget = stream(mean(), 50, 2, 0);
  EXPECT_THROW((void)plan(no_budget, {}), InvalidParameter);
  StreamConfig no_rows = stream(mean(), 0, 2, 1);
  EXPECT_THROW((void)plan(no_rows, {}), InvalidParameter);
  StreamConfig no_schedule = stream(mean(), 50, 2, 1);
  no_schedule.every = 0;
  EXPECT_THROW((void)plan(no_schedule, {}), InvalidParameter);
}

TEST(Plan, ChoosesShapesPerChannelWhereTheWorkloadsDiffer) {
  StreamConfig config = stream(prefix(), 64, 2, 1);
  config.workload_second = decay(0.001);  // nothing to shape there
  const Plan all = plan(config, {.method = Method::jme, .shape = std::nullopt});
  const bool mixed = std::any_of(all.candidates.begin(), all.candidates.end(),
                                 [](const PlanCandidate& c) { return c.shape_second.has_value(); });
  EXPECT_TRUE(mixed);
}

TEST(Plan, WithoutASecondMomentComparesShapesOnly) {
  StreamConfig config = stream(prefix(), 50, 2, 1);
  config.second = SecondMoment::none;
  const Plan all = plan(config, {});
  for (const PlanCandidate& c : all.candidates) {
    EXPECT_EQ(c.method, Method::jme);
    EXPECT_EQ(c.rmse_second, 0);
  }
}

TEST(Plan, KeepsToIdentityForPostprocessingOnLongStreams) {
  StreamConfig config = stream(prefix(), 200'000, 2, 1);
  config.every = 1000;
  const Plan all = plan(config, {.method = Method::pp_debiased, .shape = std::nullopt});
  ASSERT_EQ(all.candidates.size(), 1U);
  EXPECT_EQ(all.candidates[0].shape.kind(), Shape::Kind::identity);
  EXPECT_FALSE(all.left_out.empty());
}

TEST(Plan, WorksForCustomWorkloads) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(6, 6);
  a(3, 1) = 0.5;
  const Plan all = plan(stream(custom(a), 6, 2, 1), {});
  EXPECT_NE(find(all, Method::jme, "identity"), nullptr);
  EXPECT_NE(find(all, Method::pp_debiased, "identity"), nullptr);
}

PlanCandidate candidate(double first, double second, std::size_t state) {
  return {.method = Method::jme,
          .shape = Shape::identity(),
          .shape_second = std::nullopt,
          .lambda = 0,
          .geometry = Geometry::ball,
          .noise = {},
          .error_first = first,
          .error_second = {second / 2, second},
          .rmse_first = 0,
          .rmse_second = 0,
          .state_vectors = state,
          .fits = state <= 5,
          .note = {}};
}

TEST(Recommend, PutsTheFirstMomentFirstByDefault) {
  const StreamConfig config;
  EXPECT_EQ(theory::recommend({candidate(1.1, 1, 0), candidate(1, 50, 0), candidate(1.005, 40, 0)}, config),
            2U);
}

TEST(Recommend, StaysWithinTheStateUnlessNothingDoes) {
  const StreamConfig config;
  EXPECT_EQ(theory::recommend({candidate(1, 1, 6), candidate(3, 3, 5)}, config), 1U);
  EXPECT_EQ(theory::recommend({candidate(4, 1, 7), candidate(3, 3, 6)}, config), 1U);
}

TEST(Recommend, BreaksTiesByState) {
  const StreamConfig config;
  EXPECT_EQ(theory::recommend({candidate(1, 2, 4), candidate(1, 2, 2)}, config), 1U);
}

TEST(Recommend, FollowsTheBalancesGoal) {
  StreamConfig config;
  config.balance = 0.1;
  EXPECT_EQ(theory::recommend({candidate(1, 50, 0), candidate(2, 20, 0)}, config), 1U);
  config.balance = 0.01;
  EXPECT_EQ(theory::recommend({candidate(1, 50, 0), candidate(2, 20, 0)}, config), 0U);
}

TEST(Recommend, WeighsBothMomentsWhereNothingIsFree) {
  StreamConfig config;
  config.adjacency = Adjacency::add_remove;
  EXPECT_EQ(theory::recommend({candidate(1, 50, 0), candidate(2, 20, 0)}, config), 1U);
}

}  // namespace
}  // namespace jme
