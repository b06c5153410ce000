#include "training.hpp"

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/privacy/subsampled.hpp>

#include "small_pictures.hpp"

namespace jme::train {
namespace {

using ::testing::ElementsAre;

TrainingConfig small_config(std::optional<BatchMethod> method = BatchMethod::jme) {
  TrainingConfig config;
  config.method = method;
  config.budget = {.sigma = 1};
  config.batch = 20;
  config.epochs = 0.5;  // five steps
  config.threads = 1;
  return config;
}

TrainingConfig seeded(std::optional<BatchMethod> method = BatchMethod::jme) {
  TrainingConfig config = small_config(method);
  config.insecure_test_seed = 7;
  return config;
}

std::vector<float> trained(const TrainingConfig& config, const Dataset& dataset) {
  Training training(config, dataset);
  training.run({});
  return training.snapshot().parameters;
}

constexpr BatchMethod methods[]{BatchMethod::jme, BatchMethod::jme_paper, BatchMethod::pp,
                                BatchMethod::pp_debiased, BatchMethod::joint_clip};

TEST(Training, TellsHalvesApartWithoutPrivacyAndWithLittle) {
  const Dataset dataset = halves_dataset();
  TrainingConfig plain = seeded(std::nullopt);
  plain.epochs = 2;
  TrainingConfig noisy = seeded();
  noisy.budget = {.sigma = 0.05};
  noisy.epochs = 2;
  noisy.adam.learning_rate = 5e-3;
  for (const TrainingConfig& config : {plain, noisy}) {
    Training training(config, dataset);
    EXPECT_TRUE(training.run({}));
    EXPECT_EQ(training.accuracy(), 1);
  }
}

TEST(Training, IsReproducibleUnderATestSeedAndNeverWithoutOne) {
  const Dataset dataset = halves_dataset();
  for (const BatchMethod method : methods) {
    EXPECT_EQ(trained(seeded(method), dataset), trained(seeded(method), dataset)) << name(method);
    EXPECT_NE(trained(small_config(method), dataset), trained(small_config(method), dataset)) << name(method);
  }
}

TEST(Training, ThatWasInterruptedEndsAsOneThatWasNot) {
  const Dataset dataset = halves_dataset();
  std::vector<std::optional<BatchMethod>> all(std::begin(methods), std::end(methods));
  all.push_back(std::nullopt);
  for (const auto& method : all) {
    TrainingConfig config = seeded(method);
    Snapshot saved;
    Training first(config, dataset);
    EXPECT_FALSE(first.run({.save = [&](const Snapshot& snapshot) { saved = snapshot; },
                            .stop = [&] { return first.steps_done() == 2; }}));
    EXPECT_EQ(saved.adam.noise.steps, 2U);
    Training second(config, dataset);
    second.restore(saved);
    EXPECT_EQ(second.steps_done(), 2U);
    EXPECT_TRUE(second.run({}));
    EXPECT_EQ(second.snapshot().parameters, trained(config, dataset));
  }
}

TEST(Training, ThatGoesOnNeverDrawsTheSameNoiseTwice) {
  // No test seed: two continuations of one snapshot differ in their noise and their batches, so that
  // comparing them cancels nothing.
  const Dataset dataset = halves_dataset();
  const TrainingConfig config = small_config();
  Training first(config, dataset);
  first.run({.stop = [&] { return first.steps_done() == 2; }});
  const Snapshot saved = first.snapshot();
  std::vector<std::vector<float>> ends;
  for (int i = 0; i < 2; ++i) {
    Training training(config, dataset);
    training.restore(saved);
    training.run({.stop = [&] { return training.steps_done() == 3; }});
    ends.push_back(training.snapshot().parameters);
  }
  first.run({.stop = [&] { return first.steps_done() == 3; }});
  ends.push_back(first.snapshot().parameters);
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t equal = 0;
    for (std::size_t j = 0; j < saved.parameters.size(); ++j)
      equal += ends[i][j] == ends[(i + 1) % 3][j] ? 1U : 0U;
    // Equal noise would make nearly all of them equal. Single floats may agree by chance.
    EXPECT_LT(equal, saved.parameters.size() / 100);
  }
}

TEST(Training, SpendsWhatThePrivacyLossDistributionSays) {
  const Dataset dataset = halves_dataset();
  Training training(small_config(), dataset);
  EXPECT_EQ(training.steps(), 5U);
  EXPECT_EQ(training.epsilon_spent(), 0);
  training.run({.stop = [&] { return training.steps_done() == 3; }});
  const auto after = [](std::uint64_t steps) {
    return pld_epsilon({.sampling_rate = 0.1, .steps = steps, .sigma = 1}, 1e-5);
  };
  EXPECT_EQ(training.epsilon_spent(), after(3));
  training.run({});
  EXPECT_EQ(training.evaluations().back().epsilon, after(5));
  EXPECT_EQ(training.evaluations().back().epsilon, training.mechanism()->privacy(1e-5).epsilon);
}

TEST(Training, WithBoundedSquaresLearnsAndHasLessNoiseInV) {
  const Dataset dataset = halves_dataset();
  TrainingConfig config = seeded();
  config.budget = {.sigma = 0.05};
  config.epochs = 2;
  config.adam.learning_rate = 5e-3;
  Training without(config, dataset);
  config.square_clip = {{.layer = "", .bound = 0.02}, {.layer = "linear", .bound = 0.1}};
  Training training(config, dataset);
  EXPECT_TRUE(training.second_moment().empty());  // nothing is known yet
  for (Training* each : {&without, &training}) {
    EXPECT_TRUE(each->run({}));
    EXPECT_EQ(each->accuracy(), 1);
  }
  const auto wide = without.second_moment(), bounded = training.second_moment();
  ASSERT_EQ(wide.size(), bounded.size());
  std::size_t coordinates = 0;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const double bound = bounded[i].tensor.starts_with("linear.") ? 0.1 : 0.02;
    EXPECT_NEAR(bounded[i].bound, bound, 1e-15) << bounded[i].tensor;
    // Both have the weight 1/2 of their bound: noise is in proportion to it.
    EXPECT_NEAR(bounded[i].noise / wide[i].noise, bound, 1e-12);
    coordinates += bounded[i].count;
    // No mean of squares is above c^2, except for noise: six standard deviations of its own mean.
    EXPECT_LE(bounded[i].mean,
              bound * bound + 6 * bounded[i].noise / std::sqrt(static_cast<double>(bounded[i].count)));
  }
  EXPECT_EQ(coordinates, training.parameter_count());
}

