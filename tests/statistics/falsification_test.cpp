// Tries to show that the mechanism leaks more than it claims: on worst-case neighbouring streams the optimal
// attacker's statistic is projected out of the releases, and its whole ROC curve is compared with the one
// that mu-GDP allows,
//     power <= Phi(Phi^-1(false alarms) + mu),   mu = 1/sigma.
// Exact binomial limits: each comparison's false alarm is below 1e-10; noise 10% too small must be found.
#include <algorithm>
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include <jme/moments/moment_stream.hpp>

#include "statistics/oracle.hpp"
#include "statistics/trade_off.hpp"

namespace jme {
namespace {

struct Neighbours {
  Eigen::MatrixXd x, y;
};

// Stationary rows except that row `at` is `one` in x and `other` in y.
Neighbours differing_at(std::size_t at, std::size_t rows, const Eigen::RowVectorXd& one,
                        const Eigen::RowVectorXd& other) {
  Neighbours pair;
  pair.x = Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(rows), one.size(), 0.25);
  pair.y = pair.x;
  pair.x.row(static_cast<Eigen::Index>(at)) = one;
  pair.y.row(static_cast<Eigen::Index>(at)) = other;
  return pair;
}

Eigen::MatrixXd in_blocks(const Eigen::MatrixXd& rows, const Workload& workload, const Horizon& horizon) {
  Eigen::MatrixXd blocks = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(horizon.steps()), rows.cols());
  for (std::size_t i = 0; i < horizon.rows(); ++i) {
    const std::size_t step = i / horizon.every();
    const std::size_t until_end = horizon.rows_through(step) - 1 - i;
    const double weight = horizon.every() == 1 ? 1 : workload.weight_in_block(until_end);
    blocks.row(static_cast<Eigen::Index>(step)) += weight * rows.row(static_cast<Eigen::Index>(i));
  }
  return blocks;
}

// The attacker's best statistic: A and C are public, so it undoes the workload, whitens with C, and projects
// on the difference of the two candidate streams. Unit variance; its mean moves by mu between the neighbours.
class Attack {
 public:
  Attack(const Mechanism& mechanism, const Neighbours& pair)
      : undo_first_(mechanism.c1().to_dense() * oracle::inverse(mechanism.a1().to_dense())),
        undo_second_(mechanism.c2().to_dense() * oracle::inverse(mechanism.a2().to_dense())) {
    const auto& config = mechanism.config();
    const Horizon& horizon = mechanism.horizon();
    const auto difference = [&](const Eigen::MatrixXd& x, const Eigen::MatrixXd& y,
                                const Workload& workload) { return in_blocks(x - y, workload, horizon); };
    const double v1 = std::pow(mechanism.calibration().std_first, 2);
    const double v2 = std::pow(mechanism.calibration().std_second, 2);
    const Eigen::MatrixXd dx = difference(pair.x, pair.y, mechanism.workload_first());
    const Eigen::MatrixXd ds =
        difference(oracle::squares(pair.x, config.second), oracle::squares(pair.y, config.second),
                   mechanism.workload_second());
    const Eigen::MatrixXd whitened_x = mechanism.c1().to_dense() * dx;
    const Eigen::MatrixXd whitened_s = mechanism.c2().to_dense() * ds;
    const Eigen::VectorXd weights = oracle::frobenius_weights(config.dimension, config.second);
    gain_ = std::sqrt(whitened_x.squaredNorm() / v1 + (whitened_s.cwiseAbs2() * weights).sum() / v2);
    direction_first_ = undo_first_.transpose() * whitened_x / (v1 * gain_);
    direction_second_ = undo_second_.transpose() * (whitened_s * weights.asDiagonal()) / (v2 * gain_);
  }

  [[nodiscard]] double gain() const { return gain_; }

