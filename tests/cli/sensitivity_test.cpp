#include <cmath>

#include <gmock/gmock.h>

#include "command.hpp"
#include "support/npy.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

class SensitivityCommand : public InDirectory {};

const std::string plain = "sensitivity --json --norm-bound 1 --steps 10 --shape identity ";

TEST_F(SensitivityCommand, GivesTheFreeLambdaAndTheFirstMomentsSensitivity) {
  const auto object = jme(plain + "--dimension 10").json();
  EXPECT_NEAR(object["lambda_free"], 0.5, 1e-12);  // a^2/(2 zeta^2 b^2)
  EXPECT_NEAR(object["lambda"], 0.5, 1e-12);
  EXPECT_NEAR(object["sensitivity"], 2.0, 1e-12);
  EXPECT_NEAR(object["sensitivity_first"], 2.0, 1e-12);
  // c_1 = 8/(11 + 5 sqrt5)
  EXPECT_NEAR(jme(plain + "--dimension 1").json()["lambda_free"], (11 + 5 * std::sqrt(5.0)) / 8, 1e-9);
}

TEST_F(SensitivityCommand, FollowsTheJointGain) {
  // r_d(1) = 9/2.
  EXPECT_NEAR(jme(plain + "--dimension 2 --lambda 1").json()["sensitivity"], std::sqrt(4.5), 1e-12);
}

TEST_F(SensitivityCommand, UnderAddRemoveNothingIsFreeAndItSaysSo) {
  const CommandResult result = jme(plain + "--dimension 2 --adjacency add-remove");
  EXPECT_EQ(result.json()["lambda_free"], 0);
  EXPECT_EQ(result.json()["lambda"], 0);
  EXPECT_NEAR(result.json()["sensitivity"], 1.0, 1e-12);
  EXPECT_THAT(result.err, HasSubstr("first moment alone"));
  EXPECT_NEAR(jme(plain + "--dimension 2 --adjacency add-remove --lambda 3").json()["sensitivity"], 2.0,
              1e-12);
}

// Column norms that do not decrease: truth 4.47834, "the first column of each" would say 4.
TEST_F(SensitivityCommand, LooksAtEveryColumnOfTheShapes) {
  Eigen::VectorXd first(5), second(5);
  first << 2, 1, 1, 1, 1;
  second << 1, 1, 1, 1, 3;
  write_npy_matrix(path("c1.npy"), first.asDiagonal());
  write_npy_matrix(path("c2.npy"), second.asDiagonal());
  const auto object = jme("sensitivity --json --norm-bound 1 --steps 5 --dimension 2 --lambda 1 --shape1 @" +
                          path("c1.npy") + " --shape2 @" + path("c2.npy"))
                          .json();
  EXPECT_NEAR(object["sensitivity"], 4.47834, 5e-6);
}

TEST_F(SensitivityCommand, KnowsBatches) {
  const std::string batch = plain + "--dimension 10 --lambda 1 --batch 256 ";
  EXPECT_NEAR(jme(batch).json()["sensitivity"], std::sqrt(4.5), 1e-12);
  EXPECT_NEAR(jme(batch + "--squares batch-mean").json()["sensitivity"],
              2 * std::sqrt(1 + 4 * std::pow(255.0 / 256, 2)) / 256, 1e-12);
  const CommandResult paper = jme(batch + "--squares paper");
  EXPECT_NEAR(paper.json()["sensitivity"], 2 * std::sqrt(1 + 4 * 255.0 * 255), 1e-9);  // about 1020, not 2.12
  EXPECT_THAT(paper.err, HasSubstr("jme: warning:"));
}

TEST_F(SensitivityCommand, SeveralParticipationsCostMore) {
  const std::string several = plain + "--dimension 2 --lambda 0 --participations 4 --separation 2";
  // Identity: four rows in four blocks, each moving 2: sqrt(4) * 2.
  EXPECT_NEAR(jme(several).json()["sensitivity"], 4.0, 1e-9);
  // All four rows may share a block of eight: they add up.
  EXPECT_NEAR(jme(several + " --every 8").json()["sensitivity"], 8.0, 1e-9);
}

TEST_F(SensitivityCommand, RefusesWhatMakesNoSense) {
  expect_refused(jme("sensitivity --norm-bound 1 --steps 10"), 2, "dimension: must be given");
  expect_refused(jme("sensitivity --dimension 2 --steps 10"), 2, "norm-bound: must be given");
  expect_refused(jme("sensitivity --dimension 2 --norm-bound 1"), 2, "horizon");
  expect_refused(jme("sensitivity --dimension 0 --norm-bound 1 --steps 10"), 2, "dimension = 0: must be");
  expect_refused(jme("sensitivity --dimension 2 --norm-bound 0 --steps 10"), 2, "norm-bound = 0: must be");
  expect_refused(jme(plain + "--dimension 2 --lambda -1"), 2, "lambda = -1: must be");
  expect_refused(jme(plain + "--dimension 2 --lambda nan"), 2, "lambda = nan: must be");
  expect_refused(jme(plain + "--dimension 2 --adjacency both"), 2, "adjacency = both: must be");
  expect_refused(jme(plain + "--dimension 2 --squares all --batch 2"), 2, "squares = all: must be");
  expect_refused(jme(plain + "--dimension 2 --batch 0"), 2, "batch = 0: must be");
  expect_refused(jme(plain + "--dimension 2 --squares paper"), 2, "used together with batch");
}

}  // namespace
}  // namespace jme::test
