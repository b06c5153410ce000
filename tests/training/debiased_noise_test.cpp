#include <cmath>

#include <gtest/gtest.h>

#include <jme/models/adam.hpp>
#include <jme/training/debiased_noise.hpp>

namespace jme {
namespace {

TEST(DebiasedNoise, IsWhatAdamsSecondMomentShowsWithoutGradients) {
  const BatchConfig config{.budget = {.sigma = 1.5},
                           .steps = 40,
                           .dimension = 20'000,
                           .norm_bound = 0.7,
                           .method = BatchMethod::pp_debiased,
                           .batch = 8,
                           .sampling_rate = 0.1};
  Adam adam(config, {.beta_second = 0.9}, InsecureTestSeed{2});
  std::vector<float> parameters(config.dimension), sums(config.dimension);
  for (int step = 0; step < 20; ++step) adam.step(parameters, sums, {}, 0);
  const double correct = 1 / (1 - std::pow(0.9, 20));
  double mean = 0, variance = 0;
  for (const float v : adam.second_moment()) mean += correct * v / 20'000;
  for (const float v : adam.second_moment()) variance += std::pow(correct * v - mean, 2) / 20'000;
  // A weighted sum of squared Gaussians has kurtosis at most 15: its sample variance over 20,000 coordinates
  // has a relative standard deviation of at most sqrt(14 / 20000) = 2.7%, so that of the deviation is
  // below 1.4%.
  const double level = debiased_noise(adam.mechanism(), 0.9, 20);
  EXPECT_NEAR(std::sqrt(variance), level, 6.5 * 0.014 * level);
  EXPECT_EQ(debiased_noise(adam.mechanism(), 0.9, 0), 0);
}

}  // namespace
}  // namespace jme