  [[nodiscard]] double statistic(const Mechanism& mechanism, const Eigen::MatrixXd& x,
                                 std::uint64_t seed) const {
    MomentStream stream(mechanism, InsecureTestSeed{seed});
    std::vector<double> row(static_cast<std::size_t>(x.cols()));
    double sum = 0;
    for (Eigen::Index t = 0; t < x.rows(); ++t) {
      Eigen::Map<Eigen::RowVectorXd>(row.data(), x.cols()) = x.row(t);
      const Release& release = stream.push(row);
      if (!release.is_new()) continue;
      const auto b = static_cast<Eigen::Index>(release.steps()) - 1;
      sum +=
          direction_first_.row(b).dot(Eigen::Map<const Eigen::RowVectorXd>(release.first().data(), x.cols()));
      sum += direction_second_.row(b).dot(
          Eigen::Map<const Eigen::RowVectorXd>(release.second().data(), direction_second_.cols()));
    }
    return sum;
  }

 private:
  Eigen::MatrixXd undo_first_, undo_second_, direction_first_, direction_second_;
  double gain_ = 0;
};

bool leaks(const StreamConfig& config, const Neighbours& pair, double claimed_sigma, std::size_t trials) {
  const Mechanism mechanism(config);
  const Attack attack(mechanism, pair);
  std::vector<double> under_x, under_y;
  for (std::size_t r = 0; r < trials; ++r) {
    under_x.push_back(attack.statistic(mechanism, pair.x, 2 * r));
    under_y.push_back(attack.statistic(mechanism, pair.y, 2 * r + 1));
  }
  return trade_off::exceeds_curve(under_y, under_x, 1 / claimed_sigma);
}

// mu = 4: 20,000 samples per side tell 4 from 4.44, with an error probability below 1e-9.
constexpr double sigma = 0.25;
constexpr std::size_t samples = 20000;

StreamConfig base_config(Method method) {
  return {.budget = {.sigma = sigma},
          .rows = 5,
          .dimension = 2,
          .norm_bound = 1.0,
          .geometry = Geometry::ball,
          .workload = prefix(),
          .method = method,
          .shape = Shape::blt({.poles = {0.95, 0.6}, .zeros = {0.8, 0.3}})};
}

void expect_private_and_the_test_to_have_power(const StreamConfig& config, const Neighbours& pair,
                                               double tightness) {
  const Mechanism mechanism(config);
  EXPECT_LE(Attack(mechanism, pair).gain(), 1 / sigma * (1 + 1e-9));
  EXPECT_GE(Attack(mechanism, pair).gain(), tightness / sigma)
      << "not a worst case: the attempt would prove little";
  EXPECT_FALSE(leaks(config, pair, sigma, samples));
  StreamConfig weaker = config;
  *weaker.budget.sigma *= 0.9;
  EXPECT_TRUE(leaks(weaker, pair, sigma, samples)) << "noise 10% too small must be found";
}

Eigen::RowVectorXd e1() {
  return Eigen::RowVector2d(1, 0);
}
// Unit rows whose inner product is the maximiser -1/(2 nu) of the joint gain
// (docs/theory/sensitivity.md#the-gain-of-one-row).
Eigen::RowVectorXd partner(double nu) {
  const double c = std::max(-1.0, -1 / (2 * nu));
  return Eigen::RowVector2d(c, std::sqrt(1 - c * c));
}

TEST(Falsification, JmeHoldsAtTheFirstMiddleAndLastRow) {
  for (const std::size_t at : {0U, 2U, 4U}) {
    // The column norms of a Toeplitz shape decrease, so only the first row is the worst case.
    const StreamConfig config = base_config(Method::jme);
    const auto pair = differing_at(at, *config.rows, e1(), -e1());
    if (at == 0) {
      expect_private_and_the_test_to_have_power(config, pair, 0.999);
    } else {
      EXPECT_FALSE(leaks(config, pair, sigma, samples));
    }
  }
}

TEST(SlowFalsification, LambdaJmeHoldsOnThePairThatMaximisesTheJointGain) {
  const StreamConfig config = base_config(Method::lambda_jme);  // nu = 1
  expect_private_and_the_test_to_have_power(config, differing_at(0, *config.rows, e1(), partner(1.0)), 0.999);
}

TEST(SlowFalsification, JmeHoldsForRowsInsideBlocks) {
  for (const Workload& workload : {prefix(), mean()}) {
    StreamConfig config = base_config(Method::jme);
    config.workload = workload;
    config.rows = 8;
    config.every = 3;
    expect_private_and_the_test_to_have_power(config, differing_at(1, *config.rows, e1(), -e1()), 0.999);
  }
}

