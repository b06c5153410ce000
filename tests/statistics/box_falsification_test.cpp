// Tries to show that a stream of rows in a box, with private counts or without, leaks more than it claims: on
// the pairs of rows where the theorem is tight (src/sensitivity/GUARANTEES.md), the optimal attacker's
// statistic is projected out of everything that is released, counts included, and its whole ROC curve is
// compared with the one that mu-GDP allows. Exact binomial limits: each comparison's false alarm is below
// 1e-10; noise 10% too small must be found.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <jme/moments/moment_stream.hpp>

#include "statistics/oracle.hpp"
#include "statistics/released_parts.hpp"
#include "statistics/trade_off.hpp"

namespace jme::box_falsification_tests {
namespace {

using released_parts::deviations;
using released_parts::Parts;
using released_parts::parts_of;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
// mu = 4: 20,000 samples per side tell 4 from 4.44, with an error probability below 1e-9.
constexpr double sigma = 0.25;
constexpr std::size_t samples = 20000, rows = 2, dimension = 3;

using Row = released_parts::Row;
struct Pair {
  Row x, y;
};

/// The whitened difference of two streams that differ in their first row, and the statistic that projects on
/// it.
class Attack {
 public:
  Attack(const Mechanism& mechanism, const Pair& pair) {
    const ReleaseLayout layout = ReleaseLayout::of(mechanism);
    const Parts x = parts_of(layout, pair.x), y = parts_of(layout, pair.y), noise = deviations(mechanism);
    const Eigen::MatrixXd c1 = mechanism.c1().to_dense(), c2 = mechanism.c2().to_dense();
    const Eigen::MatrixXd undo1 = c1 * oracle::inverse(mechanism.a1().to_dense()),
                          undo2 = c2 * oracle::inverse(mechanism.a2().to_dense());
    const Eigen::MatrixXd first = c1.col(0) * (x.first - y.first).cwiseQuotient(noise.first).transpose();
    const Eigen::MatrixXd second = c2.col(0) * (x.second - y.second).cwiseQuotient(noise.second).transpose();
    gain_ = std::sqrt(first.squaredNorm() + second.squaredNorm());
    first_ = undo1.transpose() * first * noise.first.cwiseInverse().asDiagonal() / gain_;
    second_ = undo2.transpose() * second * noise.second.cwiseInverse().asDiagonal() / gain_;
  }

  [[nodiscard]] double gain() const { return gain_; }

  [[nodiscard]] double statistic(const Mechanism& mechanism, const Row& row, std::uint64_t seed) const {
    MomentStream stream(mechanism, InsecureTestSeed{seed});
    double sum = add(stream.push(row));
    for (std::size_t t = 1; t < rows; ++t) sum += add(stream.push(Row(row.size(), 0.25)));
    return sum;
  }

 private:
  [[nodiscard]] double add(const Release& release) const {
    const auto t = static_cast<Eigen::Index>(release.steps()) - 1;
    double sum = 0;
    Eigen::Index i = 0;
    for (const double value : release.first()) sum += first_(t, i++) * value;
    for (const double value : release.counts()) sum += first_(t, i++) * value;
    if (release.row_count()) sum += first_(t, i) * *release.row_count();
    i = 0;
    for (const double value : release.second()) sum += second_(t, i++) * value;
    for (const double value : release.pair_counts()) sum += second_(t, i++) * value;
    return sum;
  }

