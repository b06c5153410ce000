#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/privacy/gaussian.hpp>

namespace jme {
namespace {

StreamConfig config() {
  return {.budget = {.epsilon = 1, .delta = 1e-6},
          .rows = 100,
          .dimension = 3,
          .norm_bound = 2.0,
          .workload = prefix()};
}

std::string complaint(const std::function<void(StreamConfig&)>& change) {
  StreamConfig changed = config();
  change(changed);
  try {
    const Mechanism mechanism(changed);
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "";
}

TEST(Mechanism, NamesTheParameterThatIsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint([](auto& c) { c.budget.epsilon = 0; }).substr(0, 7), "epsilon");
  EXPECT_EQ(complaint([=](auto& c) { c.budget.epsilon = nan; }).substr(0, 7), "epsilon");
  EXPECT_EQ(complaint([](auto& c) { c.budget.delta = 1; }), "delta = 1: must be in (0, 1)");
  EXPECT_EQ(complaint([](auto& c) { c.budget = {.sigma = -1}; }).substr(0, 5), "sigma");
  EXPECT_EQ(complaint([](auto& c) { c.budget.sigma = 1; }).substr(0, 5), "sigma");
  EXPECT_EQ(complaint([](auto& c) { c.rows = 0; }).substr(0, 4), "rows");
  EXPECT_EQ(complaint([](auto& c) { c.steps = 7; }).substr(0, 5), "steps");
  EXPECT_EQ(complaint([](auto& c) { c.every = 0; }).substr(0, 5), "every");
  EXPECT_EQ(complaint([](auto& c) { c.every = (std::size_t{1} << 31) + 1; }).substr(0, 5), "every");
  EXPECT_EQ(complaint([](auto& c) { c.dimension = 0; }).substr(0, 9), "dimension");
  EXPECT_EQ(complaint([](auto& c) { c.norm_bound = 0; }).substr(0, 10), "norm-bound");
  EXPECT_EQ(complaint([](auto& c) { c.norm_bound = 1e200; }).substr(0, 10), "norm-bound");
  EXPECT_EQ(complaint([](auto& c) { c.balance = -1; }).substr(0, 7), "balance");
  EXPECT_EQ(complaint([](auto& c) { c.workload = window(101); }).substr(0, 8), "workload");
  EXPECT_EQ(complaint([](auto& c) {
              c.method = Method::cs;
              c.shape = Shape::identity();
              c.shape_second = Shape::square_root();
            }).substr(0, 6),
            "shape2");
  EXPECT_EQ(complaint([](auto& c) { c.adjacency = Adjacency::add_remove; }).substr(0, 6), "lambda");
}

TEST(Mechanism, RefusesAMatrixThatCannotShapeNoise) {
  const auto with = [](const Eigen::MatrixXd& matrix) {
    return complaint([&](StreamConfig& c) {
      c.rows = 3;
      c.shape = Shape::custom(matrix, "mine");
    });
  };
  Eigen::MatrixXd upper = Eigen::MatrixXd::Identity(3, 3);
  upper(0, 2) = 1;
  Eigen::MatrixXd singular = Eigen::MatrixXd::Identity(3, 3);
  singular(1, 1) = 0;
  EXPECT_NE(with(upper), "");
  EXPECT_NE(with(singular), "");
  EXPECT_NE(with(Eigen::MatrixXd::Identity(4, 4)), "");
  EXPECT_EQ(with(Eigen::MatrixXd::Identity(3, 3)), "");
}

TEST(Mechanism, JmeNoiseIsTheFirstMomentsOwnUpToTheRoundingSlack) {
  StreamConfig c = config();
  c.shape = Shape::identity();
  const Mechanism mechanism(c);
  const double sigma = mechanism.sigma();
  const double zeta = 2.0;
  // lambda* = 1/(2 zeta^2); snapping the products and the trace costs sqrt(lambda) gamma2 sqrt(d^2 + w) at
  // most, w the weight of the trace (docs/theory/safety.md#data-on-the-lattice).
  const double trace = (11 + 5 * std::sqrt(5.0)) / 4 - 1;
  const double slack = std::sqrt((9 + trace) / (2 * zeta * zeta)) * 0x1p-20 * zeta * zeta;
  EXPECT_NEAR(mechanism.calibration().lambda, 1 / (2 * zeta * zeta), 1e-12);
  EXPECT_NEAR(mechanism.calibration().std_first, sigma * (2 * zeta + slack), 1e-10 * sigma);
  EXPECT_GT(mechanism.calibration().std_first, sigma * 2 * zeta);
}

TEST(Mechanism, RoundingErrorsOfTheNoiseAreAlwaysPaidOutOfTheBudget) {
  for (const double epsilon : {1e-4, 1e-3, 0.01, 0.1, 1.0, 8.0, 20.0}) {
    StreamConfig c = config();
    c.budget = {.epsilon = epsilon, .delta = 1e-6};
    const double ideal = noise_multiplier({.epsilon = epsilon, .delta = 1e-6});
    const Mechanism mechanism(c);
    EXPECT_GT(mechanism.sigma(), ideal);
    EXPECT_LT(mechanism.sigma(), 1.001 * ideal);
    EXPECT_DOUBLE_EQ(mechanism.sampler_cost(), mechanism.sigma() / ideal - 1);
    // What is proved is what was asked for, with hardly any slack.
    EXPECT_LE(gdp_epsilon(mechanism.mu(), 1e-6, mechanism.bad_past()), epsilon * (1 + 1e-12));
    EXPECT_GT(gdp_epsilon(mechanism.mu(), 1e-6, mechanism.bad_past()), epsilon * (1 - 1e-6));
    EXPECT_GT(mechanism.mu(), 1 / mechanism.sigma());
    EXPECT_GT(mechanism.bad_past(), 0);
    EXPECT_LT(mechanism.bad_past(), 1e-30);
  }
}

TEST(Mechanism, ALongerStreamPaysMore) {
  StreamConfig longer = config();
  longer.rows = 10000;
  EXPECT_GT(Mechanism(longer).sigma(), Mechanism(config()).sigma());
}

TEST(Mechanism, AGivenSigmaIsKeptAndItsMuStatesEverything) {
  StreamConfig c = config();
  c.budget = {.sigma = 3.0};
  const Mechanism mechanism(c);
  EXPECT_EQ(mechanism.sigma(), 3.0);
  EXPECT_GT(mechanism.mu(), 1 / 3.0);
  EXPECT_LT(mechanism.mu(), 1 / 3.0 + 1e-6);
  EXPECT_NEAR(mechanism.sampler_cost(), mechanism.mu() * 3 - 1, 1e-12);
}

TEST(Mechanism, UnderTheIdentityTheNoiseIsExact) {
  StreamConfig c = config();
  c.shape = Shape::identity();
  const Mechanism mechanism(c);
  EXPECT_DOUBLE_EQ(mechanism.sigma(), noise_multiplier({.epsilon = 1, .delta = 1e-6}));
  EXPECT_LT(mechanism.sampler_cost(), 1e-14);
  EXPECT_EQ(mechanism.bad_past(), 0);
}

TEST(Mechanism, RefusesABudgetThatRoundingErrorsAloneWouldSpend) {
  StreamConfig c = config();
  c.dimension = 1000;
  c.rows = 1'000'000;
  c.budget = {.epsilon = 1e-9, .delta = 1e-12};
  EXPECT_THROW(Mechanism{c}, InvalidParameter);
}

TEST(Mechanism, WeightedBlocksPayForTheirRounding) {
  StreamConfig c = config();
  c.shape = Shape::identity();
  c.every = 10;
  c.second = SecondMoment::none;
  c.budget = {.sigma = 3.0};  // as given: nothing is subtracted from a budget
  const double exact = Mechanism(c).calibration().std_first;
  EXPECT_NEAR(exact, 3.0 * 4, 1e-9);
  c.workload = decay(0.9);
  const double slack = 0x1p-20 * 2.0 * std::sqrt(3.0);
  EXPECT_NEAR(Mechanism(c).calibration().std_first / exact - 1, slack / 4, 1e-9);
}

TEST(Mechanism, BlocksShortenTheHorizonOfTheShapeButNotThatOfPp) {
  StreamConfig c = config();
  c.every = 10;
  c.shape = Shape::square_root();
  EXPECT_EQ(Mechanism(c).c1().steps(), 10U);
  c.method = Method::pp;
  EXPECT_EQ(Mechanism(c).c1().steps(), 100U);
}

TEST(Mechanism, AutomaticIsResolvedAndIsTheIdentityForPp) {
  StreamConfig c = config();
  EXPECT_NE(Mechanism(c).shape_first().kind(), Shape::Kind::automatic);
  EXPECT_NE(Mechanism(c).shape_first().kind(), Shape::Kind::identity);
  c.method = Method::pp_debiased;
  EXPECT_EQ(Mechanism(c).shape_first().kind(), Shape::Kind::identity);
}

TEST(Mechanism, StepsAreAnotherWayToGiveTheHorizon) {
  StreamConfig c = config();
  c.rows.reset();
  c.steps = 12;
  c.every = 5;
  EXPECT_EQ(Mechanism(c).horizon().rows(), 60U);
}

StreamConfig unbounded_config(const Workload& workload) {
  StreamConfig c = config();
  c.rows.reset();
  c.unbounded = true;
  c.workload = workload;
  return c;
}

TEST(Mechanism, WithoutAHorizonKeepsAnyLengthPrivate) {
  for (const Workload& workload : {prefix(), mean(), decay(0.99)}) {
    for (const Method method : {Method::jme, Method::lambda_jme, Method::ime, Method::cs}) {
      StreamConfig c = unbounded_config(workload);
      c.method = method;
      const Mechanism mechanism(c);
      EXPECT_TRUE(mechanism.horizon().is_unbounded());
      EXPECT_EQ(mechanism.horizon().steps(), Horizon::most_steps);
      EXPECT_EQ(mechanism.shape_first().kind(), Shape::Kind::scaled_blt);
      // No column is longer than 1, and all of them count.
      ASSERT_EQ(mechanism.exposure().patterns.size(), 1U);
      EXPECT_EQ(mechanism.exposure().patterns[0][0].first, 1);
      EXPECT_TRUE(std::isfinite(mechanism.calibration().std_first));
    }
  }
}

TEST(Mechanism, WithoutAHorizonPaysInAdvance) {
  const double ideal = noise_multiplier({.epsilon = 1, .delta = 1e-6});
  for (const Workload& workload : {mean(), prefix(), decay(0.99)}) {
    const Mechanism mechanism(unbounded_config(workload));
    EXPECT_GT(mechanism.sigma(), ideal);
    EXPECT_LE(mechanism.sigma(), 1.01 * ideal);
    EXPECT_LE(gdp_epsilon(mechanism.mu(), 1e-6, mechanism.bad_past()), 1 + 1e-12);
  }
}

TEST(Mechanism, WithoutAHorizonTakesSeveralRowsOfAPerson) {
  StreamConfig c = unbounded_config(decay(0.9));
  c.participation = {.rows = 5, .separation = 50};
  const double far = Mechanism(c).calibration().sensitivity;
  c.participation.separation = 1;
  const double near = Mechanism(c).calibration().sensitivity;
  c.participation = {};
  const double single = Mechanism(c).calibration().sensitivity;
  EXPECT_GT(far, std::sqrt(5.0) * single * (1 - 1e-4));
  EXPECT_LT(far, 1.01 * std::sqrt(5.0) * single);  // 50 rows later hardly anything is left of a row
  EXPECT_GT(near, 1.5 * std::sqrt(5.0) * single);
  EXPECT_LE(near, 5 * single * (1 + 1e-4));
}

TEST(Mechanism, WithoutAHorizonNoisesRowsForPp) {
  StreamConfig c = unbounded_config(mean());
  c.method = Method::pp;
  c.every = 100;
  const Mechanism mechanism(c);
  EXPECT_EQ(mechanism.horizon().rows(), Horizon::most_steps);  // every row draws
  EXPECT_EQ(mechanism.c1().steps(), Horizon::most_steps);
}

TEST(Mechanism, WithoutAHorizonRefusesWhatNeedsOne) {
  EXPECT_EQ(complaint([](auto& c) { c.unbounded = true; }).substr(0, 5), "steps");
  EXPECT_EQ(complaint([](auto& c) { c = unbounded_config(window(10)); }).substr(0, 8), "workload");
  EXPECT_EQ(complaint([](auto& c) {
              c = unbounded_config(prefix());
              c.shape = Shape::square_root();
            }).substr(0, 5),
            "shape");
}

TEST(Mechanism, ChannelsThatAreAskedForTheSameShareIt) {
  StreamConfig c = config();
  EXPECT_TRUE(Mechanism(c).second_is_like_first());
  c.shape_second = Shape::automatic();
  EXPECT_TRUE(Mechanism(c).second_is_like_first());
  c.shape_second = Shape::identity();
  EXPECT_FALSE(Mechanism(c).second_is_like_first());
  c.shape_second.reset();
  c.workload_second = decay(0.5);
  EXPECT_FALSE(Mechanism(c).second_is_like_first());
  c.method = Method::cs;
  EXPECT_FALSE(Mechanism(c).second_is_like_first());
  c.workload_second.reset();
  EXPECT_TRUE(Mechanism(c).second_is_like_first());
  c.second = SecondMoment::none;
  EXPECT_FALSE(Mechanism(c).second_is_like_first());
}

TEST(Mechanism, SharedShapesPayWhatTwoEqualOnesDo) {
  StreamConfig shared = config();
  shared.rows = 5000;
  shared.shape = Shape::scaled_blt(3);
  StreamConfig apart = shared;  // the same numbers, written out: not known to be the same
  apart.shape_second = Shape::scaled_blt(3).with_parameters(prefix(), Horizon(5000));
  ASSERT_TRUE(Mechanism(shared).second_is_like_first());
  ASSERT_FALSE(Mechanism(apart).second_is_like_first());
  EXPECT_NEAR(Mechanism(shared).sigma(), Mechanism(apart).sigma(), 1e-12);
}

TEST(Mechanism, BalanceMovesLambdaTowardsTheHeavierError) {
  StreamConfig c = config();
  c.method = Method::lambda_jme;
  c.shape = Shape::identity();
  const auto lambda_at = [&](double weight) {
    c.balance = weight;
    return Mechanism(c).calibration().lambda;
  };
  // docs/theory/sensitivity.md#the-best-lambda: nu = (1 + sqrt(1 + 16 W))/4 with W = weight N zeta^2 b^2 / (d
  // a^2), here N = 6, d = 3, zeta = 2.
  const auto predicted = [](double weight) { return (1 + std::sqrt(1 + 16 * weight * 6 * 4 / 3.0)) / 4 / 4; };
  for (const double weight : {0.01, 1.0, 100.0}) EXPECT_NEAR(lambda_at(weight) / predicted(weight), 1, 1e-6);
}

}  // namespace
}  // namespace jme
