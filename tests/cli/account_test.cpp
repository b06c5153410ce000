#include <gmock/gmock.h>

#include "command.hpp"

namespace jme::test {
namespace {

TEST(AccountCommand, HasTheFiguresOfTheDesign) {
  const auto batches =
      jme("account --sampling-rate 0.00512 --steps 1960 --delta 1e-6 --sigma 1 --json").json();
  EXPECT_NEAR(batches["epsilon_pld"], 1.427, 5e-4);
  EXPECT_LE(batches["epsilon_rdp"], 1.746);
  const auto single = jme("account --sampling-rate 2e-5 --steps 5e5 --delta 1e-6 --sigma 2 --json").json();
  EXPECT_NEAR(single["epsilon_pld"], 0.0249, 5e-5);
  EXPECT_LE(single["epsilon_rdp"], 0.1015);
  EXPECT_NEAR(single["rdp_order"], 86, 1);
}

TEST(AccountCommand, GivesExactlyTheKeysOfTheContract) {
  const auto object = jme("account --sampling-rate 0.1 --steps 10 --delta 1e-6 --sigma 2 --json").json();
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::UnorderedElementsAre("epsilon_pld", "epsilon_rdp", "rdp_order", "sigma"));
}

TEST(AccountCommand, FindsTheNoiseOfABudgetUnderEitherAdjacency) {
  const std::string base = "account --sampling-rate 0.02 --steps 200 --delta 1e-5 --json --epsilon 1";
  const auto removed = jme(base).json();
  const auto replaced = jme(base + " --adjacency replace-one").json();
  for (const auto& found : {removed, replaced}) {
    EXPECT_LE(found["epsilon_pld"], 1);
    EXPECT_GT(found["epsilon_pld"], 0.999);
  }
  EXPECT_NE(removed["sigma"], replaced["sigma"]);
}

TEST(AccountCommand, WithoutSamplingIsCalibrate) {
  const double exact = jme("calibrate --sigma 2 --delta 1e-6 --json").json()["epsilon"];
  const auto account = jme("account --sampling-rate 1 --steps 4 --delta 1e-6 --sigma 4 --json").json();
  EXPECT_NEAR(account["epsilon_pld"], exact, 1e-9);  // the last digits are rounded up twice
}

TEST(AccountCommand, NamesWhatIsMissingOrOutOfRange) {
  expect_refused(jme("account --steps 10 --delta 1e-6 --sigma 2"), 2, "sampling-rate: must be given");
  expect_refused(jme("account --sampling-rate 0.1 --delta 1e-6 --sigma 2"), 2, "steps, epochs: give one of them");
  expect_refused(jme("account --sampling-rate 0.1 --steps 10 --sigma 2"), 2, "delta: must be given");
  expect_refused(jme("account --sampling-rate 0.1 --steps 10 --delta 1e-6"), 2, "exactly one of them");
  const std::string base = "account --steps 10 --delta 1e-6 --sigma 2 --sampling-rate ";
  expect_refused(jme(base + "0"), 2, "sampling-rate = 0: must be in (0, 1]");
  expect_refused(jme(base + "1.1"), 2, "sampling-rate = 1.1: must be in (0, 1]");
  expect_refused(jme(base + "256/50000"), 2, "sampling-rate = 256/50000: must be a number");
  expect_refused(jme("account --sampling-rate 0.1 --steps 0 --delta 1e-6 --sigma 2"), 2, "steps = 0");
  expect_refused(jme("account --sampling-rate 0.1 --steps 10 --delta 1 --sigma 2"), 2, "delta = 1");
  expect_refused(jme("account --sampling-rate 0.1 --steps 10 --delta 1e-6 --sigma 0.01"), 2, "sigma = 0.01");
  expect_refused(jme("account --sampling-rate 0.1 --steps 10 --delta 1e-6 --epsilon 0"), 2, "epsilon = 0");
  expect_refused(jme(base + "0.1 --adjacency other"), 2, "adjacency = other");
}

}  // namespace
}  // namespace jme::test
