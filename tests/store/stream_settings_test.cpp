#include <functional>

#include <gtest/gtest.h>

#include <jme/store/stream_settings.hpp>

namespace jme {
namespace {

StreamConfig base() {
  return {.budget = {.epsilon = 1, .delta = 1e-6},
          .rows = 60,
          .every = 5,
          .dimension = 3,
          .norm_bound = 1.0,
          .workload = prefix(),
          .shape = Shape::banded(2)};
}

Eigen::MatrixXd lower_ones(Eigen::Index n) {
  return Eigen::MatrixXd::Ones(n, n).triangularView<Eigen::Lower>();
}

TEST(StreamSettings, ChangeWithEverythingThatMakesTheMechanism) {
  const Settings unchanged = settings_of(Mechanism(base()));
  const std::vector<std::pair<std::string, std::function<void(StreamConfig&)>>> changes{
      {"rows", [](StreamConfig& c) { c.rows = 61; }},
      {"no horizon",
       [](StreamConfig& c) {
         c.rows.reset();
         c.unbounded = true;
         c.workload = decay(0.9);
         c.shape = Shape::automatic();
       }},
      {"every", [](StreamConfig& c) { c.every = 6; }},
      {"dimension", [](StreamConfig& c) { c.dimension = 4; }},
      {"norm bound", [](StreamConfig& c) { c.norm_bound = 1.0 + 1e-15; }},
      {"epsilon", [](StreamConfig& c) { c.budget.epsilon = 1.0 + 1e-15; }},
      {"delta", [](StreamConfig& c) { c.budget.delta = 2e-6; }},
      {"sigma", [](StreamConfig& c) { c.budget = {.sigma = 4}; }},
      {"adjacency",
       [](StreamConfig& c) {
         c.adjacency = Adjacency::add_remove;
         c.lambda = 1;
       }},
      {"participations", [](StreamConfig& c) { c.participation = {.rows = 2, .separation = 10}; }},
      {"separation", [](StreamConfig& c) { c.participation = {.rows = 1, .separation = 7}; }},
      {"method", [](StreamConfig& c) { c.method = Method::lambda_jme; }},
      {"alpha",
       [](StreamConfig& c) {
         c.method = Method::ime;
         c.alpha = 0.4;
       }},
      {"second moment", [](StreamConfig& c) { c.second = SecondMoment::diagonal; }},
      {"workload", [](StreamConfig& c) { c.workload = decay(0.9); }},
      {"second workload", [](StreamConfig& c) { c.workload_second = mean(); }},
      {"workload matrix",
       [](StreamConfig& c) {
         c.workload = custom(lower_ones(12));
         c.shape = Shape::identity();
       }},
      {"shape", [](StreamConfig& c) { c.shape = Shape::banded(3); }},
      {"second shape", [](StreamConfig& c) { c.shape_second = Shape::identity(); }},
      {"shape matrix", [](StreamConfig& c) { c.shape = Shape::custom(Eigen::MatrixXd::Identity(12, 12)); }},
      {"lambda",
       [](StreamConfig& c) {
         c.method = Method::lambda_jme;
         c.lambda = 0.7;
       }},
      {"balance",
       [](StreamConfig& c) {
         c.method = Method::lambda_jme;
         c.balance = 3;
       }},
  };
  std::vector<Settings> seen{unchanged};
  for (const auto& [what, change] : changes) {
    StreamConfig config = base();
    change(config);
    const Settings settings = settings_of(Mechanism(config));
    EXPECT_EQ(std::find(seen.begin(), seen.end(), settings), seen.end()) << what;
    seen.push_back(settings);
  }
}

TEST(StreamSettings, SeeASingleEntryOfAMatrix) {
  StreamConfig config = base();
  config.shape = Shape::identity();
  Eigen::MatrixXd matrix = lower_ones(12);
  config.workload = custom(matrix);
  const Settings before = settings_of(Mechanism(config));
  matrix(7, 3) += 1e-15;
  config.workload = custom(matrix);
  EXPECT_NE(settings_of(Mechanism(config)), before);
  // Its name is a file's name, which is no part of the mechanism.
  config.workload = custom(lower_ones(12), "@elsewhere.npy");
  EXPECT_EQ(settings_of(Mechanism(config)), before);
}

TEST(StreamSettings, DoNotChangeWithTheNumberOfThreadsOrFromRunToRun) {
  StreamConfig config = base();
  config.shape = Shape::automatic();
  const Settings before = settings_of(Mechanism(config));
  config.threads = 4;
  EXPECT_EQ(settings_of(Mechanism(config)), before);
}

TEST(StreamSettings, OfALongHorizonAreThere) {
  StreamConfig config = base();
  config.rows = 5'000'000;
  config.every = 1;
  config.workload = mean();
  config.shape = Shape::scaled_blt(3);
  const Settings before = settings_of(Mechanism(config));
  *config.rows += 1;
  EXPECT_NE(settings_of(Mechanism(config)), before);
}

TEST(StreamSettings, AreFoundByName) {
  const Settings settings = settings_of(Mechanism(base()));
  EXPECT_EQ(value_of(settings, "rows"), "60");
  EXPECT_EQ(value_of(settings, "epsilon"), "1");
  EXPECT_EQ(value_of(settings, "delta"), "1e-06");
  EXPECT_EQ(value_of(settings, "adjacency"), "replace-one");
  EXPECT_EQ(value_of(settings, "sigma"), "");
}

}  // namespace
}  // namespace jme
