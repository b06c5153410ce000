#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/theory/plan_cost.hpp>

namespace jme {
namespace {

StreamConfig config_of(std::size_t rows, const Shape& shape = Shape::automatic()) {
  StreamConfig config;
  config.budget = {.epsilon = 1, .delta = 1e-6};
  config.rows = rows;
  config.dimension = 2;
  config.norm_bound = 1;
  config.shape = shape;
  return config;
}

TEST(PlanCost, GrowsWithTheCubeOfTheStepsOfADenseShape) {
  const PlanCost small = plan_cost(config_of(512, Shape::dense()));
  const PlanCost large = plan_cost(config_of(2048, Shape::dense()));
  EXPECT_GT(small.seconds, 0.5);
  EXPECT_LT(small.seconds, 5);
  EXPECT_GT(large.seconds, 50 * small.seconds);
  EXPECT_GT(large.bytes, 256e6);
  EXPECT_LT(plan_cost(config_of(2048)).seconds, 0.1);
}

TEST(PlanCost, CountsADenseShapeOfEachChannelWhereTheyDiffer) {
  StreamConfig one = config_of(500, Shape::dense()), two = one;
  two.workload_second = decay(0.9);
  EXPECT_GT(plan_cost(two).seconds, 1.9 * plan_cost(one).seconds);
}

TEST(PlanCost, CountsBlocksAndNotRows) {
  StreamConfig config = config_of(1'000'000'000);
  config.every = 1000;
  EXPECT_LT(plan_cost(config).seconds, 1);
  EXPECT_GT(plan_cost(config_of(50'000'000)).seconds, 5);
}

TEST(PlanCost, GrowsWithTheRowsOfAPerson) {
  StreamConfig config = config_of(1'000'000);
  config.participation.rows = 100'000;
  EXPECT_GT(plan_cost(config).seconds, 5);
  config.participation.rows = 10;
  EXPECT_LT(plan_cost(config).seconds, 2);
  config.shape = Shape::scaled_blt(4);
  EXPECT_LT(plan_cost(config).seconds, 0.5) << "no shapes are compared";
}

TEST(PlanCost, IsNoneOfNoHorizon) {
  EXPECT_THROW(static_cast<void>(plan_cost(config_of(0))), InvalidParameter);
}

}  // namespace
}  // namespace jme
