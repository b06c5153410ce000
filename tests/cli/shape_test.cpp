#include <cmath>

#include <gmock/gmock.h>

#include "command.hpp"
#include "support/npy.hpp"

namespace jme::test {
namespace {

class ShapeCommand : public InDirectory {};

TEST_F(ShapeCommand, GivesTheKeysOfTheContract) {
  const auto object = jme("shape --workload prefix --steps 100 --json").json();
  for (const char* key : {"rmse", "max", "column_norm", "state_vectors", "parameters"}) {
    EXPECT_TRUE(object.contains(key)) << key;
  }
}

// Prefix sums with C = I: row t has norm sqrt(t), so rmse = sqrt((n+1)/2) and max = sqrt(n).
TEST_F(ShapeCommand, KnowsTheIdentity) {
  const auto object = jme("shape --workload prefix --steps 100 --shape identity --json").json();
  EXPECT_NEAR(object["rmse"], std::sqrt(50.5), 1e-12);
  EXPECT_NEAR(object["max"], 10.0, 1e-12);
  EXPECT_EQ(object["column_norm"], 1.0);
  EXPECT_EQ(object["state_vectors"], 0);
}

// The square root is 1.0605 times the certified optimum 2.23550 (both to the digits given).
TEST_F(ShapeCommand, KnowsTheSquareRoot) {
  EXPECT_NEAR(jme("shape --workload prefix --steps 100 --shape sqrt --json").json()["rmse"], 1.0605 * 2.23550,
              2e-4);
}

TEST_F(ShapeCommand, AutomaticIsNearTheOptimumWithFewVectors) {
  const auto object = jme("shape --workload prefix --steps 1000 --json").json();
  EXPECT_LT(object["rmse"], 1.04 * 2.94804);
  EXPECT_GE(object["rmse"], 2.94804 * (1 - 1e-5));
  EXPECT_LE(object["state_vectors"], 5);
  EXPECT_EQ(jme("shape --workload prefix --steps 1000 --max-state-vectors 0 --json").json()["shape"],
            "identity");
}

TEST_F(ShapeCommand, AStepIsABlock) {
  const double blocks =
      jme("shape --workload prefix --rows 1e5 --every 1000 --shape sqrt --json").json()["rmse"];
  const double steps = jme("shape --workload prefix --steps 100 --shape sqrt --json").json()["rmse"];
  EXPECT_DOUBLE_EQ(blocks, steps);
}

TEST_F(ShapeCommand, AnswersForAMillionSteps) {
  const auto object = jme("shape --workload prefix --steps 1e6 --json").json();
  EXPECT_GT(object["rmse"], 3);  // about 5.1 (docs/theory/blocks.md#what-it-gains)
  EXPECT_LT(object["rmse"], 6);
}

TEST_F(ShapeCommand, ShowsEverythingThatDefinesTheShape) {
  const auto scaled =
      jme("shape --workload prefix --steps 500 --shape scaled-blt:3 --json").json()["parameters"];
  EXPECT_EQ(scaled["order"], 3);
  EXPECT_EQ(scaled["poles"].size(), 3u);
  EXPECT_EQ(scaled["zeros"].size(), 3u);
  for (const char* key : {"start_offset", "start_power", "end_offset", "end_power"}) {
    EXPECT_TRUE(scaled[key].is_number()) << key;
  }
  const auto window = jme("shape --workload window:20 --steps 500 --json");
  EXPECT_EQ(window.json()["shape"], "scaled-blt:3");
  EXPECT_EQ(window.json()["parameters"]["lag_taps"][2]["lag"], 60);
  EXPECT_EQ(window.json()["state_vectors"], 63);
  const auto blt = jme("shape --workload mean --steps 500 --shape blt:2 --json").json()["parameters"];
  EXPECT_EQ(blt["zeros"].size(), 2u);
  EXPECT_FALSE(blt.contains("start_power"));
  EXPECT_EQ(jme("shape --workload mean --steps 50 --shape banded:1e9 --json").json()["parameters"]["order"],
            1'000'000'000);
}

TEST_F(ShapeCommand, KnowsStreamsWithoutAHorizon) {
  // (2/pi) K(0.9), which no shape goes below in the long run.
  const auto decay = jme("shape --workload decay:0.9 --steps unbounded --json").json();
  EXPECT_EQ(decay["steps"], "unbounded");
  EXPECT_NEAR(decay["max"], 1.4518427, 1.5e-4);
  EXPECT_EQ(decay["at"][0]["steps"], 100);
  EXPECT_EQ(jme("shape --workload decay:0.9 --rows unbounded --json").out,
            jme("shape --workload decay:0.9 --steps unbounded --json").out);
}

TEST_F(ShapeCommand, TakesAMatrixAndRefusesABadOne) {
  write_npy_matrix(path("i.npy"), Eigen::MatrixXd::Identity(4, 4));
  EXPECT_NEAR(jme("shape --workload prefix --steps 4 --json --shape @" + path("i.npy")).json()["max"], 2.0,
              1e-12);

  const std::string shape = "shape --workload prefix --steps 4 --shape @";
  expect_refused(jme(shape + path("missing.npy")), 2, "shape");
  expect_refused(jme(shape + file("text.npy", "not a matrix")), 2, "shape");
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(4, 4);
  matrix(0, 1) = 1;
  write_npy_matrix(path("upper.npy"), matrix);
  expect_refused(jme(shape + path("upper.npy")), 2, "lower triangular");
  matrix = Eigen::MatrixXd::Identity(4, 4);
  matrix(2, 2) = 0;
  write_npy_matrix(path("singular.npy"), matrix);
  expect_refused(jme(shape + path("singular.npy")), 2, "invertible");
  write_npy_matrix(path("small.npy"), Eigen::MatrixXd::Identity(3, 3));
  expect_refused(jme(shape + path("small.npy")), 2, "shape");
  write_npy_matrix(path("wide.npy"), Eigen::MatrixXd::Ones(4, 5));
  expect_refused(jme(shape + path("wide.npy")), 2, "shape");
}

TEST_F(ShapeCommand, RefusesWhatMakesNoSense) {
  expect_refused(jme("shape --workload prefix"), 2, "horizon");
  expect_refused(jme("shape --workload decay:1 --steps 10"), 2, "workload");
  expect_refused(jme("shape --workload decay:0 --steps 10"), 2, "workload");
  expect_refused(jme("shape --workload decay:nan --steps 10"), 2, "workload");
  expect_refused(jme("shape --workload window:11 --steps 10"), 2, "window");
  expect_refused(jme("shape --workload window:5 --rows 10 --every 2"), 2, "window");
  expect_refused(jme("shape --workload rolling --steps 10"), 2, "workload");
  expect_refused(jme("shape --workload mean --steps 10 --shape round"), 2, "shape");
  expect_refused(jme("shape --workload mean --steps 10 --shape blt:0"), 2, "shape");
  expect_refused(jme("shape --workload mean --steps 10 --objective least"), 2, "objective = least: must be");
  expect_refused(jme("shape --workload window:10 --steps unbounded"), 2, "workload = window:10");
  expect_refused(jme("shape --workload mean --steps unbounded --shape sqrt"), 2, "shape = sqrt");
  expect_refused(jme("shape --workload mean --steps unbounded --rows 5"), 2, "either rows or steps");
  expect_refused(jme("shape --workload mean --steps 10 --shape blt:100"), 2, "shape = blt:100");
  expect_refused(jme("shape --workload mean --steps 10 --shape banded:1.5"), 2, "shape = banded:1.5");
}

TEST_F(ShapeCommand, CountsAreWholeNumbersAlsoInScientificNotation) {
  EXPECT_EQ(jme("shape --workload mean --steps 1e2 --shape identity --json").out,
            jme("shape --workload mean --steps 100 --shape identity --json").out);
  for (const std::string steps : {"1.5", "1.5e0", "0", "-3", "ten", "1e400", "0x10", "", "1e2x"}) {
    expect_refused(jme(words("shape --workload mean --steps") + std::vector<std::string>{steps}), 2,
                   "steps = " + steps);
  }
}

}  // namespace
}  // namespace jme::test
