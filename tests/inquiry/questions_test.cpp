#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/inquiry/ledger_json.hpp>
#include <jme/inquiry/questions.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/sampled_steps.hpp>
#include <jme/store/durable_stream.hpp>

#include "temporary_folder.hpp"

namespace jme {
namespace {

using ::testing::HasSubstr;

template <class Question>
std::string complaint(const Question& question) {
  try {
    static_cast<void>(answer(question));
  } catch (const InvalidParameter& error) {
    return error.what();
  }
  return "none";
}

TEST(CalibrateQuestion, FindsTheThirdFromAnyTwo) {
  const auto sigma = answer(CalibrateQuestion{.epsilon = "1", .delta = "1e-6"});
  EXPECT_EQ(sigma["sigma"], noise_multiplier({.epsilon = 1, .delta = 1e-6}));
  const auto epsilon = answer(CalibrateQuestion{.delta = "1e-6", .sigma = "2"});
  EXPECT_EQ(epsilon["epsilon"], gaussian_epsilon(2, 1e-6));
  EXPECT_EQ(epsilon["mu"], 0.5);
  EXPECT_EQ(answer(CalibrateQuestion{.epsilon = "1", .sigma = "2"})["delta"], gaussian_delta(2, 1));
  EXPECT_THAT(complaint(CalibrateQuestion{.epsilon = "1"}), HasSubstr("exactly two"));
  EXPECT_THAT(complaint(CalibrateQuestion{.epsilon = "1", .delta = "2"}), HasSubstr("delta"));
}

TEST(AccountQuestion, GivesTheCostOfANoiseAndTheNoiseForACost) {
  const SubsampledGaussian mechanism{.sampling_rate = 0.01, .steps = 100, .sigma = 2};
  const auto cost =
      answer(AccountQuestion{.sampling_rate = "0.01", .steps = "100", .delta = "1e-5", .sigma = "2"});
  EXPECT_EQ(cost["epsilon_pld"], pld_epsilon(mechanism, 1e-5));
  EXPECT_EQ(cost["epsilon_rdp"], rdp_epsilon(mechanism, 1e-5).epsilon);
  const auto noise =
      answer(AccountQuestion{.sampling_rate = "0.01", .steps = "100", .delta = "1e-5", .epsilon = "0.5"});
  EXPECT_LE(noise["epsilon_pld"].get<double>(), 0.5);
  EXPECT_THAT(complaint(AccountQuestion{.sampling_rate = "0.01", .steps = "100", .delta = "1e-5"}),
              HasSubstr("exactly one"));
}

TEST(AccountQuestion, KnowsTheSamplersOfShapedNoise) {
  AccountQuestion question{.sampling = "allocation",
                           .sampling_rate = "0.1",
                           .bands = "5",
                           .epochs = "3",
                           .delta = "1e-5",
                           .sigma = "1.5"};
  const auto allocated = answer(question);
  const AllocationEpsilons both = allocation_epsilons({.turns = 2, .epochs = 3, .sigma = 1.5}, 1e-5);
  EXPECT_EQ(allocated["epsilon_remove"], both.remove);
  EXPECT_EQ(allocated["epsilon_add"], both.add);
  EXPECT_EQ(allocated["epsilon_pld"], std::max(both.remove, both.add));
  EXPECT_EQ(allocated["turns"], 2);
  EXPECT_EQ(allocated["epochs"], 3);
  question.sampling = "cyclic-poisson";
  EXPECT_EQ(answer(question)["epsilon_pld"],
            pld_epsilon({.sampling_rate = 0.5, .steps = 6, .sigma = 1.5}, 1e-5));
  question.steps = "30";
  EXPECT_THAT(complaint(question), HasSubstr("steps, epochs"));
  question.epochs.reset(), question.sampling = "shuffled";
  EXPECT_THAT(complaint(question), HasSubstr("allocation"));
}

TEST(ShapeQuestion, KnowsThatPlainNoiseGrowsWithTheRootOfThePrefix) {
  const auto plain = answer(ShapeQuestion{.steps = "4", .workload = "prefix", .shape = "identity"});
  EXPECT_EQ(plain["max"], 2.0);  // sqrt 4
  EXPECT_EQ(plain["column_norm"], 1.0);
  const auto endless = answer(ShapeQuestion{.steps = "unbounded", .workload = "mean"});
  EXPECT_EQ(endless["steps"], "unbounded");
  EXPECT_EQ(endless["at"].size(), 5U);
  EXPECT_THAT(complaint(ShapeQuestion{}), HasSubstr("rows"));
}

TEST(SensitivityQuestion, KnowsThatARowOfTheBallMovesByItsDiameter) {
  const auto found =
      answer(SensitivityQuestion{.dimension = "3", .norm_bound = "1.5", .steps = "50", .shape = "identity"});
  EXPECT_EQ(found["sensitivity_first"], 3.0);
  EXPECT_EQ(found["sensitivity"], 3.0);  // the second moment is free
  EXPECT_GT(found["lambda_free"].get<double>(), 0);
  EXPECT_THAT(
      complaint(SensitivityQuestion{.dimension = "3", .norm_bound = "1", .steps = "5", .squares = "paper"}),
      HasSubstr("used together with batch"));
}

TEST(PlanOf, TakesTheDimensionFromBoundsAndNamesWhatIsMissing) {
  RunSettings settings = RunSettings::from_json(
      R"({"epsilon": 1, "delta": 1e-6, "rows": 100, "bounds": {"a": [0, 1], "b": [0, 2]}})", "settings");
  const Plan all = plan_of(settings);
  EXPECT_GT(all.candidates.size(), 3U);
  settings.set("method", "ime");
  settings.set("shape", "sqrt");
  const Plan one = plan_of(settings);
  ASSERT_EQ(one.candidates.size(), 1U);
  EXPECT_EQ(one.candidates[0].method, Method::ime);
  EXPECT_THROW(static_cast<void>(plan_of(RunSettings::from_json(
                   R"({"epsilon": 1, "delta": 1e-6, "rows": 100, "norm_bound": 1})", "settings"))),
               InvalidParameter);
}

TEST(LedgerJson, ListsStreamsAndWhatTheySpent) {
  const test::TemporaryFolder folder;
  const Mechanism mechanism(
      {.budget = {.epsilon = 1, .delta = 1e-6}, .rows = 10, .dimension = 1, .norm_bound = 1});
  for (const char* name : {"one", "two"}) {
    DurableStream stream(mechanism, {.directory = folder.path(), .source = "people", .stream = name});
    const double row = 0.5;
    stream.push({&row, 1});
    stream.commit();
  }
  const auto found = ledger_json(Ledger::read(folder.path()), 1e-5);
  ASSERT_EQ(found["streams"].size(), 2U);
  EXPECT_EQ(found["streams"][0]["condition"], "open");
  EXPECT_EQ(found["streams"][0]["rows"], 1);
  ASSERT_EQ(found["total"].size(), 1U);
  EXPECT_EQ(found["total"][0]["source"], "people");
  EXPECT_EQ(found["total"][0]["delta"], 1e-5);
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
}

}  // namespace
}  // namespace jme
