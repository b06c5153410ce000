// A stream's numbers depend on its seed and rows alone: not on the number of threads, nor on the processor.
#include <cmath>
#include <random>
#include <vector>

#include <cblas.h>
#include <gtest/gtest.h>

#include <jme/moments/moment_stream.hpp>

#include "random/simd_targets.hpp"

namespace jme {
namespace {

std::vector<std::vector<double>> random_rows(std::size_t count, std::size_t dimension) {
  std::mt19937_64 bits(8);
  std::normal_distribution<double> normal(0, 1 / std::sqrt(static_cast<double>(dimension)));
  std::vector<std::vector<double>> rows(count, std::vector<double>(dimension));
  for (auto& row : rows) {
    for (double& value : row) value = normal(bits);
  }
  return rows;
}

std::vector<double> releases(const StreamConfig& config) {
  MomentStream stream(Mechanism(config), InsecureTestSeed{5});
  std::vector<double> all;
  for (const auto& row : random_rows(*config.rows, config.dimension)) {
    const Release& release = stream.push(row);
    if (!release.is_new()) continue;
    all.insert(all.end(), release.first().begin(), release.first().end());
    all.insert(all.end(), release.second().begin(), release.second().end());
  }
  return all;
}

std::vector<StreamConfig> configs(std::size_t dimension, std::size_t rows) {
  const BltParameters blt{.poles = {.95, .6}, .zeros = {.8, .3}};
  const StreamConfig base{.budget = {.sigma = 1.0},
                          .rows = rows,
                          .dimension = dimension,
                          .norm_bound = 1.0,
                          .workload = prefix()};
  std::vector<StreamConfig> all(6, base);
  all[0].shape = Shape::scaled_blt({.blt = blt, .start_offset = 0.5, .start_power = -0.3});
  all[1].shape = Shape::banded(3);
  all[1].workload = mean();
  all[2].shape = Shape::blt(blt);
  all[2].workload = decay(0.9);
  all[2].every = 2;  // real sums inside a block
  all[3].shape = Shape::square_root();
  all[3].every = 3;
  all[4].method = Method::pp_debiased;
  all[4].shape = Shape::identity();
  all[4].every = 2;
  all[5].second = SecondMoment::diagonal;
  all[5].workload = window(2);
  return all;
}

// 45,150 coordinates: room for two threads and two strips of the block's sum.
TEST(Engine, GivesTheSameBitsForEveryNumberOfThreads) {
  for (StreamConfig config : configs(300, 6)) {
    config.threads = 1;
    const std::vector<double> expected = releases(config);
    for (const unsigned threads : {0U, 2U, 3U, 7U}) {
      config.threads = threads;
      EXPECT_EQ(releases(config), expected) << config.workload.name() << " threads " << threads;
    }
  }
}

TEST(Engine, GivesTheSameBitsForThreeThreadsAndMore) {
  StreamConfig config = configs(600, 3)[0];
  config.threads = 1;
  const std::vector<double> expected = releases(config);
  for (const unsigned threads : {3U, 8U}) {
    config.threads = threads;
    EXPECT_EQ(releases(config), expected);
  }
}

TEST(Engine, GivesTheSameBitsOnEverySimdTarget) {
  for (const StreamConfig& config : configs(41, 10)) {
    const std::vector<double> expected = releases(config);
    for (const std::int64_t target : simd_targets()) {
      const OnlyTarget only(target);
      EXPECT_EQ(releases(config), expected) << config.workload.name() << " " << hwy::TargetName(target);
    }
  }
}

TEST(Engine, LeavesTheThreadsOfOpenBlasAsTheyWere) {
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  StreamConfig config = configs(300, 6)[3];
  config.threads = 2;
  (void)releases(config);
  EXPECT_EQ(openblas_get_num_threads(), 2);
  openblas_set_num_threads(before);
}

}  // namespace
}  // namespace jme
