#include "paper_config.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include <jme/privacy/subsampled.hpp>

namespace jme::train {
namespace {

TEST(PaperTable, HasTheOrderingThatThePaperReports) {
  ASSERT_EQ(experiments::paper_settings().size(), 2U);
  // Low to medium privacy: debiased > JME > clip > plain, in every one of the first three epochs.
  const auto& lines = experiments::paper_settings()[0].lines;
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    for (std::size_t i = 1; i < lines.size(); ++i)
      EXPECT_GT(lines[i - 1].accuracy[epoch], lines[i].accuracy[epoch]);
  }
}

TEST(PaperConfig, HasTheNoiseMultiplierAndStepsThatGiveTheRealEpsilon) {
  // docs/theory/batches.md#sampled-batches: PLD 1.427 and 0.0249 at delta = 1e-6 for 50,000 pictures.
  const double expected[]{1.427, 0.0249};
  for (std::size_t i = 0; i < 2; ++i) {
    const PaperSetting& setting = experiments::paper_settings()[i];
    const TrainingConfig config = paper_config(setting, setting.lines[0], BatchMethod::pp_debiased);
    const double epsilon =
        pld_epsilon({.sampling_rate = config.batch / 50'000,
                     .steps = static_cast<std::uint64_t>(config.epochs * std::ceil(50'000 / config.batch)),
                     .sigma = *config.budget.sigma},
                    config.delta);
    EXPECT_NEAR(epsilon, expected[i], 5e-4 * expected[i] + 5e-5);
  }
}

TEST(PaperConfig, RaisesTheSecondMomentToEpsOnlyWhereItMayBeNegative) {
  for (const PaperSetting& setting : experiments::paper_settings()) {
    for (const PaperLine& line : setting.lines) {
      const BatchMethod method = parse_batch_method(line.method);
      const TrainingConfig config = paper_config(setting, line, method);
      EXPECT_EQ(config.lambda.has_value(), has_second_channel(method));
      if (method == BatchMethod::pp) {
        EXPECT_EQ(config.adam.epsilon, 1e-8);
        EXPECT_EQ(config.adam.least_square, 0);
      } else {
        EXPECT_EQ(config.adam.epsilon, 0);
        EXPECT_EQ(config.adam.least_square, line.adam_epsilon);
      }
    }
  }
}

}  // namespace
}  // namespace jme::train
