// Streams that release the trace of the second moment besides: what is summed, how the diagonal is corrected,
// and how much noise each number carries.
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

#include "moments/second_sum.hpp"

namespace jme::trace_stream_tests {
namespace {

StreamConfig traced(std::size_t dimension, std::size_t rows, std::size_t every) {
  return {.budget = {.sigma = 1.0},
          .rows = rows,
          .every = every,
          .dimension = dimension,
          .norm_bound = 2,
          .workload = prefix(),
          .shape = Shape::identity()};
}

std::vector<double> normal_rows(std::size_t numbers) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal(0.2, 0.8);
  std::vector<double> result(numbers);
  for (double& value : result) value = normal(generator);
  return result;
}

std::size_t diagonal_index(const ReleaseLayout& layout, std::size_t i) {
  return layout.second == SecondMoment::full ? packed_index(i, i, layout.dimension) : i;
}

// Rows of a ball: their squares sum to 2^40 at most, whether they come one by one, in lanes or as sums.
TEST(TraceOfSums, IsTheExactSumOfAllSquaresRoundedOnce) {
  std::mt19937_64 bits(3);
  for (const std::size_t d : {2U, 3U, 60U}) {
    const auto most = static_cast<std::int64_t>(0x1p20 / std::sqrt(static_cast<double>(d)));
    std::uniform_int_distribution<std::int64_t> units(-most, most);
    for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
      for (const std::size_t k : {1U, 2U, 300U, 9000U}) {
        SecondSum sum(d, second, k, 1.0, SecondSum::Rows::lattice);
        WideInt squares = 0;
        std::vector<double> row(d), out(second_moment_size(second, d));
        for (std::size_t r = 0; r < k; ++r) {
          for (double& v : row) {
            const std::int64_t unit = units(bits);
            squares += static_cast<WideInt>(unit) * unit;
            v = static_cast<double>(unit);
          }
          sum.add(row);
        }
        sum.begin_close();
        const double trace = sum.trace();
        sum.end_close();
        EXPECT_EQ(trace, static_cast<double>((squares + (1 << 19)) >> 20)) << d << ' ' << k;
      }
    }
  }
}

TEST(TraceStream, IsWhatAutoTakesInTheBallWhereTheTraceIsFree) {
  StreamConfig config = traced(3, 10, 1);
  EXPECT_EQ(Mechanism(config).geometry(), Geometry::ball_trace);
  config.second = SecondMoment::diagonal;
  EXPECT_EQ(Mechanism(config).geometry(), Geometry::ball_trace);
  config.unit_box = true;  // squares alone: the box, whose corners the bound cuts off, is no better
  EXPECT_EQ(Mechanism(config).geometry(), Geometry::box);
  config.second = SecondMoment::full;
  config.norm_bound = 1;
  EXPECT_EQ(Mechanism(config).geometry(), Geometry::ball_trace);
  config.norm_bound = 2;
  EXPECT_EQ(Mechanism(config).geometry(), Geometry::box);

  const auto geometry_with = [](const auto& change) {
    StreamConfig other = traced(3, 10, 1);
    change(other);
    const Mechanism mechanism(other);
    EXPECT_FALSE(ReleaseLayout::of(mechanism).trace);
    EXPECT_EQ(mechanism.calibration().std_trace, 0);
    EXPECT_EQ(mechanism.calibration().std_diagonal(), mechanism.calibration().std_second);
    return mechanism.geometry();
  };
  EXPECT_EQ(geometry_with([](StreamConfig& c) { c.geometry = Geometry::ball; }), Geometry::ball);
  EXPECT_EQ(geometry_with([](StreamConfig& c) { c.dimension = 1; }), Geometry::ball);
  EXPECT_EQ(geometry_with([](StreamConfig& c) { c.second = SecondMoment::none; }), Geometry::ball);
  EXPECT_EQ(geometry_with([](StreamConfig& c) { c.private_count = true; }), Geometry::ball);
  EXPECT_EQ(geometry_with([](StreamConfig& c) { c.lambda = 1; }), Geometry::ball);
  EXPECT_EQ(geometry_with([](StreamConfig& c) { c.balance = 1; }), Geometry::ball);
  for (const Method method : {Method::lambda_jme, Method::ime, Method::cs, Method::pp, Method::pp_debiased}) {
    EXPECT_EQ(geometry_with([&](StreamConfig& c) { c.method = method; }), Geometry::ball);
  }
  EXPECT_EQ(geometry_with([](StreamConfig& c) {
              c.adjacency = Adjacency::add_remove;
              c.lambda = 1;
            }),
            Geometry::ball);
}

