#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/mechanism/weak_budget.hpp>

namespace jme {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

StreamConfig with(double epsilon, double delta) {
  return {.budget = {.epsilon = epsilon, .delta = delta},
          .rows = 1'000'000,
          .every = 1000,
          .dimension = 2,
          .norm_bound = 1};
}

TEST(WeakBudget, IsToldFromADeltaAboveOneOverRowsAndAnEpsilonAboveTen) {
  EXPECT_THAT(notes_on_budget(with(1, 1e-6)), IsEmpty());
  EXPECT_THAT(notes_on_budget(with(10, 1e-9)), IsEmpty());
  EXPECT_THAT(notes_on_budget(with(1, 1.001e-6)), ElementsAre(HasSubstr("is above 1/rows = 1e-06")));
  EXPECT_THAT(notes_on_budget(with(10.1, 1e-6)), ElementsAre(HasSubstr("epsilon = 10.1 is above 10")));
  EXPECT_THAT(notes_on_budget(with(20, 1e-3)), testing::SizeIs(2));
  EXPECT_THAT(notes_on_budget({.sigma = 0.01}, 5), IsEmpty());
}

// Rows of a horizon in steps count as well. How many rows come in slots, or without an end, is no public
// number.
TEST(WeakBudget, KnowsTheRowsOfAHorizonAndOfNoOther) {
  StreamConfig config = with(1, 1e-3);
  config.rows.reset();
  config.steps = 10;
  EXPECT_THAT(notes_on_budget(config), ElementsAre(HasSubstr("1/rows = 0.0001")));
  config.steps.reset();
  config.unbounded = true;
  EXPECT_THAT(notes_on_budget(config), IsEmpty());
  config.unbounded = false;
  config.steps = 10;
  config.slot_seconds = 3600;
  EXPECT_THAT(notes_on_budget(config), IsEmpty());
}

TEST(WeakBudget, IsRefusedFromADeltaOfATenthOnUnlessItIsAskedFor) {
  EXPECT_NO_THROW(check_delta(std::nullopt, false));
  EXPECT_NO_THROW(check_delta(0.0999, false));
  EXPECT_NO_THROW(check_delta(0.1, true));
  EXPECT_THROW(check_delta(0.1, false), InvalidParameter);
  EXPECT_THROW(check_delta(0.5, false), InvalidParameter);
}

}  // namespace
}  // namespace jme