TEST(Training, WithABoundOfTheClippingNormIsTheSameTraining) {
  const Dataset dataset = halves_dataset();
  TrainingConfig config = seeded();
  const std::vector<float> without = trained(config, dataset);
  config.square_clip = {{.layer = "", .bound = config.clip}};
  EXPECT_EQ(trained(config, dataset), without);
  config.square_clip.front().bound = 0.5 * config.clip;
  EXPECT_NE(trained(config, dataset), without);
}

TEST(Training, WithBoundedSquaresSpendsTheSame) {
  const Dataset dataset = halves_dataset();
  TrainingConfig config = small_config();
  config.square_clip = {{.layer = "", .bound = 0.01}};
  Training training(config, dataset);
  training.run({});
  EXPECT_EQ(training.epsilon_spent(), pld_epsilon({.sampling_rate = 0.1, .steps = 5, .sigma = 1}, 1e-5));
}

TEST(SquareRules, AreReadFromText) {
  const auto rules = parse_square_rules("0.01,linear=0.05,blocks.0.conv=1e-3");
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(rules[0].layer, "");
  EXPECT_EQ(rules[0].bound, 0.01);
  EXPECT_EQ(rules[1].layer, "linear");
  EXPECT_EQ(rules[2].bound, 1e-3);
  for (const char* text :
       {"", "x", "0", "-1", "nan", "inf", "0.1,", "=0.1", "a=", "a=b", "0.1,0.2", "a=1,a=1", "1 "})
    EXPECT_THROW((void)parse_square_rules(text), InvalidParameter) << text;
}