TEST(TraceStream, IsRefusedWhereItIsAskedForAndNotProved) {
  StreamConfig config = traced(3, 10, 1);
  config.geometry = Geometry::ball_trace;
  EXPECT_NO_THROW(Mechanism{config});
  config.private_count = true;
  EXPECT_THROW(Mechanism{config}, InvalidParameter);
  config.private_count = false;
  config.lambda = 1;
  config.adjacency = Adjacency::add_remove;
  EXPECT_THROW(Mechanism{config}, InvalidParameter);
  config.adjacency = Adjacency::replace_one;
  for (const Method method : {Method::ime, Method::cs, Method::pp}) {
    config.method = method;
    EXPECT_THROW(Mechanism{config}, InvalidParameter);
  }
}

TEST(TraceStream, GivesTheSameReleasesByRowsInBulkAndAsBlocks) {
  constexpr std::size_t total = 23, d = 3;
  for (const std::size_t every : {1U, 5U}) {
    for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
      StreamConfig config = traced(d, total, every);
      config.second = second;
      const Mechanism mechanism(config);
      ASSERT_TRUE(ReleaseLayout::of(mechanism).trace);
      const std::vector<double> numbers = normal_rows(total * d);
      const MatrixView rows = MatrixView::of_rows(numbers, d);
      MomentStream by_row(mechanism, InsecureTestSeed{4}), bulk(mechanism, InsecureTestSeed{4}),
          by_block(mechanism, InsecureTestSeed{4});
      Releases expected(ReleaseLayout::of(mechanism));
      for (std::size_t r = 0; r < total; ++r) {
        const Release& release = by_row.push(std::span(numbers).subspan(d * r, d));
        if (release.is_new()) expected.append(release);
      }
      bulk.push_rows(rows);
      for (std::size_t done = 0; done < total; done += every) {
        BlockSum block(RowMap::of(mechanism));
        block.add_rows(rows.part(done, std::min(every, total - done)));
        by_block.push_block(BlockSum::from_bytes(block.bytes(), RowMap::of(mechanism)));
      }
      const Releases a = bulk.take_releases(), b = by_block.take_releases();
      ASSERT_EQ(a.size(), expected.size());
      ASSERT_EQ(b.size(), expected.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].packed(), expected[i].packed());
        EXPECT_EQ(b[i].packed(), expected[i].packed());
      }
    }
  }
}

// The correction undone, entries and trace are whole numbers of lattice units: what was corrected had no
// digits of the rows that noise does not cover.
TEST(TraceStream, CorrectsLatticePointsByLeastSquares) {
  for (const Workload& workload : {prefix(), decay(0.9)}) {
    for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
      StreamConfig config = traced(3, 8, 4);
      config.norm_bound = 1;
      config.workload = workload;
      config.second = second;
      config.shape = Shape::square_root();
      const Mechanism mechanism(config);
      MomentStream stream(mechanism, InsecureTestSeed{8});
      for (const double x : {0.1, -1 / 3.0, 0.7, 1e-9}) stream.push(std::vector<double>{x, 0.2 - x, 0.3});
      const Release& release = stream.release();
      ASSERT_TRUE(release.is_new() && release.trace());
      const double share = mechanism.calibration().trace_share, trace = *release.trace();
      EXPECT_EQ(trace * 0x1p20, std::floor(trace * 0x1p20));
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i) sum += release.second()[diagonal_index(release.layout(), i)];
      const double drawn = (sum - 3 * share * trace) / (1 - 3 * share);
      const double v = std::pow(mechanism.calibration().std_second, 2),
                   vt = std::pow(mechanism.calibration().std_trace, 2);
      EXPECT_NEAR(share, v / (vt + 3 * v), 1e-12);
      for (std::size_t i = 0; i < 3; ++i) {
        const double entry =
            (release.second()[diagonal_index(release.layout(), i)] - share * (trace - drawn)) * 0x1p20;
        EXPECT_NEAR(entry, std::round(entry), 1e-6);
      }
      if (second == SecondMoment::full) {
        for (const std::size_t k : {1U, 2U, 4U}) {
          EXPECT_EQ(release.second()[k] * 0x1p20, std::floor(release.second()[k] * 0x1p20));
        }
      }
    }
  }
}