// All rows of one person together, where the bound is reached: rows that share a step, and full steps without
// a shape between them.
TEST(SlowFalsification, JmeHoldsForAllRowsOfAPerson) {
  const auto flipped = [](std::size_t first, std::size_t count, std::size_t rows) {
    Neighbours pair = differing_at(first, rows, e1(), -e1());
    for (std::size_t at = first; at < first + count; ++at) {
      pair.x.row(static_cast<Eigen::Index>(at)) = e1();
      pair.y.row(static_cast<Eigen::Index>(at)) = -e1();
    }
    return pair;
  };
  StreamConfig config = base_config(Method::jme);
  config.rows = 8;
  config.every = 4;
  config.participation = {.rows = 3};
  expect_private_and_the_test_to_have_power(config, flipped(0, 3, 8), 0.999);
  config.every = 2;
  config.shape = Shape::identity();
  expect_private_and_the_test_to_have_power(config, flipped(2, 3, 8), 0.999);
}

TEST(SlowFalsification, JmeHoldsForTheLastRowOfADecayingBlock) {
  StreamConfig config = base_config(Method::jme);
  config.workload = decay(0.8);
  config.rows = 8;
  config.every = 3;
  expect_private_and_the_test_to_have_power(config, differing_at(2, *config.rows, e1(), -e1()), 0.999);
  EXPECT_FALSE(leaks(config, differing_at(0, *config.rows, e1(), -e1()), sigma, samples));
}

TEST(SlowFalsification, JmeHoldsForWindowsThatKeepTheirOldNoise) {
  StreamConfig config = base_config(Method::jme);
  config.workload = window(2);
  config.rows = 8;
  config.shape = Shape::scaled_blt(2);
  ASSERT_EQ(Mechanism(config).c1().lag_taps().size(), 3U);
  // All columns have norm 1: every row is a worst case.
  expect_private_and_the_test_to_have_power(config, differing_at(1, *config.rows, e1(), -e1()), 0.999);
  EXPECT_FALSE(leaks(config, differing_at(7, *config.rows, e1(), -e1()), sigma, samples));
}

TEST(SlowFalsification, ImeAndCsHold) {
  for (const Method method : {Method::ime, Method::cs}) {
    const StreamConfig config = base_config(method);
    for (const auto& other : {Eigen::RowVectorXd(-e1()), partner(1e9), partner(1.0)}) {
      EXPECT_FALSE(leaks(config, differing_at(0, *config.rows, e1(), other), sigma, samples)) << name(method);
    }
  }
}

TEST(SlowFalsification, GeneralColumnsHoldWhereTheFirstColumnsWouldNot) {
  StreamConfig config = base_config(Method::lambda_jme);
  config.lambda = 1.0;
  config.shape =
      Shape::custom(Eigen::VectorXd(Eigen::Matrix<double, 5, 1>(2, 1, 1, 1, 1)).asDiagonal(), "c1");
  config.shape_second =
      Shape::custom(Eigen::VectorXd(Eigen::Matrix<double, 5, 1>(1, 1, 1, 1, 3)).asDiagonal(), "c2");
  // docs/theory/sensitivity.md#columns: the last row is the worst, nu = 9 there.
  expect_private_and_the_test_to_have_power(config, differing_at(4, *config.rows, e1(), partner(9.0)), 0.999);
}

TEST(Falsification, AddRemoveHoldsForARowThatVanishes) {
  StreamConfig config = base_config(Method::lambda_jme);
  config.adjacency = Adjacency::add_remove;
  expect_private_and_the_test_to_have_power(
      config, differing_at(0, *config.rows, e1(), Eigen::RowVectorXd::Zero(2)), 0.999);
}

TEST(SlowFalsification, FindsTenPercentTooLittleNoiseAtEpsilonOne) {
  StreamConfig config = base_config(Method::jme);
  config.budget = {.epsilon = 1.0, .delta = 1e-5};
  const double claimed = config.budget.noise_multiplier();
  const auto pair = differing_at(0, *config.rows, e1(), -e1());
  EXPECT_FALSE(leaks(config, pair, claimed, 300000));
  config.budget = {.sigma = 0.9 * claimed};
  EXPECT_TRUE(leaks(config, pair, claimed, 300000));
}

}  // namespace
}  // namespace jme
