#include "results.hpp"

#include <gmock/gmock.h>

#include "small_pictures.hpp"

namespace jme::train {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Evaluations, GoThroughJsonUnchanged) {
  const std::vector<Evaluation> evaluations{
      {.step = 1, .epoch = 0.1, .accuracy = 0.3, .epsilon = 1.0 / 3},
      {.step = 10, .epoch = 1, .accuracy = 0.7, .epsilon = std::nullopt}};
  const auto read = evaluations_from(nlohmann::json::parse(as_json(evaluations).dump()));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].epsilon, 1.0 / 3);
  EXPECT_EQ(read[0].epoch, 0.1);
  EXPECT_EQ(read[1].epsilon, std::nullopt);
  EXPECT_EQ(read[1].accuracy, 0.7);
  EXPECT_THAT(epoch_accuracies(read), ElementsAre(70.0));
}

TEST(About, StatesEpsilonOnlyWhereThereIsOne) {
  const Dataset dataset = halves_dataset();
  const auto epsilon = [&](BatchMethod method, std::optional<std::uint64_t> seed) {
    TrainingConfig config;
    config.method = method;
    config.budget = {.sigma = 1};
    config.batch = 20;
    config.epochs = 1;
    config.insecure_test_seed = seed;
    return about(Training(config, dataset), dataset).at("epsilon");
  };
  EXPECT_TRUE(epsilon(BatchMethod::jme, std::nullopt).is_number());
  EXPECT_TRUE(epsilon(BatchMethod::pp, std::nullopt).is_number());
  EXPECT_TRUE(epsilon(BatchMethod::jme_paper, std::nullopt).is_null());
  EXPECT_TRUE(epsilon(BatchMethod::jme, 1).is_null());
}

TEST(LearningCurves, NameOurCurvesAndNotTheReferences) {
  const std::string svg = learning_curves(
      "cifar10", {{.name = "pp", .epochs = {1, 2}, .accuracies = {30, 40}},
                  {.name = "pp", .epochs = {1, 2}, .accuracies = {31, 39}, .is_reference = true}});
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr(">pp<"));
  EXPECT_THAT(svg.substr(svg.find(">pp<") + 1), Not(HasSubstr(">pp<")));
}

}  // namespace
}  // namespace jme::train