// The mean of n squares of independent standard normals has variance 2/n. Beyond 6.2 of its standard
// deviations is a false alarm in 6e-10 cases. With n = 4000 that is 0.139; noise 10% too small gives 0.81.
TEST(TraceStream, CarriesTheStatedNoiseOnEveryDirectionOfTheDiagonalAndTheTestHasPower) {
  constexpr std::size_t d = 3, every = 5, steps = 3, streams = 4000;
  for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
    StreamConfig config = traced(d, every * steps, every);
    config.second = second;
    config.shape = Shape::parse("scaled-blt:2", "shape");
    const Mechanism mechanism(config);
    // Zero rows: all of a release is noise.
    const std::vector<double> numbers(every * steps * d, 0.0);
    enum { entry, difference, trace, released_trace, off_diagonal, kinds };
    std::array<double, kinds> sums{};
    double product = 0, variance = 0, covariance = 0;
    for (std::uint64_t seed = 0; seed < streams; ++seed) {
      MomentStream stream(mechanism, InsecureTestSeed{seed});
      stream.push_rows(MatrixView::of_rows(numbers, d));
      const Release& release = stream.release();
      std::array<double, d> e{};
      for (std::size_t i = 0; i < d; ++i) e[i] = release.second()[diagonal_index(release.layout(), i)];
      variance = std::pow(release.std_second(), 2);
      covariance = release.diagonal_covariance();
      sums[entry] += e[0] * e[0] / variance;
      sums[difference] += std::pow(e[0] - e[1], 2) / (2 * (variance - covariance));
      sums[trace] += std::pow(e[0] + e[1] + e[2], 2) / (d * variance + d * (d - 1) * covariance);
      sums[released_trace] +=
          std::pow(*release.trace(), 2) /
          ((variance - covariance) *
           std::pow(mechanism.calibration().std_trace / mechanism.calibration().std_second, 2));
      if (second == SecondMoment::full) {
        sums[off_diagonal] += std::pow(release.second()[1] / release.std_off_diagonal(), 2);
      }
      product += e[0] * e[1];
    }
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (kind == off_diagonal && second != SecondMoment::full) continue;
      const double mean = sums[kind] / streams, limit = 6.2 * std::sqrt(2.0 / streams);
      EXPECT_LT(std::abs(mean - 1), limit) << kind;
      EXPECT_GT(std::abs(0.81 * mean - 1), limit) << kind;
    }
    // e0 e1 has variance vv + cc; its sum over 4000 runs is nearly normal, and 7 leaves room for its tails.
    const double limit = 7 * std::sqrt((variance * variance + covariance * covariance) / streams);
    EXPECT_LT(std::abs(product / streams - covariance), limit);
    EXPECT_GT(std::abs(product / streams), limit) << "independent entries must be told from these";
  }
}

TEST(TraceStream, HasTheStandardDeviationsOfItsTheorem) {
  for (const std::size_t d : {2U, 5U, 20U}) {
    StreamConfig config = traced(d, 10, 1);
    const auto width = static_cast<double>(d);
    const double z2 = config.norm_bound * config.norm_bound;
    const Calibration noise = Mechanism(config).calibration();
    config.geometry = Geometry::ball;
    const Calibration ball = Mechanism(config).calibration();
    // The same noise but for the slack of one more rounding.
    EXPECT_GE(noise.std_first, ball.std_first);
    EXPECT_LE(noise.std_first, ball.std_first * (1 + 1e-6));
    EXPECT_NEAR(noise.std_second / ball.std_second, 1, 1e-6);
    const double v1 = noise.std_first * noise.std_first;
    const double tau = ((11 + 5 * std::sqrt(5.0)) / 8 - 0.5) / z2;
    EXPECT_NEAR(noise.std_trace * noise.std_trace * tau / v1, 1, 1e-9);
    const double variance = std::pow(noise.std_second, 2);
    const double of_trace = width * variance * (1 - width * noise.trace_share);
    EXPECT_NEAR(of_trace / v1, width * z2 / (tau * z2 * width + 0.5), 1e-9 * z2);
    EXPECT_LT(noise.std_diagonal(), noise.std_second);
  }
}

}  // namespace
}  // namespace jme::trace_stream_tests
