#include <numeric>

#include <gtest/gtest.h>

#include "filter/norms.hpp"
#include "filter/series.hpp"

namespace jme {
namespace {

constexpr std::size_t long_steps = 20'000;

/// Taps whose inverse decays, at different speeds.
std::vector<Toeplitz> decaying() {
  return {{.taps = {1.5, 1e-3}},
          {.taps = {1.0, -.9}},
          {.taps = {1.0, .5, .375, .3125, .2734375}},
          {.taps = {2.0, -.5, -.125, -.0625}}};
}

Toeplitz inverted(Toeplitz core) {
  core.inverted = true;
  return core;
}

/// 1/T by its definition: every coefficient from all those before, the oldest first.
std::vector<double> inverse_by_definition(const std::vector<double>& taps, std::size_t n) {
  std::vector<double> b(n, 0.0);
  for (std::size_t t = 0; t < n; ++t) {
    double known = 0;
    for (std::size_t s = t - std::min(t, taps.size() - 1); s < t; ++s) known += taps[t - s] * b[s];
    b[t] = flushed(((t == 0 ? 1.0 : 0.0) - known) / taps[0]);
  }
  return b;
}

TEST(CoreResponse, OfADecayingInverseEndsWhereOnlyZerosFollow) {
  for (const Toeplitz& core : decaying()) {
    const std::vector<double> expected = inverse_by_definition(core.taps, long_steps);
    std::vector<double> got = inverse_core_response(core, long_steps);
    EXPECT_LT(got.size(), long_steps / 2);
    EXPECT_EQ(core_response(inverted(core), long_steps), got);
    got.resize(long_steps, 0.0);
    EXPECT_EQ(got, expected);
    EXPECT_EQ(core.inverse_coefficients(long_steps), expected);
    EXPECT_EQ(inverted(core).coefficients(long_steps), expected);
  }
}

TEST(CoreResponse, OfTapsIsTheTaps) {
  for (const Toeplitz& core : decaying()) {
    EXPECT_EQ(core_response(core, long_steps), core.taps);
    EXPECT_EQ(inverse_core_response(inverted(core), long_steps), core.taps);
    EXPECT_EQ(core_response(core, 1), std::vector{core.taps[0]});
  }
}

TEST(CoreResponse, HasEveryCoefficientOfWhatDoesNotDecay) {
  // 1 / (1 - x^3): a stretch of zeros, but of two, and the third tap is remembered.
  const Toeplitz core{.taps = {1.0, 0.0, 0.0, -1.0}};
  EXPECT_EQ(inverse_core_response(core, 1000), inverse_by_definition(core.taps, 1000));
  // The same at a lag beyond the stretch in which coefficients are made.
  Toeplitz sparse{.taps = std::vector<double>(40, 0.0)};
  sparse.taps.front() = 1;
  sparse.taps.back() = -1;
  EXPECT_EQ(inverse_core_response(sparse, 1000), inverse_by_definition(sparse.taps, 1000));
  const Toeplitz sum{.taps = {1.0}, .modes = {{1.0, 1.0}}};
  EXPECT_EQ(core_response(sum, 1000), std::vector<double>(1000, 1.0));
}

TEST(CoreResponse, WithLagTapsHasEveryCoefficient) {
  Toeplitz core{.taps = {1.0, .5}};
  core.lag_taps = {{50, -1.0}};
  EXPECT_EQ(core_response(core, 1000), core.coefficients(1000));
  EXPECT_EQ(core.coefficients(1000)[950], 1);
  EXPECT_EQ(inverse_core_response(core, 1000), core.inverse_coefficients(1000));
}

// A sensitivity is made of this norm.
TEST(LargestColumnNorm, OfTapsAndTheirInversesIsThatOverAllCoefficients) {
  for (const Toeplitz& taps : decaying()) {
    for (const Toeplitz& core : {taps, inverted(taps)}) {
      for (const std::size_t n : {1ul, 2ul, 40ul, long_steps, 1'000'000ul}) {
        const Filter c = Filter::toeplitz(n, core);
        EXPECT_EQ(largest_squared_column_norm(c), squared_column_norms(c)[0]) << n;
        const std::vector<double> all = core.coefficients(n);
        const auto exact =
            static_cast<double>(std::inner_product(all.begin(), all.end(), all.begin(), 0.0L, std::plus<>(),
                                                   [](long double x, long double y) { return x * y; }));
        // A compensated sum of squares: one rounding of each square and two of the sum.
        EXPECT_NEAR(largest_squared_column_norm(c), exact, 0x1p-51 * exact) << n;
      }
    }
  }
}

}  // namespace
}  // namespace jme
