#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/changes/compare.hpp>
#include <jme/changes/multiplicity.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/random/key.hpp>
#include <jme/theory/increments.hpp>

namespace jme {
namespace {

using Rows = std::vector<std::vector<double>>;

StreamConfig box(std::size_t rows, std::size_t every, std::size_t dimension) {
  return {.budget = {.epsilon = 1.0, .delta = 1e-6},
          .rows = rows,
          .every = every,
          .dimension = dimension,
          .norm_bound = std::sqrt(static_cast<double>(dimension)),
          .unit_box = true};
}

ReleasedSums sums_of(const Mechanism& mechanism, const Rows& rows, std::uint64_t seed, bool closes = true) {
  MomentStream stream(mechanism, InsecureTestSeed{seed});
  ReleasedSums sums(mechanism);
  std::size_t steps = 0;
  const auto take = [&](const Release& release) {
    if (release.steps() == steps) return;
    steps = release.steps();
    sums.add(release);
  };
  for (const auto& row : rows) take(stream.push(row));
  if (closes) take(stream.finish());
  return sums;
}

void add_block(ReleasedSums& sums, MomentStream& stream, const BlockSum& block) {
  static_cast<void>(stream.push_block(block));
  const Releases made = stream.take_releases();
  for (std::size_t i = 0; i < made.size(); ++i) sums.add(made[i]);
}

Rows some_rows(std::size_t count, std::size_t dimension) {
  Rows rows(count, std::vector<double>(dimension));
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t i = 0; i < dimension; ++i) {
      rows[t][i] = 0.9 * std::sin(static_cast<double>(3 * t + 7 * i));
    }
  }
  return rows;
}

// The same noise in both streams cancels: what is left is the sum of the rows that differ, up to rounding
// to the lattice, 2^-21 a cell.
TEST(ReleasedSums, TellTheSumsOfBlocksForEveryWorkload) {
  const Eigen::MatrixXd matrix =
      (Eigen::MatrixXd(4, 4) << 2, 0, 0, 0, 1, 1, 0, 0, -1, .5, 3, 0, 0, 1, 1, .25).finished();
  for (const Workload& workload : {prefix(), mean(), decay(0.9), window(20), custom(matrix)}) {
    for (const std::size_t rows : {40UL, 36UL}) {  // the last block may be partial
      if (rows == 36 && workload.kind() == Workload::Kind::custom) continue;
      StreamConfig config = box(40, 10, 2);
      config.workload = workload;
      config.shape = Shape::identity();
      const Mechanism mechanism(config);
      const Rows zero(rows, std::vector<double>(2, 0.0)), some = some_rows(rows, 2);
      const ReleasedSums without = sums_of(mechanism, zero, 5), with = sums_of(mechanism, some, 5);
      for (const StepRange blocks : {StepRange{0, 4}, StepRange{1, 2}, StepRange{2, 4}}) {
        double expected = 0;
        const std::size_t end = std::min(rows, 10 * blocks.end);
        for (std::size_t t = 10 * blocks.begin; t < end; ++t) {
          const std::size_t block_end = std::min(rows, (t / 10 + 1) * 10);
          expected += some[t][1] * workload.weight_in_block(block_end - 1 - t);
        }
        EXPECT_NEAR(with.sum(1, blocks) - without.sum(1, blocks), expected, 40 * 0x1p-20)
            << workload.name() << " from block " << blocks.begin;
      }
    }
  }
}

TEST(ReleasedSums, OfAPrefixNeedNotBeWhole) {
  const Mechanism mechanism(box(40, 10, 1));
  const ReleasedSums all = sums_of(mechanism, some_rows(40, 1), 5);
  ReleasedSums part(mechanism);
  part.add(1, 20, {all.sum(0, {0, 2})});
  part.add(3, 40, {all.sum(0, {0, 4})});
  EXPECT_NEAR(part.sum(0, {2, 4}), all.sum(0, {2, 4}), 1e-12);
  EXPECT_THROW(static_cast<void>(part.sum(0, {1, 4})), StateError);
  EXPECT_THROW(part.add(2, 30, {0}), InvalidParameter);  // not in order
}

TEST(ReleasedSums, OfAWindowMustBeWhole) {
  StreamConfig config = box(40, 10, 1);
  config.workload = window(20);
  const Mechanism mechanism(config);
  ReleasedSums part(mechanism);
  part.add(1, 20, {1});
  part.add(2, 30, {1});
  EXPECT_THROW(static_cast<void>(part.sum(0, {2, 3})), StateError);
}

std::vector<MeanChange> compared(const Mechanism& mechanism, const ReleasedSums& sums,
                                 const TwoWindows& windows, double variance) {
  const std::size_t d = mechanism.config().dimension;
  return compare_means(mechanism, Units::identity(d), sums, windows,
                       {.bound = std::vector<double>(d, variance), .is_released = true});
}

struct Law {
  const char* name;
  StreamConfig config;
};

std::vector<Law> laws() {
  constexpr std::size_t rows = 200, every = 20, d = 8;
  std::vector<Law> result;
  const auto add = [&](const char* name, const auto& change) {
    result.push_back({name, box(rows, every, d)});
    change(result.back().config);
  };
  add("mean", [](StreamConfig& c) { c.shape = Shape::scaled_blt(2); });
  add("prefix, sqrt", [](StreamConfig& c) {
    c.workload = prefix();
    c.shape = Shape::square_root();
  });
  add("decay", [](StreamConfig& c) { c.workload = decay(0.97); });
  add("window", [](StreamConfig& c) { c.workload = window(40); });
  add("pp", [](StreamConfig& c) {
    c.method = Method::pp;
    c.shape = Shape::banded(3);
    c.dimension = 8;
  });
  return result;
}

