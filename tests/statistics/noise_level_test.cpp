// The standard deviations printed beside every release against theory's, and against repetitions.
#include <cmath>

#include <gtest/gtest.h>

#include <jme/moments/moment_stream.hpp>
#include <jme/theory/expected_error.hpp>

#include "statistics/oracle.hpp"

namespace jme {
namespace {

StreamConfig config_for(Method method, const Workload& workload) {
  return {.budget = {.sigma = 0.7},
          .rows = 23,
          .every = 5,
          .dimension = 2,
          .norm_bound = 1.5,
          .workload = workload,
          .method = method,
          .shape = Shape::blt({.poles = {0.95, 0.6}, .zeros = {0.8, 0.3}})};
}

std::vector<Release> releases(const Mechanism& mechanism, std::size_t rows, std::uint64_t seed) {
  MomentStream stream(mechanism, InsecureTestSeed{seed});
  const Eigen::MatrixXd x =
      oracle::alternating_stream(rows, mechanism.config().dimension, mechanism.config().norm_bound);
  std::vector<Release> result;
  std::vector<double> row(mechanism.config().dimension);
  for (Eigen::Index t = 0; t < x.rows(); ++t) {
    Eigen::Map<Eigen::RowVectorXd>(row.data(), x.cols()) = x.row(t);
    if (const Release& release = stream.push(row); release.is_new()) result.push_back(release);
  }
  if (const Release& release = stream.finish(); release.is_new()) result.push_back(release);
  return result;
}

TEST(NoiseLevel, IsTheoryForEveryReleaseIncludingThePlannedPartialLastOne) {
  for (const Workload& workload : {prefix(), mean(), decay(0.9), window(10)}) {
    const Mechanism mechanism(config_for(Method::jme, workload));
    const ReleaseVariance variance = release_variance(mechanism);
    const auto got = releases(mechanism, 23, 1);
    ASSERT_EQ(got.size(), 5U);
    for (std::size_t b = 0; b < got.size(); ++b) {
      EXPECT_NEAR(got[b].std_first() / std::sqrt(variance.first[b]), 1, 1e-9) << workload.name() << " " << b;
      EXPECT_NEAR(got[b].std_second() / std::sqrt(variance.second[b]), 1, 1e-9)
          << workload.name() << " " << b;
    }
  }
}

TEST(NoiseLevel, OfAStreamThatEndsEarlyIsTheOneOfAHorizonThatEndsThere) {
  // Same leading blocks of C: only the closing row differs. Identity shape, so that C does not depend on the
  // horizon.
  for (const Method method : {Method::jme, Method::pp_debiased}) {
    for (const Workload& workload : {prefix(), mean(), decay(0.9), window(10)}) {
      StreamConfig config = config_for(method, workload);
      config.shape = Shape::identity();
      const auto early = releases(Mechanism(config), 12, 1);
      config.rows = 12;
      const auto planned = releases(Mechanism(config), 12, 1);
      ASSERT_EQ(early.size(), planned.size());
      EXPECT_NEAR(early.back().std_first() / planned.back().std_first(), 1, 1e-9) << workload.name();
      EXPECT_NEAR(early.back().std_second() / planned.back().std_second(), 1, 1e-9) << workload.name();
      EXPECT_EQ(early.back().weight_first(), planned.back().weight_first()) << workload.name();
      EXPECT_NEAR(early.back().first()[0], planned.back().first()[0], 1e-9) << workload.name();
    }
  }
}

TEST(NoiseLevel, OfPpBoundsTheSpreadOverRepetitions) {
  for (const Workload& workload : {prefix(), window(10)}) {
    const Mechanism mechanism(config_for(Method::pp_debiased, workload));
    constexpr std::size_t runs = 3000;
    double sum = 0, squares = 0, first_squares = 0, first_sum = 0;
    for (std::size_t r = 0; r < runs; ++r) {
      const Release last = releases(mechanism, 23, r).back();
      sum += last.second()[0];
      squares += last.second()[0] * last.second()[0];
      first_sum += last.first()[1];
      first_squares += last.first()[1] * last.first()[1];
    }
    const auto deviation = [](double s, double s2) { return std::sqrt(s2 / runs - (s / runs) * (s / runs)); };
    const Release last = releases(mechanism, 23, 0).back();
    // 3000 runs: a standard deviation to 1.3%; seven of them.
    EXPECT_NEAR(deviation(first_sum, first_squares) / last.std_first(), 1, 0.1) << workload.name();
    EXPECT_LE(deviation(sum, squares), 1.1 * last.std_second()) << workload.name();
  }
}

}  // namespace
}  // namespace jme
