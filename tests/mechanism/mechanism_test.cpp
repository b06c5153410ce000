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
  EXPECT_EQ(complaint([](auto& c) { c.every = 1 << 23; }).substr(0, 5), "every");
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
  // lambda* = 1/(2 zeta^2); snapping the products costs sqrt(lambda) gamma2 d at most (SAFETY 1).
  const double slack = std::sqrt(1 / (2 * zeta * zeta)) * 0x1p-20 * zeta * zeta * 3;
  EXPECT_NEAR(mechanism.calibration().lambda, 1 / (2 * zeta * zeta), 1e-12);
  EXPECT_NEAR(mechanism.calibration().std_first, sigma * (2 * zeta + slack), 1e-10 * sigma);
  EXPECT_GT(mechanism.calibration().std_first, sigma * 2 * zeta);
}

TEST(Mechanism, TheSamplersDistanceFromAnIdealGaussianIsPaidOutOfTheBudget) {
  const double ideal = noise_multiplier({.epsilon = 1, .delta = 1e-6});
  const double sigma = Mechanism(config()).sigma();
  EXPECT_GT(sigma, ideal);
  EXPECT_LT(sigma, 1.01 * ideal);
  EXPECT_EQ(Mechanism(config()).sampler_excess().epsilon, 0);
  StreamConfig longer = config();
  longer.rows = 10000;
  EXPECT_GT(Mechanism(longer).sigma(), sigma);
}

TEST(Mechanism, ADistanceThatTheBudgetCannotPayIsStatedInstead) {
  StreamConfig c = config();
  c.budget = {.sigma = 3.0};
  EXPECT_GT(Mechanism(c).sampler_excess().epsilon, 0);
  EXPECT_EQ(Mechanism(c).sigma(), 3.0);
  c.budget = {.epsilon = 1e-5, .delta = 1e-6};
  const Mechanism tiny(c);
  EXPECT_GT(tiny.sampler_excess().epsilon, 0);
  EXPECT_EQ(tiny.sigma(), noise_multiplier({.epsilon = 1e-5, .delta = 1e-6}));
}

TEST(Mechanism, TheSamplersDistanceIsKnownWhetherItWasPaidOrNot) {
  const Mechanism paid(config());
  EXPECT_GT(paid.sampler_distance().epsilon, 0);
  EXPECT_LT(paid.sampler_distance().epsilon, 0.01);
  // With it, the noise in use keeps within the budget: e on epsilon, d and its factor on delta (GUARANTEES of random).
  const double e = paid.sampler_distance().epsilon, d = paid.sampler_distance().delta;
  const double ideal = gaussian_epsilon(paid.sigma(), std::exp(-e / 2) * (1e-6 - (1 + std::exp(1)) * d));
  EXPECT_LE(ideal + e, 1 + 1e-4);
  StreamConfig given = config();
  given.budget = {.sigma = 3.0};
  const Mechanism stated(given);
  EXPECT_EQ(stated.sampler_distance().epsilon, stated.sampler_excess().epsilon);
  EXPECT_EQ(stated.sampler_distance().delta, stated.sampler_excess().delta);
}

TEST(Mechanism, WeightedBlocksPayForTheirRounding) {
  StreamConfig c = config();
  c.shape = Shape::identity();
  c.every = 10;
  c.second = SecondMoment::none;
  c.budget = {.sigma = 3.0};  // as given: nothing is taken off a budget
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
  c.rows = 0;
  c.steps = 12;
  c.every = 5;
  EXPECT_EQ(Mechanism(c).horizon().rows(), 60U);
}

TEST(Mechanism, BalanceMovesLambdaTowardsTheHeavierError) {
  StreamConfig c = config();
  c.method = Method::lambda_jme;
  c.shape = Shape::identity();
  const auto lambda_at = [&](double weight) {
    c.balance = weight;
    return Mechanism(c).calibration().lambda;
  };
  // MATH 3: nu = (1 + sqrt(1 + 16 W))/4 with W = weight N zeta^2 b^2 / (d a^2), here N = 6, d = 3, zeta = 2.
  const auto predicted = [](double weight) { return (1 + std::sqrt(1 + 16 * weight * 6 * 4 / 3.0)) / 4 / 4; };
  for (const double weight : {0.01, 1.0, 100.0}) EXPECT_NEAR(lambda_at(weight) / predicted(weight), 1, 1e-6);
}

}  // namespace
}  // namespace jme
