#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/models/pca.hpp>

#include "dense_algebra.hpp"
#include "models/rows.hpp"

namespace jme {
namespace {

using test::three_column_config;

/// A release without noise to speak of, of rows whose covariance is V diag(values) V'.
RunningMoments moments_of(const Eigen::Matrix3d& components, const Eigen::Vector3d& values) {
  // +-sqrt(3 value) along each component, in turn: six rows with mean 0 and this covariance.
  Eigen::MatrixXd x(6, 3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    x.row(2 * i) = std::sqrt(3 * values(i)) * components.col(i).transpose();
    x.row(2 * i + 1) = -x.row(2 * i);
  }
  MomentStream stream(three_column_config(1e-9, 6));
  return {test::run(stream, x), Units::identity(3)};
}

Eigen::Matrix3d some_rotation(unsigned seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  const Eigen::Matrix3d a = Eigen::Matrix3d::NullaryExpr([&] { return normal(bits); });
  return test::orthonormal(a);
}

Eigen::Matrix3d small_turn(double angle) {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  turn.topLeftCorner(2, 2) << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  Eigen::Matrix3d other = Eigen::Matrix3d::Identity();
  other.bottomRightCorner(2, 2) << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  return turn * other;
}

TEST(ComponentTracker, FindsThePlantedComponentsLargestFirst) {
  const Eigen::Matrix3d v = some_rotation(1);
  const auto parts = ComponentTracker().next(moments_of(v, {0.3, 0.05, 0.15}), 3);
  // The lattice and noise of 1e-6 over gaps of 0.1.
  EXPECT_TRUE(parts.values.value.isApprox(Eigen::Vector3d(0.3, 0.15, 0.05), 1e-4));
  EXPECT_NEAR(std::abs(parts.components.value.row(0).dot(v.col(0))), 1, 1e-6);
  EXPECT_NEAR(std::abs(parts.components.value.row(1).dot(v.col(2))), 1, 1e-6);
  EXPECT_NEAR(std::abs(parts.components.value.row(2).dot(v.col(1))), 1, 1e-6);
}

TEST(ComponentTracker, GivesTheFirstReleaseAPlusOnEachLargestEntry) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto parts = ComponentTracker().next(moments_of(some_rotation(seed), {0.3, 0.15, 0.05}), 3);
    for (Eigen::Index i = 0; i < 3; ++i) {
      const auto row = parts.components.value.row(i);
      EXPECT_EQ(row.maxCoeff(), row.cwiseAbs().maxCoeff());
    }
  }
}

TEST(ComponentTracker, FollowsATurningComponentAllTheWayRound) {
  // Half a turn in small steps brings the first component to its own negative, without a jump in between.
  ComponentTracker tracker;
  Eigen::Matrix3d v = Eigen::Matrix3d::Identity();
  Eigen::MatrixXd before = tracker.next(moments_of(v, {0.3, 0.15, 0.05}), 3).components.value;
  const Eigen::RowVectorXd start = before.row(0);
  Eigen::Matrix3d step = Eigen::Matrix3d::Identity();
  const double angle = M_PI / 32;
  step.topLeftCorner(2, 2) << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  for (int i = 0; i < 32; ++i) {
    v = step * v;
    const Eigen::MatrixXd now = tracker.next(moments_of(v, {0.3, 0.15, 0.05}), 3).components.value;
    for (Eigen::Index k = 0; k < 3; ++k) EXPECT_GT(now.row(k).dot(before.row(k)), 0.9);
    before = now;
  }
  EXPECT_NEAR(before.row(0).dot(start), -1, 1e-6);
}

TEST(ComponentTracker, KeepsTheSignOfAComponentWhoseRankChanges) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    ComponentTracker tracker;
    const Eigen::Matrix3d v = some_rotation(seed);
    const Eigen::MatrixXd first = tracker.next(moments_of(v, {0.3, 0.2, 0.1}), 1).components.value;
    // Only one is emitted, but all are remembered: ranks 1 and 3 change places.
    const Eigen::MatrixXd swapped =
        tracker.next(moments_of(small_turn(0.1) * v, {0.1, 0.2, 0.3}), 3).components.value;
    EXPECT_GT(swapped.row(2).dot(first.row(0)), 0.9);
  }
}

TEST(ComponentTracker, GoesOnFromItsMemory) {
  const Eigen::Matrix3d v = some_rotation(3);
  ComponentTracker tracker;
  tracker.next(moments_of(v, {0.3, 0.2, 0.1}), 2);
  // If the memory is negated, the continuation is negated.
  ComponentTracker same(tracker.memory()), turned(Eigen::MatrixXd(-tracker.memory()));
  const auto moments = moments_of(small_turn(0.1) * v, {0.3, 0.2, 0.1});
  const Eigen::MatrixXd next = tracker.next(moments, 2).components.value;
  EXPECT_EQ(same.next(moments, 2).components.value, next);
  EXPECT_EQ(turned.next(moments, 2).components.value, -next);
  ComponentTracker wrong(Eigen::MatrixXd::Identity(2, 2));
  EXPECT_THROW(wrong.next(moments, 2), InvalidParameter);
}

TEST(ComponentTracker, RefusesMoreComponentsThanColumnsAndNone) {
  const auto moments = moments_of(some_rotation(1), {0.3, 0.2, 0.1});
  EXPECT_THROW(ComponentTracker().next(moments, 4), InvalidParameter);
  EXPECT_THROW(ComponentTracker().next(moments, 0), InvalidParameter);
}

}  // namespace
}  // namespace jme
