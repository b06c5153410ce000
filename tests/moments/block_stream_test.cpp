#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/block_stream.hpp>

namespace jme {
namespace {

BatchConfig config(std::size_t dimension) {
  return {.budget = {.sigma = 1},
          .steps = 20,
          .dimension = dimension,
          .norm_bound = 1,
          .batch = 4,
          .participation = Participation{}};
}

struct Sums {
  std::vector<double> first, second;
};

Sums take_step(BlockStream& stream, const std::vector<double>& first, const std::vector<double>& second) {
  Sums out{std::vector<double>(first.size()), std::vector<double>(first.size())};
  stream.step(
      [&](const BlockTile& tile) {
        for (std::size_t i = 0; i < tile.first.size(); ++i) tile.first[i] = first[tile.begin + i];
        if (second.empty()) return;
        for (std::size_t i = 0; i < tile.second.size(); ++i) tile.second[i] = second[tile.begin + i];
      },
      [&](const BlockTile& tile) {
        for (std::size_t i = 0; i < tile.first.size(); ++i) out.first[tile.begin + i] = tile.first[i];
        for (std::size_t i = 0; i < tile.second.size(); ++i) out.second[tile.begin + i] = tile.second[i];
      });
  return out;
}

/// Numbers off the lattice.
std::vector<double> values(std::size_t count, double scale) {
  std::vector<double> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = scale * std::sin(1.0 + static_cast<double>(i));
  return v;
}

double snapped(double value, double unit) {
  return std::nearbyint(value / unit) * unit;
}

TEST(BlockStream, AddsNoiseThatNeverSawTheData) {
  for (BatchMethod method :
       {BatchMethod::jme, BatchMethod::jme_batch_mean, BatchMethod::jme_paper, BatchMethod::pp}) {
    SCOPED_TRACE(name(method));
    BatchConfig c = config(1000);
    c.method = method;
    c.shape = Shape::blt(2);
    const BatchMechanism mechanism(c);
    BlockStream with(mechanism, InsecureTestSeed{5}), without(mechanism, InsecureTestSeed{5});
    const auto first = values(1000, 0.1), second = values(1000, 0.01);
    const std::vector<double> zero(1000, 0.0);
    const bool squares = takes_squares(method);
    for (int t = 0; t < 5; ++t) {
      const Sums a = take_step(with, first, squares ? second : std::vector<double>{});
      const Sums b = take_step(without, zero, squares ? zero : std::vector<double>{});
      const double g1 = mechanism.lattice().first, g2 = mechanism.lattice().second;
      for (std::size_t i = 0; i < 1000; ++i) {
        // Whole lattice units on both sides: the difference is exact.
        EXPECT_EQ((a.first[i] - b.first[i]) / g1, snapped(first[i], g1) / g1);
        const double x = snapped(first[i], g1);
        double expected = 0;
        if (method == BatchMethod::jme) expected = snapped(second[i], g2);
        if (method == BatchMethod::jme_batch_mean) expected = snapped(x * x / 16, g2);
        if (method == BatchMethod::jme_paper) expected = snapped(x * x, g2);
        EXPECT_EQ((a.second[i] - b.second[i]) / g2, expected / g2);
      }
    }
  }
}

TEST(BlockStream, HasTheCalibratedVarianceAndTheTestHasPower) {
  const std::size_t d = 200'000;
  const BatchMechanism mechanism(config(d));
  BlockStream stream(mechanism, InsecureTestSeed{6});
  const std::vector<double> zero(d, 0.0);
  const Sums noise = take_step(stream, zero, zero);
  // Laurent & Massart 2000: a chi-square of d degrees leaves d (1 +- 2 sqrt(x/d) +- 2x/d) with probability
  // e^-x each.
  const double x = 22, slack = 2 * std::sqrt(x / static_cast<double>(d)) + 2 * x / static_cast<double>(d);
  const auto ratio = [&](const std::vector<double>& v, double std) {
    double sum = 0;
    for (double value : v) sum += value * value;
    return sum / (static_cast<double>(d) * std * std);
  };
  EXPECT_NEAR(ratio(noise.first, mechanism.calibration().std_first), 1, slack);
  EXPECT_NEAR(ratio(noise.second, mechanism.calibration().std_second), 1, slack);
  EXPECT_LT(slack, 1 - 0.81);  // noise 10% too small has 0.81
  double correlation = 0;
  for (std::size_t i = 0; i < d; ++i) correlation += noise.first[i] * noise.second[i];
  correlation /=
      static_cast<double>(d) * mechanism.calibration().std_first * mechanism.calibration().std_second;
  EXPECT_LT(std::abs(correlation), 6.2 / std::sqrt(static_cast<double>(d)));  // 1e-9 of a normal
}

TEST(BlockStream, HasForEveryLayerOfBoundedSquaresItsOwnLatticeAndNoise) {
  // Bounds change inside a tile, inside a vector, and between tiles.
  const std::size_t d = 200'003, split = 100'003;
  BatchConfig c = config(d);
  c.square_clip = {{.count = split, .bound = 0.3}, {.count = d - split, .bound = 0.01}};
  const BatchMechanism mechanism(c);
  BlockStream with(mechanism, InsecureTestSeed{5}), without(mechanism, InsecureTestSeed{5});
  const std::vector<double> zero(d, 0.0);
  const auto first = values(d, 0.1), second = values(d, 1e-5);
  const Sums a = take_step(with, first, second), noise = take_step(without, zero, zero);
  // As in HasTheCalibratedVarianceAndTheTestHasPower, for half as many numbers.
  const double n = 1e5, x = 22, slack = 2 * std::sqrt(x / n) + 2 * x / n;
  EXPECT_LT(slack, 1 - 0.81);
  for (const bool later : {false, true}) {
    const double ratio = later ? 0.01 / 0.3 : 1, unit = mechanism.lattice().second * ratio;
    double sum = 0;
    for (std::size_t i = later ? split : 0; i < (later ? d : split); ++i) {
      // Whole units: differences are exact except for the rounding of the unit and of products, 2^-50 of some
      // 2^25 units.
      EXPECT_NEAR((a.second[i] - noise.second[i]) / unit, std::nearbyint(second[i] / unit), 1e-6) << i;
      sum += noise.second[i] * noise.second[i];
    }
    EXPECT_NEAR(sum / (n * std::pow(mechanism.calibration().std_second * ratio, 2)), 1, slack + 1e-4);
  }
}

TEST(BlockStream, ThreadsNeverChangeANumber) {
  const std::size_t d = 100'003;
  const auto first = values(d, 0.001);
  std::vector<Sums> results;
  for (unsigned threads : {1U, 3U}) {
    BatchConfig c = config(d);
    c.threads = threads;
    c.shape = Shape::blt(2);
    BlockStream stream(BatchMechanism(c), InsecureTestSeed{7});
    (void)take_step(stream, first, first);
    results.push_back(take_step(stream, first, first));
  }
  EXPECT_EQ(results[0].first, results[1].first);
  EXPECT_EQ(results[0].second, results[1].second);
}

TEST(BlockStream, GoesOnFromASavedStateInEveryNumber) {
  for (const char* shape : {"identity", "blt:3", "banded:4", "banded-inverse:3"}) {
    SCOPED_TRACE(shape);
    BatchConfig c = config(700);
    c.shape = Shape::parse(shape);
    const BatchMechanism mechanism(c);
    const auto data = values(700, 0.01);
    BlockStream whole(mechanism, InsecureTestSeed{8}), second(mechanism, InsecureTestSeed{8});
    for (int t = 0; t < 7; ++t) (void)take_step(whole, data, data);
    second.restore(whole.state());
    EXPECT_EQ(second.steps_done(), 7U);
    for (int t = 0; t < 3; ++t)
      EXPECT_EQ(take_step(second, data, data).first, take_step(whole, data, data).first);
  }
}

TEST(BlockStream, RefusesToSaveWhatGrowsWithEveryStepAndStatesOfOthers) {
  BatchConfig c = config(16);
  c.shape = Shape::square_root();
  EXPECT_THROW((void)BlockStream(BatchMechanism(c), InsecureTestSeed{1}).state(), StateError);
  c.shape = Shape::blt(2);
  BlockStream stream(BatchMechanism(c), InsecureTestSeed{1});
  EXPECT_THROW(stream.restore({.steps = 3, .first = {1, 2, 3}}), StateError);
}

TEST(BlockStream, EndsWithTheHorizonBeforeAnythingIsDrawn) {
  BatchConfig c = config(16);
  c.steps = 2;
  BlockStream stream(BatchMechanism(c), InsecureTestSeed{1});
  const auto data = values(16, 0.1);
  for (int t = 0; t < 2; ++t) (void)take_step(stream, data, data);
  EXPECT_THROW((void)take_step(stream, data, data), BudgetExhausted);
  EXPECT_EQ(stream.steps_done(), 2U);
}

TEST(BlockStream, TwoStreamsDrawDifferentNoise) {
  const BatchMechanism mechanism(config(16));
  BlockStream a(mechanism), b(mechanism);
  const std::vector<double> zero(16, 0.0);
  EXPECT_NE(take_step(a, zero, zero).first, take_step(b, zero, zero).first);
}

TEST(BlockStream, SlicesOfSeveralProcessesHaveTheNumbersOfOneStream) {
  constexpr std::size_t width = 10'000;  // two whole pieces and a shorter one
  for (const char* shape : {"identity", "blt:2", "banded:3"}) {
    SCOPED_TRACE(shape);
    BatchConfig c = config(width);
    c.shape = Shape::parse(shape);
    c.square_clip = {{.count = 3'000, .bound = 0.5}, {.count = 7'000, .bound = 0.25}};
    const BatchMechanism mechanism(c);
    const auto first = values(width, 0.1), second = values(width, 0.01);
    for (std::size_t parts : {1U, 2U, 3U, 5U}) {
      BlockStream whole(mechanism, InsecureTestSeed{9});
      std::vector<BlockStream> slices;
      std::size_t next = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        const CoordinateSlice slice = CoordinateSlice::of(width, part, parts);
        EXPECT_EQ(slice.begin, next);
        next += slice.count;
        slices.emplace_back(mechanism, NoiseShare{InsecureTestSeed{9}.key(), Nonce{}, slice});
      }
      EXPECT_EQ(next, width);
      for (int t = 0; t < 3; ++t) {
        const Sums expected = take_step(whole, first, second);
        for (BlockStream& stream : slices) {
          const auto [begin, count] = stream.slice();
          const auto part_of = [begin = begin, count = count](const std::vector<double>& all) {
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
            return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(count));
          };
          const Sums found = take_step(stream, part_of(first), part_of(second));
          EXPECT_EQ(found.first, part_of(expected.first));
          EXPECT_EQ(found.second, part_of(expected.second));
        }
      }
    }
  }
}

TEST(BlockStream, RefusesASliceThatWouldShareAPieceWithAnother) {
  const BatchMechanism mechanism(config(10'000));
  const Key key = InsecureTestSeed{1}.key();
  for (const CoordinateSlice slice :
       {CoordinateSlice{1, 9'999}, CoordinateSlice{0, 5'000}, CoordinateSlice{8'192, 2'000},
        CoordinateSlice{0, 12'288}, CoordinateSlice{12'288, 0}}) {
    EXPECT_THROW(BlockStream(mechanism, NoiseShare{key, Nonce{}, slice}), InvalidParameter);
  }
  EXPECT_THROW((void)CoordinateSlice::of(10'000, 2, 2), InvalidParameter);
}

}  // namespace
}  // namespace jme