  Eigen::MatrixXd first_, second_;
  double gain_ = 0;
};

bool leaks(const StreamConfig& config, const Pair& pair) {
  const Mechanism mechanism(config);
  const Attack attack(mechanism, pair);
  std::vector<double> under_x, under_y;
  for (std::size_t r = 0; r < samples; ++r) {
    under_x.push_back(attack.statistic(mechanism, pair.x, 2 * r));
    under_y.push_back(attack.statistic(mechanism, pair.y, 2 * r + 1));
  }
  return trade_off::exceeds_curve(under_y, under_x, 1 / sigma);
}

StreamConfig box_config() {
  return {.budget = {.sigma = sigma},
          .rows = rows,
          .dimension = dimension,
          .norm_bound = std::sqrt(static_cast<double>(dimension)),
          .unit_box = true,
          .workload = prefix(),
          .shape = Shape::identity()};
}

/// The pair reaches what is claimed, the claim holds, and noise 10% too small is found.
void expect_tight_private_and_power(const StreamConfig& config, const Pair& pair) {
  const double gain = Attack(Mechanism(config), pair).gain();
  EXPECT_LE(gain, 1 / sigma * (1 + 1e-9));
  EXPECT_GE(gain, 0.999 / sigma) << "not a worst case: the attempt would prove little";
  EXPECT_FALSE(leaks(config, pair));
  StreamConfig weaker = config;
  *weaker.budget.sigma *= 0.9;
  EXPECT_TRUE(leaks(weaker, pair)) << "noise 10% too small must be found";
}

const Row corner{1, 1, 1}, opposite{-1, -1, -1}, nothing{absent, absent, absent};

StreamConfig with_counts(bool observed, bool private_count) {
  StreamConfig config = box_config();
  config.observed = observed;
  config.private_count = private_count;
  return config;
}

TEST(SlowBoxFalsification, CompleteRowsHoldWhereOneCellIsHalfWayAndTheOthersAreFlipped) {
  expect_tight_private_and_power(box_config(), {corner, {-1, -1, 0}});
}

TEST(SlowBoxFalsification, ObservedCellsHoldWhereOneIsAbsentAndTheOthersAreFlipped) {
  expect_tight_private_and_power(with_counts(true, false), {corner, {-1, -1, absent}});
}

TEST(BoxFalsification, AllPrivateCountsHoldForARowAgainstNoRow) {
  expect_tight_private_and_power(with_counts(true, true), {corner, nothing});
}

TEST(SlowBoxFalsification, CompleteRowsHoldWhereAllCellsAreFlippedUnderShapedNoise) {
  StreamConfig config = box_config();
  config.shape = Shape::blt({.poles = {0.95, 0.6}, .zeros = {0.8, 0.3}});
  expect_tight_private_and_power(config, {corner, opposite});
}

TEST(SlowBoxFalsification, CompleteRowsHoldWhereOneCellIsTheSameAndTheOthersAreFlipped) {
  expect_tight_private_and_power(box_config(), {corner, {-1, -1, 1}});
}

TEST(SlowBoxFalsification, APrivateCountOfCompleteRowsHoldsForARowAgainstNoRow) {
  expect_tight_private_and_power(with_counts(false, true), {corner, nothing});
}

TEST(SlowBoxFalsification, APrivateCountInTheBallHoldsForARowAgainstNoRow) {
  StreamConfig config = with_counts(false, true);
  config.geometry = Geometry::ball;
  expect_tight_private_and_power(config, {corner, nothing});
}

TEST(SlowBoxFalsification, AddRemoveHoldsForARowThatVanishes) {
  StreamConfig config = box_config();
  config.adjacency = Adjacency::add_remove;
  expect_tight_private_and_power(config, {corner, {0, 0, 0}});
  config.observed = true;
  expect_tight_private_and_power(config, {corner, nothing});
}

TEST(BoxFalsification, OneRunWithAPrivateCountHasTheSameMuUnderBothAdjacencies) {
  for (const bool observed : {false, true}) {
    StreamConfig config = box_config();
    config.private_count = true;
    config.observed = observed;
    StreamConfig removed = config;
    removed.adjacency = Adjacency::add_remove;
    const Calibration one = Mechanism(config).calibration(), other = Mechanism(removed).calibration();
    EXPECT_DOUBLE_EQ(one.std_first, other.std_first);
    EXPECT_DOUBLE_EQ(one.std_off_diagonal, other.std_off_diagonal);
    EXPECT_DOUBLE_EQ(one.std_rows, other.std_rows);
  }
}

}  // namespace
}  // namespace jme::box_falsification_tests
