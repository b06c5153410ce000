#include "noise/core_sizes.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace jme {
namespace {

/// One tap and modes from poles and zeros that interlace.
Toeplitz blt(const std::vector<double>& poles, const std::vector<double>& zeros) {
  Toeplitz core;
  for (std::size_t i = 0; i < poles.size(); ++i) {
    double weight = 1;
    for (std::size_t j = 0; j < poles.size(); ++j) {
      weight *= poles[i] - zeros[j];
      if (j != i) weight /= poles[i] - poles[j];
    }
    core.modes.push_back({weight, poles[i]});
  }
  return core;
}

std::vector<Toeplitz> blts() {
  std::vector<Toeplitz> all{{},
                            blt({.9}, {.4}),
                            blt({.9999, .99, .8}, {.999, .95, .3}),
                            blt({.99999, .9995, .995, .96, .6}, {.9999, .998, .98, .85, .2})};
  Toeplitz scaled = all.back();
  scaled.taps[0] *= .5;
  for (Mode& mode : scaled.modes) mode.weight *= .5;
  all.push_back(scaled);
  return all;
}

TEST(CoreSizes, InClosedFormAreWhatSummingUpGives) {
  for (const Toeplitz& core : blts()) {
    for (const std::size_t steps : {1ul, 2ul, 50ul, 5000ul}) {
      const auto closed = closed_core_sizes(core, steps);
      ASSERT_TRUE(closed.has_value());
      const CoreSizes summed = summed_core_sizes(core, steps);
      // Sums of alternating sign lose a few digits in closed form.
      EXPECT_NEAR(closed->core_sum / summed.core_sum, 1, 1e-10);
      EXPECT_NEAR(closed->inverse_sum / summed.inverse_sum, 1, 1e-10);
      EXPECT_NEAR(closed->inverse_length / summed.inverse_length, 1, 1e-10);
      ASSERT_EQ(closed->modes.size(), summed.modes.size());
      for (std::size_t i = 0; i < summed.modes.size(); ++i) {
        EXPECT_NEAR(closed->modes[i].length / summed.modes[i].length, 1, 1e-8) << steps << " " << i;
        // A sum of moduli, bounded mode by mode.
        EXPECT_GE(closed->modes[i].reach, summed.modes[i].reach * (1 - 1e-8)) << steps << " " << i;
        EXPECT_LE(closed->modes[i].reach, 30 * summed.modes[i].reach) << steps << " " << i;
      }
    }
  }
}

TEST(CoreSizes, CostNothingForTheLongestStream) {
  const CoreSizes sizes = core_sizes(blts()[3], std::size_t{1} << 26);
  EXPECT_LT(sizes.inverse_sum, 2);
  EXPECT_GT(sizes.core_sum, 10);
}

// Noise is paid for by these sums.
TEST(CoreSizes, OfTapsAndTheirInversesAreTheSumsOverAllCoefficients) {
  for (const std::vector<double>& taps :
       {std::vector{1.5, 1e-3}, std::vector{1.0, .5, .375, .3125}, std::vector{1.0, -.5, -.125, -.0625}}) {
    for (const bool inverted : {false, true}) {
      const Toeplitz core{.taps = taps, .inverted = inverted};
      for (const std::size_t steps : {1ul, 3ul, 100ul, 20'000ul}) {
        double core_sum = 0, inverse_sum = 0, squares = 0;
        for (const double c : core.coefficients(steps)) core_sum += std::abs(c);
        for (const double b : core.inverse_coefficients(steps)) {
          inverse_sum += std::abs(b);
          squares += b * b;
        }
        const CoreSizes sizes = core_sizes(core, steps);
        EXPECT_EQ(sizes.core_sum, core_sum);
        EXPECT_EQ(sizes.inverse_sum, inverse_sum);
        EXPECT_EQ(sizes.inverse_length, std::sqrt(squares));
        EXPECT_TRUE(sizes.modes.empty());
      }
    }
  }
}

// A running sum remembers what it took in long after that has ended; that of an inverted core takes in a
// single draw.
TEST(CoreSizes, OfRunningSumsGoOnToTheLastStep) {
  const Toeplitz core{.taps = {1.0, -.5}, .modes = {{-1e-3, .999}}};
  const std::size_t steps = 5000;
  for (const bool inverted : {false, true}) {
    Toeplitz either = core;
    either.inverted = inverted;
    std::vector<double> taken(steps, 0.0);
    taken[0] = 1;
    if (!inverted) taken = core.inverse_coefficients(steps);
    long double state = 0, squares = 0, moduli = 0;
    for (const double value : taken) {
      state = .999L * state + value;
      squares += state * state;
      moduli += std::abs(state);
    }
    const CoreSizes sizes = core_sizes(either, steps);
    ASSERT_EQ(sizes.modes.size(), 1U);
    // A rounding or two a step, of positive sums.
    EXPECT_NEAR(sizes.modes[0].length / static_cast<double>(std::sqrt(squares)), 1, 3 * 5000 * 0x1p-53);
    EXPECT_NEAR(sizes.modes[0].reach / static_cast<double>(moduli), 1, 3 * 5000 * 0x1p-53);
  }
}

TEST(CoreSizes, OfOtherCoresAreSummedUp) {
  const Toeplitz taps{.taps = {1.0, .5, .25}};
  EXPECT_FALSE(closed_core_sizes(taps, 10).has_value());
  EXPECT_NEAR(core_sizes(taps, 10).core_sum, 1.75, 1e-15);
  Toeplitz lagged = blts()[1];
  lagged.lag_taps = {{3, .5}};
  EXPECT_FALSE(closed_core_sizes(lagged, 10).has_value());
  EXPECT_GT(core_sizes(lagged, 10).inverse_sum, core_sizes(blts()[1], 10).inverse_sum);
}

}  // namespace
}  // namespace jme