// Rows without any scatter: the change is noise alone, 8 independent columns of 320 streams. The sum of 2560
// squares of standard normal numbers lies within six of its standard deviations of 2560, but for 1e-8; noise
// that is a tenth smaller would give 0.81 of it, seven deviations below.
TEST(CompareMeans, HasTheNoiseItStates) {
  constexpr std::size_t streams = 320;
  for (const Law& law : laws()) {
    const Mechanism mechanism(law.config);
    const Rows rows(200, std::vector<double>(8, 0.25));
    double squares = 0;
    for (std::uint64_t seed = 0; seed < streams; ++seed) {
      const ReleasedSums sums = sums_of(mechanism, rows, seed);
      for (const MeanChange& change : compared(mechanism, sums, {.before = {1, 4}, .after = {4, 10}}, 0)) {
        squares += std::pow(change.change / change.noise_std, 2);
      }
    }
    const double count = 8.0 * streams;
    EXPECT_NEAR(squares / count, 1, 6 * std::sqrt(2 / count)) << law.name;
  }
}

// Private counts: the quotient of two noisy numbers, to first order.
TEST(CompareMeans, HasTheNoiseItStatesWhereCountsArePrivate) {
  constexpr std::size_t streams = 320;
  StreamConfig config = box(20'000, 2'000, 8);
  config.private_count = true;
  const Mechanism mechanism(config);
  const std::vector<double> flat(2'000 * 8, 0.5);
  BlockSum block(RowMap::of(mechanism));
  block.add_rows(MatrixView::of_rows(flat, 8));
  double squares = 0;
  for (std::uint64_t seed = 0; seed < streams; ++seed) {
    MomentStream stream(mechanism, InsecureTestSeed{seed});
    ReleasedSums sums(mechanism);
    for (std::size_t step = 0; step < 10; ++step) add_block(sums, stream, block);
    for (const MeanChange& change : compared(mechanism, sums, {.before = {0, 4}, .after = {4, 10}}, 0)) {
      squares += std::pow(change.change / change.noise_std, 2);
    }
  }
  // Columns share the counts of rows: as few as 320 independent numbers in the worst case.
  EXPECT_NEAR(squares / (8.0 * streams), 1, 6 * std::sqrt(2.0 / streams));
}

TEST(CompareMeans, AddsTheSamplingErrorOfRows) {
  const Mechanism mechanism(box(40, 10, 1));
  const ReleasedSums sums = sums_of(mechanism, some_rows(40, 1), 3);
  const MeanChange exact = compared(mechanism, sums, {.before = {0, 1}, .after = {1, 4}}, 0)[0];
  const MeanChange sampled = compared(mechanism, sums, {.before = {0, 1}, .after = {1, 4}}, 0.5)[0];
  EXPECT_DOUBLE_EQ(exact.half_width, exact.noise_std * bonferroni_factor(1));
  EXPECT_NEAR(std::pow(sampled.half_width / bonferroni_factor(1), 2),
              std::pow(exact.noise_std, 2) + 0.5 * (1.0 / 10 + 1.0 / 30), 1e-12);
}

// A large change in one of 20 columns is found, and the other 19 are silent in at least 95% of streams.
TEST(CompareMeans, CorrectsForTheColumnsThatAreLookedAt) {
  constexpr std::size_t streams = 300, d = 20;
  StreamConfig config = box(4'000, 1'000, d);
  config.second = SecondMoment::none;
  const Mechanism mechanism(config);
  std::size_t found = 0, wrong = 0;
  std::vector<double> low(1'000 * d, 0.0), high = low;
  for (std::size_t t = 0; t < 1'000; ++t) high[t * d] = 0.9;
  const auto block_of = [&](const std::vector<double>& values) {
    BlockSum block(RowMap::of(mechanism));
    block.add_rows(MatrixView::of_rows(values, d));
    return block;
  };
  const BlockSum first = block_of(low), second = block_of(high);
  for (std::uint64_t seed = 0; seed < streams; ++seed) {
    MomentStream stream(mechanism, InsecureTestSeed{seed});
    ReleasedSums sums(mechanism);
    for (std::size_t step = 0; step < 4; ++step) add_block(sums, stream, step < 2 ? first : second);
    const auto changes = compared(mechanism, sums, {.before = {0, 2}, .after = {2, 4}}, 0);
    found += changes[0].changed ? 1 : 0;
    bool any = false;
    for (std::size_t i = 1; i < d; ++i) any = any || changes[i].changed;
    wrong += any ? 1 : 0;
  }
  EXPECT_EQ(found, streams);
  // 15 are expected at most; six standard deviations more, with probability below 1e-7.
  EXPECT_LE(wrong, 15U + 23U);
  // Without the correction 1 - 0.95^19 = 62% would have one.
}

TEST(CompareMeans, RefusesWindowsThatOverlapOrAreEmpty) {
  const Mechanism mechanism(box(40, 10, 1));
  const ReleasedSums sums = sums_of(mechanism, some_rows(40, 1), 3);
  EXPECT_THROW(static_cast<void>(compared(mechanism, sums, {.before = {0, 2}, .after = {1, 4}}, 0)),
               InvalidParameter);
  EXPECT_THROW(static_cast<void>(compared(mechanism, sums, {.before = {2, 2}, .after = {3, 4}}, 0)),
               InvalidParameter);
}

}  // namespace
}  // namespace jme
