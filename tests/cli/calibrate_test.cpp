#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

// sigma(8, 1e-3) and sigma(0.1, 1e-9) to the digits the mathematics gives.
TEST(CalibrateCommand, FindsTheNoiseOfABudget) {
  const CommandResult result = jme("calibrate --epsilon 8 --delta 1e-3 --json");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_NEAR(result.json()["sigma"], 0.48001, 5e-6);
  EXPECT_NEAR(jme("calibrate --epsilon 0.1 --delta 1e-9 --json").json()["sigma"], 50.2098, 5e-5);
}

TEST(CalibrateCommand, GivesExactlyTheKeysOfTheContract) {
  const auto object = jme("calibrate --sigma 2 --delta 1e-6 --json").json();
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::UnorderedElementsAre("epsilon", "delta", "sigma", "mu", "rho"));
  EXPECT_DOUBLE_EQ(object["mu"], 0.5);
  EXPECT_DOUBLE_EQ(object["rho"], 0.125);
}

// Each result is rounded to the safe side by less than 1e-9, so computing forth and back agrees within 1e-8.
TEST(CalibrateCommand, ItsThreeDirectionsAgree) {
  const double sigma = jme("calibrate --epsilon 1 --delta 1e-6 --json").json()["sigma"];
  const std::string text = nlohmann::json(sigma).dump();
  EXPECT_NEAR(jme("calibrate --delta 1e-6 --json --sigma " + text).json()["epsilon"], 1.0, 1e-8);
  EXPECT_NEAR(jme("calibrate --epsilon 1 --json --sigma " + text).json()["delta"], 1e-6, 1e-14);
}

TEST(CalibrateCommand, WritesReadableLinesWithoutJson) {
  const CommandResult result = jme("calibrate --sigma 2 --delta 1e-6");
  EXPECT_THAT(result.out, testing::HasSubstr("sigma    2\n"));
  EXPECT_THAT(result.out, testing::HasSubstr("mu       0.5\n"));
}

TEST(CalibrateCommand, NeedsExactlyTwoOfThree) {
  expect_refused(jme("calibrate --epsilon 1"), 2, "two of them");
  expect_refused(jme("calibrate"), 2, "two of them");
  expect_refused(jme("calibrate --epsilon 1 --delta 1e-6 --sigma 2"), 2, "two of them");
}

TEST(CalibrateCommand, NamesAParameterOutOfRange) {
  expect_refused(jme("calibrate --epsilon 1 --delta 1"), 2, "delta = 1: must be in (0, 1)");
  expect_refused(jme("calibrate --epsilon 1 --delta 0"), 2, "delta = 0: must be in (0, 1)");
  expect_refused(jme("calibrate --epsilon 0 --delta 1e-6"), 2, "epsilon = 0: must be");
  expect_refused(jme("calibrate --epsilon -1 --delta 1e-6"), 2, "epsilon = -1: must be");
  expect_refused(jme("calibrate --epsilon nan --delta 1e-6"), 2, "epsilon = nan: must be");
  expect_refused(jme("calibrate --epsilon inf --delta 1e-6"), 2, "epsilon = inf: must be");
  expect_refused(jme("calibrate --sigma 0 --delta 1e-6"), 2, "sigma = 0: must be");
  expect_refused(jme("calibrate --epsilon one --delta 1e-6"), 2, "epsilon = one: must be a number");
  expect_refused(jme("calibrate --epsilon 1e999 --delta 1e-6"), 2, "epsilon = 1e999: must be a number");
  expect_refused(jme("calibrate --epsilon 1,5 --delta 1e-6"), 2, "epsilon = 1,5: must be a number");
}

// 1/sigma^2 overflows or vanishes at the ends of the range: still JSON.
TEST(CalibrateCommand, NeverWritesWhatJsonCannotSay) {
  for (const std::string sigma : {"1e-200", "1e200"}) {
    const CommandResult result = jme("calibrate --delta 1e-6 --json --sigma " + sigma);
    ASSERT_TRUE(result.code == 0 || result.out.empty());
    if (result.code == 0) {
      EXPECT_TRUE(nlohmann::json::accept(result.out)) << result.out;
    }
    EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("nan")));
    EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("inf")));
  }
}

}  // namespace
}  // namespace jme::test
