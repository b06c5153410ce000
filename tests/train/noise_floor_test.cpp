#include "noise_floor.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <jme/models/adam.hpp>

namespace jme::train {
namespace {

BatchConfig batches(BatchMethod method) {
  return {.budget = {.sigma = 1.5},
          .steps = 40,
          .dimension = 20'000,
          .norm_bound = 0.7,
          .method = method,
          .batch = 8,
          .sampling_rate = 0.1,
          .lambda = 2};
}

TEST(SecondMomentNoise, IsAdamsOwnLevelWhereSquaresHaveNoiseOfTheirOwn) {
  for (const BatchMethod method : {BatchMethod::jme, BatchMethod::joint_clip, BatchMethod::jme_paper}) {
    const BatchConfig config = batches(method);
    Adam adam(config, {}, InsecureTestSeed{1});
    std::vector<float> parameters(config.dimension), sums(config.dimension),
        squares(takes_squares(method) ? config.dimension : 0);
    for (std::size_t step = 1; step <= 30; ++step) {
      adam.step(parameters, sums, squares, 0);
      const double level = adam.noise_level().second;
      EXPECT_NEAR(second_moment_noise(adam.mechanism(), 0.999, step), level, 1e-9 * level) << step;
    }
  }
}

TEST(SecondMomentNoise, OfPostProcessingIsThatOfSquaredNoise) {
  for (const BatchMethod method : {BatchMethod::pp, BatchMethod::pp_debiased}) {
    const BatchConfig config = batches(method);
    AdamSettings settings;
    settings.beta_second = 0.9;
    Adam adam(config, settings, InsecureTestSeed{2});
    std::vector<float> parameters(config.dimension), sums(config.dimension);
    for (int step = 0; step < 20; ++step) adam.step(parameters, sums, {}, 0);
    const double correct = 1 / (1 - std::pow(0.9, 20));
    double mean = 0, variance = 0;
    for (const float v : adam.second_moment()) mean += correct * v / 20'000;
    for (const float v : adam.second_moment()) variance += std::pow(correct * v - mean, 2) / 20'000;
    // A weighted sum of squared Gaussians has kurtosis at most 15: its sample variance over 20,000 coordinates has a
    // relative standard deviation of at most sqrt(14 / 20000) = 2.7%, so that of the deviation is below 1.4%.
    const double level = second_moment_noise(adam.mechanism(), 0.9, 20);
    EXPECT_NEAR(std::sqrt(variance), level, 6.5 * 0.014 * level);
  }
}

TEST(SecondMomentNoise, IsNothingBeforeTheFirstStep) {
  EXPECT_EQ(second_moment_noise(BatchMechanism(batches(BatchMethod::jme)), 0.999, 0), 0);
}

}  // namespace
}  // namespace jme::train
