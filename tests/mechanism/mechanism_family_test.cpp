#include "mechanism/mechanism_family.hpp"

#include <vector>

#include <gtest/gtest.h>

#include <jme/mechanism/mechanism.hpp>

namespace jme {
namespace {

/// Configurations in which one thing differs from the first, in every way that the family could overlook.
std::vector<StreamConfig> relatives() {
  const StreamConfig first{.budget = {.epsilon = 1, .delta = 1e-6},
                           .rows = 60,
                           .every = 2,
                           .dimension = 3,
                           .norm_bound = 1,
                           .workload = mean()};
  std::vector<StreamConfig> all{first};
  const auto add = [&](auto change) {
    StreamConfig other = first;
    change(other);
    all.push_back(other);
  };
  add([](StreamConfig& c) { c.rows = 90; });
  add([](StreamConfig& c) { c.every = 3; });
  add([](StreamConfig& c) { c.rows.reset(), c.steps = 60; });
  add([](StreamConfig& c) { c.rows.reset(), c.unbounded = true; });
  add([](StreamConfig& c) { c.workload = prefix(); });
  add([](StreamConfig& c) { c.workload_second = prefix(); });
  add([](StreamConfig& c) { c.workload_second = prefix(), c.method = Method::cs; });
  add([](StreamConfig& c) { c.second = SecondMoment::none, c.method = Method::cs; });
  add([](StreamConfig& c) { c.shape_second = Shape::automatic(), c.method = Method::cs; });
  add([](StreamConfig& c) { c.shape = Shape::banded(3); });
  add([](StreamConfig& c) { c.shape = Shape::banded(3), c.method = Method::cs; });
  add([](StreamConfig& c) { c.shape_second = Shape::banded(3); });
  add([](StreamConfig& c) { c.shape = Shape::custom(Eigen::MatrixXd::Identity(30, 30) * 0.5, "own"); });
  add([](StreamConfig& c) { c.shape = Shape::custom(Eigen::MatrixXd::Identity(30, 30) * 0.7, "own"); });
  add([](StreamConfig& c) { c.participation = {.rows = 3, .separation = 4}; });
  add([](StreamConfig& c) { c.participation = {.rows = 3, .separation = 8}; });
  add([](StreamConfig& c) { c.participation = {.rows = 2, .separation = 8}; });
  const auto add_slots = [&](const std::optional<RowWindows>& windows, std::size_t rows) {
    add([&](StreamConfig& c) {
      c.rows.reset(), c.steps = 60, c.every = 1, c.slot_seconds = 3600, c.unit_box = true, c.norm_bound = 2;
      c.private_count = c.persons_are_limited = true, c.adjacency = Adjacency::add_remove;
      c.participation = {.rows = rows, .windows = windows};
    });
  };
  add_slots(std::nullopt, 6);
  add_slots(RowWindows{.rows = 2, .steps = 3, .count = 20}, 6);
  add_slots(RowWindows{.rows = 3, .steps = 3, .count = 20}, 6);
  add_slots(RowWindows{.rows = 2, .steps = 4, .count = 20}, 6);
  add_slots(RowWindows{.rows = 2, .steps = 3, .count = 2}, 6);
  add_slots(RowWindows{.rows = 6, .steps = 3, .count = 20, .are_units = true}, 6);
  add([](StreamConfig& c) { c.objective = Objective::max; });
  add([](StreamConfig& c) { c.max_state_vectors = 1; });
  add([](StreamConfig& c) { c.second = SecondMoment::none; });
  add([](StreamConfig& c) { c.second = SecondMoment::diagonal; });
  add([](StreamConfig& c) { c.adjacency = Adjacency::add_remove, c.lambda = 0.3; });
  for (const Method method : {Method::lambda_jme, Method::ime, Method::cs, Method::pp, Method::pp_debiased}) {
    add([&](StreamConfig& c) { c.method = method; });
  }
  add([](StreamConfig& c) { c.budget.epsilon = 3; });
  add([](StreamConfig& c) { c.norm_bound = 5; });
  add([](StreamConfig& c) { c.dimension = 7; });
  return all;
}

// A mistake here would be a wrong sensitivity.
TEST(MechanismFamily, GivesEveryMechanismWhatItHasAlone) {
  MechanismFamily family;
  for (int round = 0; round < 2; ++round) {  // in the second every part is known
    for (const StreamConfig& config : relatives()) {
      const Mechanism alone(config), shared(config, family);
      EXPECT_EQ(shared.sigma(), alone.sigma());
      EXPECT_EQ(shared.mu(), alone.mu());
      EXPECT_EQ(shared.bad_past(), alone.bad_past());
      EXPECT_EQ(shared.calibration().std_first, alone.calibration().std_first);
      EXPECT_EQ(shared.calibration().std_second, alone.calibration().std_second);
      EXPECT_EQ(shared.calibration().lambda, alone.calibration().lambda);
      EXPECT_EQ(shared.lambda_free(), alone.lambda_free());
      EXPECT_EQ(shared.shape_first().name(), alone.shape_first().name());
      EXPECT_EQ(shared.shape_second().name(), alone.shape_second().name());
      for (const auto filter : {&Mechanism::a1, &Mechanism::a2, &Mechanism::c1, &Mechanism::c2}) {
        const Filter &a = (shared.*filter)(), &b = (alone.*filter)();
        ASSERT_EQ(a.steps(), b.steps());
        if (config.unbounded) {  // its rows are too long to be written out
          EXPECT_EQ(a.core().coefficients(30), b.core().coefficients(30));
        } else {
          EXPECT_EQ(a.to_dense(), b.to_dense());
        }
      }
    }
  }
}

}  // namespace
}  // namespace jme
