#include "noise/redecided_draws.hpp"
#include "noise/tie_frequency.hpp"

namespace jme {
namespace {

// decision_test.cpp says what is compared; here at the size that a run of many days has.
TEST(SlowDecision, OfAHundredMillionDrawsOfEachKindIsThatOfLongDouble) {
  redecided::expect_agreement(100'000'000, 641, false);
}

TEST(SlowDecision, OfAMillionDrawsOfEachKindIsThatOfExactArithmetic) {
  redecided::expect_agreement(1'000'000, 3, true);
}

TEST(SlowDecision, NeedsExactArithmeticAsOftenAsTheToleranceSays) {
  tie_frequency::expect_predicted(300'000'000, 0);
  tie_frequency::expect_predicted(300'000'000, 4);
}

}  // namespace
}  // namespace jme
