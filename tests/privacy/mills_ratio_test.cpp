#include "privacy/mills_ratio.hpp"

#include <gtest/gtest.h>

#include "privacy/gaussian_50_digits.hpp"

namespace jme::privacy {
namespace {

using testing::Digits50;
using testing::mills_ratio_50;

double relative_error(double computed, const Digits50& truth) {
  return static_cast<double>(abs(Digits50(computed) - truth) / abs(truth));
}

// The tolerances of this file are the errors that mills_ratio.hpp promises and log_delta_upper relies on.
TEST(MillsRatio, HasItsPromisedRelativeError) {
  for (double x = 0; x < 60; x += 0.37)
    EXPECT_LT(relative_error(mills_ratio(x), mills_ratio_50(x)), 2e-15) << x;
}

TEST(MillsSlope, HasItsPromisedRelativeErrorOnBothSidesOfTheSwitch) {
  for (double x : {-0.5, -0.25, 0.0, 1.0, 2.0, 2.4999, 2.5, 2.5001, 3.0, 5.0, 10.0, 37.0, 60.0}) {
    EXPECT_LT(relative_error(mills_slope(x), 1 - x * mills_ratio_50(x)), 2e-14) << x;
  }
}

TEST(MillsDrop, DoesNotCancelOnNarrowIntervals) {
  for (double width : {1e-12, 1e-6, 1e-3, 0.1, 0.5, 1.0}) {
    for (double x : {-width / 2, 0.0, 0.3, 2.3, 2.5, 4.0, 12.0, 37.0}) {
      // The ends in 50 digits: x + width itself would be rounded.
      const Digits50 truth = mills_ratio_50(x) - mills_ratio_50(Digits50(x) + Digits50(width));
      EXPECT_LT(relative_error(mills_drop(x, width), truth), 4e-14) << x << " " << width;
    }
  }
}

}  // namespace
}  // namespace jme::privacy
