#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <jme/filter/aligned_vector.hpp>

#include "noise/noise_distance.hpp"
#include "noise/rounding_kernels.hpp"
#include "noise/shaped_noise.hpp"
#include "random/gaussian_source.hpp"
#include "random/simd_targets.hpp"

namespace jme::two_words_tests {
namespace {

constexpr std::size_t width = 16;
constexpr double scale = 3e6;

const Toeplitz slow{
    .taps = {1.0},
    .modes = {
        {.weight = 0.05, .pole = 1 - 1e-6}, {.weight = 0.2, .pole = 0.99}, {.weight = 0.1, .pole = 0.3}}};

constexpr double column = 1.0 / 3;  // of a schedule; its product is rounded again in every step

struct PastError {
  double largest = 0;
  double terms = 0;  ///< sum over the modes of the weight times the largest running sum, in the same unit
};

/// Runs the recursion through the kernel and returns the largest error of its past over the fresh deviation,
/// against sums in long double: they lose 2^-64 of themselves per step, a thousandth of what one word loses.
PastError largest_past_error(std::size_t steps, SumWords words) {
  struct Recorder {
    std::array<double, width> past{};
    static double decide(const void* context, std::size_t i, double own, double past) {
      const_cast<Recorder*>(static_cast<const Recorder*>(context))->past[i] = past;
      return std::nearbyint(own + past);
    }
  } recorder;
  const std::size_t count = slow.modes.size();
  AlignedVector states(count * width, 0.0), second(count * width, 0.0);
  std::vector<long double> exact(count * width, 0.0L);
  const RoundedStep step{.fresh = scale / column,
                         .past = -1 / column,
                         .column = column,
                         .limit = -1,  // every value is decided by the recorder
                         .decision = {.context = &recorder, .decide = &Recorder::decide}};
  const GaussianSource source(InsecureTestSeed{3}.key(), Nonce{});
  PastError error;
  std::vector<double> largest_sums(count, 0.0);
  for (std::size_t t = 0; t < steps; ++t) {
    alignas(64) std::array<double, width> draws, values{};
    source.fill(Channel::first, t, 0, draws);
    const RunningSums sums{.modes = slow.modes, .states = states.data(), .stride = width};
    if (words == SumWords::one) {
      rounded_step(step, draws.data(), sums, values.data(), width);
    } else {
      rounded_step(step, draws.data(), sums, second.data(), values.data(), width);
    }
    for (std::size_t i = 0; i < width; ++i) {
      long double past = 0;
      for (std::size_t m = 0; m < count; ++m) {
        long double& sum = exact[m * width + i];
        past -= slow.modes[m].weight * sum;
        sum = sum * slow.modes[m].pole + static_cast<long double>(column) * values[i];
        largest_sums[m] = std::max(largest_sums[m], static_cast<double>(std::abs(sum)));
      }
      const long double off = recorder.past[i] - past / column;
      error.largest = std::max(error.largest, static_cast<double>(std::abs(off)) * column / scale);
    }
  }
  for (std::size_t m = 0; m < count; ++m) error.terms += slow.modes[m].weight * largest_sums[m] / scale;
  return error;
}

double proved_past_error(std::size_t steps, SumWords words) {
  const Filter shape = Filter::toeplitz(steps, slow, {}, Schedule::constant_until(steps, column, {}));
  const auto draws = static_cast<double>(steps * width);
  return noise_distance(shape, NoiseScale::uniform(width, scale), 0.2, words).mu / (2 * std::sqrt(draws));
}

TEST(TwoWords, KeepWhatOneWouldLoseOverALongRun) {
  constexpr std::size_t steps = 100'000;
  const PastError one = largest_past_error(steps, SumWords::one),
                  two = largest_past_error(steps, SumWords::two);
  EXPECT_LT(two.largest, proved_past_error(steps, SumWords::two));
  EXPECT_LT(one.largest, proved_past_error(steps, SumWords::one));
  // Of every term: 3.1 u that the sum has lost in all its steps (GUARANTEES.md), then its two words added,
  // its product, two additions, the factor 1 / column and the product with it.
  constexpr double roundings = 3.1 + 1 + 1 + 2 + 2;
  EXPECT_LT(two.largest, roundings * 0x1p-53 * two.terms);
  EXPECT_GT(one.largest, roundings * 0x1p-53 * one.terms);  // one word loses more
  EXPECT_LT(proved_past_error(steps, SumWords::two), proved_past_error(steps, SumWords::one) / 1000);
}

TEST(TwoWords, AreForShapesWhosePastIsRunningSumsAlone) {
  EXPECT_TRUE(can_have_two_words(Filter::toeplitz(9, slow)));
  EXPECT_FALSE(can_have_two_words(Filter::identity(9)));
  EXPECT_FALSE(can_have_two_words(Filter::toeplitz(9, {.taps = {1.0, 0.5}, .modes = slow.modes})));
  EXPECT_FALSE(can_have_two_words(Filter::toeplitz(9, {.taps = {1.0}, .modes = {{0.1, -0.5}}})));
  EXPECT_FALSE(can_have_two_words(Filter::dense(Filter::toeplitz(9, slow).to_dense())));
  EXPECT_FALSE(can_have_two_words(Filter::toeplitz(9, slow).with_lag_taps({{4, 0.3}})));
}

ShapedNoise noise_of(std::size_t steps, SumWords words = SumWords::two) {
  return {Filter::toeplitz(steps, slow), GaussianSource(InsecureTestSeed{8}.key(), Nonce{}), Channel::first,
          NoiseScale::uniform(37, 1e9), words};
}

std::vector<double> steps_of(ShapedNoise& noise, std::size_t steps) {
  std::vector<double> values(37, 0.0);
  for (std::size_t t = 0; t < steps; ++t) noise.add_to(values);
  return values;
}

TEST(TwoWords, GoOnFromTheirMemory) {
  ShapedNoise whole = noise_of(60), resumed = noise_of(60), replayed = noise_of(60);
  steps_of(whole, 30);
  EXPECT_EQ(whole.memory().size(), 2 * slow.modes.size() * 37);
  resumed.restore(30, whole.memory());
  replayed.replay(30);
  const std::vector<double> expected = steps_of(whole, 30);
  EXPECT_EQ(steps_of(resumed, 30), expected);
  EXPECT_EQ(steps_of(replayed, 30), expected);
}

TEST(TwoWords, GiveTheSameBitsOnEverySimdTarget) {
  ShapedNoise noise = noise_of(500);
  const std::vector<double> expected = steps_of(noise, 500), memory = noise.memory();
  for (const std::int64_t target : simd_targets()) {
    const OnlyTarget only(target);
    ShapedNoise same = noise_of(500);
    ASSERT_EQ(steps_of(same, 500), expected) << hwy::TargetName(target);
    ASSERT_EQ(same.memory(), memory) << hwy::TargetName(target);
  }
}

}  // namespace
}  // namespace jme::two_words_tests