TEST(SquareRules, GiveEveryTensorTheBoundOfTheLongestNameThatFits) {
  const std::vector<Network::NamedTensor> tensors{
      {"blocks.1.weight", {2, 3}}, {"blocks.10.weight", {4}}, {"linear", {5}}};
  const auto bounds = [&](const std::string& text) {
    std::vector<double> all;
    for (const SquareLayer& layer : square_layers(parse_square_rules(text), tensors, 7))
      all.push_back(layer.bound);
    return all;
  };
  EXPECT_THAT(bounds("0.5"), ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(bounds("blocks.1=0.5"), ElementsAre(0.5, 7, 7));  // and not blocks.10
  EXPECT_THAT(bounds("blocks.10.weight=0.1,blocks=0.5,2"), ElementsAre(0.5, 0.1, 2));
  EXPECT_EQ(square_layers(parse_square_rules("1"), tensors, 7)[0].count, 6U);
  EXPECT_TRUE(square_layers({}, tensors, 7).empty());
  EXPECT_THROW((void)bounds("block=1"), InvalidParameter);
}

TEST(Training, KeepsWithinTheBudgetItWasGiven) {
  const Dataset dataset = halves_dataset();
  TrainingConfig config = small_config(BatchMethod::pp_debiased);
  config.budget = {.epsilon = 2, .delta = 1e-5};
  Training training(config, dataset);
  training.run({});
  EXPECT_EQ(training.epsilon_spent(), 2);
  EXPECT_TRUE(training.run({}));  // nothing is left to do, and nothing is done
  EXPECT_EQ(training.steps_done(), 5U);
}

TEST(Training, AsPrintedInThePaperAndWithATestSeedStatesNoEpsilon) {
  const Dataset dataset = halves_dataset();
  EXPECT_EQ(Training(small_config(BatchMethod::jme_paper), dataset).epsilon_spent(), std::nullopt);
  EXPECT_EQ(Training(seeded(), dataset).epsilon_spent(), std::nullopt);
  EXPECT_EQ(Training(small_config(std::nullopt), dataset).epsilon_spent(), std::nullopt);
  TrainingConfig config = small_config(BatchMethod::jme_paper);
  config.budget = {.epsilon = 1, .delta = 1e-5};
  EXPECT_THROW(Training(config, dataset), InvalidParameter);
}

TEST(Training, SavesBeforeItReports) {
  const Dataset dataset = halves_dataset();
  TrainingConfig config = seeded();
  config.epochs = 1;
  config.evaluations = 5;
  std::vector<std::string> events;
  Training training(config, dataset);
  training.run(
      {.save = [&](const Snapshot& s) { events.push_back("saved " + std::to_string(s.adam.noise.steps)); },
       .report = [&](const Evaluation& e) { events.push_back("told " + std::to_string(e.step)); }});
  EXPECT_THAT(events, ElementsAre("saved 2", "told 2", "saved 4", "told 4", "saved 6", "told 6", "saved 8",
                                  "told 8", "saved 10", "told 10"));
}

TEST(Training, EmptyBatchesAreStepsLikeOthers) {
  // Expected batch 1: a third of the batches is empty. It must not show which ones.
  const Dataset dataset = halves_dataset();
  TrainingConfig config = seeded();
  config.batch = 1;
  config.epochs = 0.1;
  Training training(config, dataset);
  training.run({});
  EXPECT_EQ(training.steps_done(), 20U);
}

TEST(Training, RefusesSnapshotsOfAnotherNetworkAndBadNumbers) {
  const Dataset dataset = halves_dataset();
  const Snapshot good = Training(seeded(), dataset).snapshot();
  Snapshot shorter = good, infinite = good;
  shorter.parameters.pop_back();
  infinite.parameters[3] = std::numeric_limits<float>::infinity();
  for (const Snapshot& bad : {shorter, infinite}) {
    Training training(seeded(), dataset);
    EXPECT_THROW(training.restore(bad), StateError);
  }
}

TEST(Training, RefusesParametersOutOfRange) {
  const Dataset dataset = halves_dataset();
  const auto with = [&](auto change) {
    TrainingConfig config = small_config();
    change(config);
    EXPECT_THROW(Training(config, dataset), InvalidParameter);
  };
  with([](TrainingConfig& c) { c.batch = 0.5; });
  with([](TrainingConfig& c) { c.batch = 200; });
  with([](TrainingConfig& c) { c.batch = std::nan(""); });
  with([](TrainingConfig& c) { c.epochs = 0; });
  with([](TrainingConfig& c) { c.epochs = std::nan(""); });
  with([](TrainingConfig& c) { c.clip = 0; });
  with([](TrainingConfig& c) { c.clip = -1; });
  with([](TrainingConfig& c) { c.adam.noise_floor = -1; });
  with([](TrainingConfig& c) { c.evaluations = 0; });
  with([](TrainingConfig& c) { c.lambda = 0; });
  with([](TrainingConfig& c) { c.square_clip = {{.layer = "", .bound = 1.01}}; });
  with([](TrainingConfig& c) { c.square_clip = {{.layer = "", .bound = 1e-9}}; });
  with([](TrainingConfig& c) { c.square_clip = {{.layer = "blocks.7", .bound = 0.1}}; });
  with([](TrainingConfig& c) { c.method = BatchMethod::pp, c.square_clip = {{.layer = "", .bound = 0.1}}; });
  with([](TrainingConfig& c) { c.budget = {}; });
  with([](TrainingConfig& c) { c.adam.beta_second = 1; });
  with([](TrainingConfig& c) { c.adam.learning_rate = -1; });
}

}  // namespace
}  // namespace jme::train
