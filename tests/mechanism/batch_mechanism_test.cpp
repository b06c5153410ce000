#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/subsampled.hpp>

#include "mechanism/noise_scales.hpp"

namespace jme {
namespace {

BatchConfig sampled() {
  return {.budget = {.sigma = 1},
          .steps = 1960,
          .dimension = 1000,
          .norm_bound = 1,
          .batch = 256,
          .sampling_rate = 256.0 / 50'000};
}

BatchConfig scheduled() {
  return {.budget = {.sigma = 1},
          .steps = 100,
          .dimension = 10,
          .norm_bound = 1,
          .batch = 16,
          .participation = Participation{}};
}

std::string complaint(BatchConfig config, const std::function<void(BatchConfig&)>& change) {
  change(config);
  try {
    const BatchMechanism mechanism(config);
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BatchMechanism, OfSampledBatchesHasTheAccountantsEpsilon) {
  const BatchMechanism mechanism(sampled());
  const BatchPrivacy privacy = mechanism.privacy(1e-6);
  EXPECT_NEAR(privacy.epsilon, 1.427, 0.0005);
  EXPECT_EQ(privacy.adjacency, Adjacency::add_remove);
  // Half the training costs less, and no training costs nothing.
  EXPECT_LT(mechanism.privacy(1e-6, 980).epsilon, privacy.epsilon);
  EXPECT_EQ(mechanism.privacy(1e-6, 0).epsilon, 0);
}

TEST(BatchMechanism, NoiseIsSigmaTimesTheSensitivityAndTheRoundingSlack) {
  const BatchMechanism mechanism(sampled());
  // zeta sqrt(1 + lambda zeta^2), lambda zeta^2 = 1/2; slack: gamma sqrt d + 2 e in both channels.
  const double slack = mechanism.lattice().first * std::sqrt(1000.0) + 2 * 0x1p-12;
  const double expected = std::sqrt(1.5) + slack + std::sqrt(0.5) * slack;
  EXPECT_NEAR(mechanism.calibration().std_first, expected, 1e-9);
  EXPECT_NEAR(mechanism.calibration().std_second, expected / std::sqrt(0.5), 1e-9);
}

TEST(BatchMechanism, ABudgetIsMetAndFreshNoiseCostsNothingMore) {
  BatchConfig config = sampled();
  config.budget = {.epsilon = 2, .delta = 1e-6};
  const BatchMechanism mechanism(config);
  EXPECT_EQ(mechanism.sigma(),
            subsampled_noise_multiplier({.sampling_rate = config.sampling_rate, .steps = config.steps},
                                        {.epsilon = 2, .delta = 1e-6}));
  EXPECT_EQ(mechanism.privacy(1e-6).epsilon, 2);
  // The guarantee of a part is at least that of the whole.
  EXPECT_LE(mechanism.privacy(1e-6, config.steps - 1).epsilon, 2);
  EXPECT_LT(mechanism.privacy(1e-6, config.steps / 2).epsilon, 2);
}

TEST(BatchMechanism, ShapedNoisePaysForItsRoundingErrors) {
  BatchConfig config = scheduled();
  config.shape = Shape::blt(2);
  config.budget = {.epsilon = 2, .delta = 1e-6};
  const double ideal = noise_multiplier({.epsilon = 2, .delta = 1e-6});
  const BatchMechanism whole(config);
  EXPECT_GT(whole.sigma(), ideal);
  EXPECT_LT(whole.sigma(), ideal * (1 + 1e-6));
  EXPECT_EQ(whole.privacy(1e-6).epsilon, 2);
  EXPECT_LE(whole.privacy(1e-6).epsilon, 2);
  // With a given sigma the stated guarantee includes them.
  config.budget = {.sigma = ideal};
  EXPECT_GT(BatchMechanism(config).privacy(1e-6).epsilon, 2);
  EXPECT_LT(BatchMechanism(config).privacy(1e-6).epsilon, 2 + 1e-5);
}

TEST(BatchMechanism, SeveralEpochsOfShapedNoiseHaveTheParticipationBound) {
  BatchConfig config = scheduled();
  config.shape = Shape::blt(2);
  const BatchMechanism once(config);
  config.participation = Participation{.rows = 5, .separation = 20};
  const BatchMechanism epochs(config);
  // Five uses of one example move more than one and less than five times as much.
  EXPECT_GT(epochs.calibration().sensitivity, once.calibration().sensitivity * 1.5);
  EXPECT_LE(epochs.calibration().sensitivity, once.calibration().sensitivity * 5);
  // Sigma is the whole run's: one Gaussian mechanism, however it is cut.
  EXPECT_GE(epochs.privacy(1e-6).epsilon, gaussian_epsilon(1, 1e-6));
  EXPECT_LE(epochs.privacy(1e-6).epsilon, gaussian_epsilon(1, 1e-6) * (1 + 1e-6));
  // Fresh noise, five separate uses: root 5.
  config.shape = Shape::identity();
  const double five = BatchMechanism(config).calibration().sensitivity;
  config.participation = Participation{};
  // Except for snapping, which costs at most 2^-20 sqrt(10) in each channel, and for the error of the sums.
  EXPECT_NEAR(five / BatchMechanism(config).calibration().sensitivity, std::sqrt(5.0), 1e-3);
}

TEST(BatchMechanism, AsInThePaperStatesNoEpsilonForMoreThanOneRow) {
  BatchConfig config = scheduled();
  config.method = BatchMethod::jme_paper;
  const BatchMechanism mechanism(config);
  EXPECT_FALSE(mechanism.is_private());
  EXPECT_THROW((void)mechanism.privacy(1e-6), InvalidParameter);
  config.budget = {.epsilon = 1, .delta = 1e-6};
  EXPECT_THROW(BatchMechanism{config}, InvalidParameter);
  config.batch = 1;
  EXPECT_EQ(BatchMechanism(config).privacy(1e-6).epsilon, 1);
  // Sampled batches of one row on average have two now and then.
  config.budget = {.sigma = 1};
  config.sampling_rate = 0.01;
  EXPECT_FALSE(BatchMechanism(config).is_private());
}

TEST(BatchMechanism, LargeBatchesAllowForTheErrorOfTheirSums) {
  BatchConfig config = sampled();
  EXPECT_EQ(BatchMechanism(config).sum_error(), 0x1p-12);
  config.batch = 65'536;
  config.sampling_rate = 0.5;
  EXPECT_EQ(BatchMechanism(config).sum_error(), (65'536 + 12 * 256 + 60 + 1) * 0x1p-24);
  // A Chernoff bound for what the rule promises: larger batches have probability below 2^-80.
  for (const double mean : {1.0, 10.0, 256.0, 1e6}) {
    const double most = mean + 12 * std::sqrt(mean) + 60;
    EXPECT_LT(most - mean - most * std::log(most / mean), -80 * std::log(2.0)) << mean;
  }
}

TEST(BatchMechanism, NoBudgetIsTooSmallForFreshNoise) {
  BatchConfig config = sampled();
  config.dimension = 160'000;
  config.sampling_rate = 2e-5;
  config.steps = 500'000;
  config.batch = 1;
  config.budget = {.sigma = 2};
  // 8e10 draws, and the epsilon is exactly what the accountant gives for exact normals.
  EXPECT_EQ(BatchMechanism(config).privacy(1e-6).epsilon,
            pld_epsilon({.sampling_rate = 2e-5, .steps = 500'000, .sigma = 2}, 1e-6));
  config.budget = {.epsilon = 1e-4, .delta = 1e-6};
  EXPECT_EQ(BatchMechanism(config).privacy(1e-6).epsilon, 1e-4);
}

TEST(BatchMechanism, SquaresOfTheMeanHaveALatticeFineEnough) {
  BatchConfig config = scheduled();
  config.method = BatchMethod::jme_batch_mean;
  for (double batch : {1.0, 64.0, 1e6}) {
    config.batch = batch;
    const BatchMechanism mechanism(config);
    EXPECT_GT(noise_scale_second(mechanism).smallest(), 1e4);  // units: rounding adds nothing that matters
  }
}

TEST(BatchMechanism, NoiseOfBoundedSquaresFallsWithTheirBound) {
  BatchConfig config = sampled();
  const BatchMechanism without(config);
  for (const double c : {1.0, 0.1, 0x1p-20}) {
    config.square_clip = {{.count = 1000, .bound = c}};
    const BatchMechanism mechanism(config);
    // The weight lambda c^2 is the same, and so are the rounding slacks in units of c.
    EXPECT_NEAR(mechanism.lambda() * c * c, 0.5, 1e-15);
    EXPECT_NEAR(mechanism.calibration().std_first / without.calibration().std_first, 1, 1e-12);
    EXPECT_NEAR(mechanism.calibration().std_second / without.calibration().std_second, c, 1e-12 * c);
    EXPECT_EQ(mechanism.lattice().second, 0x1p-20 * c);
    EXPECT_EQ(mechanism.square_bound(), c);
  }
  config.square_clip = {{.count = 1000, .bound = 1}};  // bounds nothing, and changes nothing
  EXPECT_EQ(BatchMechanism(config).calibration().std_second, without.calibration().std_second);
  EXPECT_EQ(BatchMechanism(config).calibration().std_first, without.calibration().std_first);
}

TEST(BatchMechanism, BoundedSquaresPayForTheRoundingOfBothSums) {
  BatchConfig config = sampled();
  config.norm_bound = 2;
  config.square_clip = {{.count = 1000, .bound = 0.1}};
  const BatchMechanism mechanism(config);
  // In units of zeta and zeta c: gamma sqrt d + 2 e in each channel, at weight lambda c^2 = 1/2.
  const double slack = 0x1p-20 * std::sqrt(1000.0) + 2 * 0x1p-12;
  EXPECT_NEAR(mechanism.calibration().std_first / 2, std::sqrt(1.5) + slack + std::sqrt(0.5) * slack, 1e-9);
}

TEST(BatchMechanism, ScheduledReplaceOneTakesTheLargestLambdaThatIsFree) {
  BatchConfig config = scheduled();
  config.adjacency = Adjacency::replace_one;
  const double without = BatchMechanism(config).calibration().std_first;
  for (const double c : {0.01, 0.3, 0.9}) {
    config.square_clip = {{.count = 10, .bound = c}};
    const BatchMechanism mechanism(config);
    EXPECT_EQ(mechanism.lambda(), std::max(1 / (4 * c * c), 0.5));
    // Noise on the sum is what the sum alone needs, except for snapping and the error of sums: 2^-10 covers
    // the slack of squares.
    EXPECT_NEAR(mechanism.calibration().std_first, without, 0x1p-10);
  }
  config.square_clip = {{.count = 6, .bound = 0.9}, {.count = 4, .bound = 0.8}};  // layers: 1/(4 c^2) alone
  EXPECT_EQ(BatchMechanism(config).lambda(), 1 / (4 * 0.9 * 0.9));
}

TEST(SquareLayers, DivideStretchesWhereBoundsChange) {
  const std::vector<SquareLayer> given{
      {.count = 3, .bound = 0.5}, {.count = 0, .bound = 1}, {.count = 4, .bound = 0.25}};
  const SquareLayers layers(given, 7, 1);
  EXPECT_EQ(layers.clip().bound, 0.5);
  EXPECT_FALSE(layers.is_uniform());
  for (std::size_t begin = 0; begin < 7; ++begin) {
    for (std::size_t end = begin; end <= 7; ++end) {
      std::size_t next = begin;
      layers.for_each_part(begin, end, [&](std::size_t from, std::size_t to, double ratio) {
        EXPECT_EQ(from, next);
        EXPECT_GT(to, from);
        EXPECT_EQ(ratio, from < 3 ? 1 : 0.5);
        EXPECT_EQ(from < 3, to <= 3);
        next = to;
      });
      EXPECT_EQ(next, end);
    }
  }
}

TEST(BatchMechanism, NamesTheParameterThatIsWrong) {
  const auto begins = [](const std::string& text, const std::string& with) {
    return text.substr(0, with.size()) == with;
  };
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.steps = 0; }), "steps"));
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.dimension = 0; }), "dimension"));
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.norm_bound = 0; }), "norm-bound"));
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.batch = 0.5; }), "batch"));
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.batch = 2.5; }), "batch"));
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.sampling_rate = 0; }), "sampling-rate"));
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.sampling_rate = 2; }), "sampling-rate"));
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.lambda = -1; }), "lambda"));
  for (const double bound : {0.0, -0.1, 1.01, 0x1p-21, std::nan("")}) {
    EXPECT_TRUE(
        begins(complaint(scheduled(), [&](auto& c) { c.square_clip = {{.count = 10, .bound = bound}}; }),
               "square-clip"))
        << bound;
  }
  for (const std::size_t count : {0U, 9U, 11U}) {
    EXPECT_TRUE(
        begins(complaint(scheduled(), [&](auto& c) { c.square_clip = {{.count = count, .bound = 0.5}}; }),
               "square-clip"))
        << count;
  }
  for (const BatchMethod method : {BatchMethod::pp, BatchMethod::joint_clip, BatchMethod::jme_batch_mean}) {
    EXPECT_TRUE(begins(complaint(scheduled(),
                                 [&](auto& c) {
                                   c.method = method;
                                   c.square_clip = {{.count = 10, .bound = 0.5}};
                                 }),
                       "square-clip"));
  }
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.sum_error = -1; }), "sum-error"));
  // 16 float vectors cannot be added up better.
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.sum_error = 15 * 0x1p-24; }), "sum-error"));
  EXPECT_EQ(complaint(scheduled(), [](auto& c) { c.sum_error = 16 * 0x1p-24; }), "accepted");
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.participation.reset(); }), "participations"));
  EXPECT_TRUE(begins(complaint(scheduled(), [](auto& c) { c.budget = {}; }), "epsilon"));
  EXPECT_TRUE(begins(complaint(sampled(), [](auto& c) { c.shape = Shape::blt(2); }), "shape"));
  EXPECT_TRUE(begins(complaint(sampled(), [](auto& c) { c.participation = Participation{.rows = 2}; }),
                     "participations"));
  EXPECT_TRUE(
      begins(complaint(sampled(), [](auto& c) { c.method = BatchMethod::jme_batch_mean; }), "sampling-rate"));
}

}  // namespace
}  // namespace jme
