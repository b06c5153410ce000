#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/training/batch_sampler.hpp>

namespace jme {
namespace {

// Every test statistic below is a sum of very many bounded independent terms; by Bernstein's inequality it is
// further than 7 standard deviations from its mean with probability below 1e-9 at these sizes. Seeds are
// fixed.
constexpr double deviations = 7;

TEST(BatchSampler, EveryExampleIsInEveryBatchWithTheSameProbability) {
  constexpr std::size_t examples = 500, batches = 20'000;
  for (const double q : {0.02, 0.5}) {
    const BatchSampler sampler(examples, q, InsecureTestSeed{11});
    std::vector<double> counts(examples, 0);
    double sizes = 0, squared_sizes = 0;
    for (std::size_t step = 0; step < batches; ++step) {
      const auto chosen = sampler.draw(step);
      for (const std::uint32_t example : chosen) counts.at(example) += 1;
      const double excess = static_cast<double>(chosen.size()) - examples * q;
      sizes += excess;
      squared_sizes += excess * excess;
    }
    const double variance = batches * q * (1 - q);
    for (const double count : counts) EXPECT_NEAR(count, batches * q, deviations * std::sqrt(variance));
    // Independent of each other: sizes of batches have the binomial's mean and variance, whose own relative
    // standard deviation is near sqrt(2 / batches). A fixed batch size would give 0, pairs that come together
    // twice as much.
    EXPECT_NEAR(sizes, 0, deviations * std::sqrt(examples * variance));
    EXPECT_NEAR(squared_sizes / (examples * variance), 1, deviations * std::sqrt(2.1 / batches));
  }
}

TEST(BatchSampler, BatchesOfDifferentStepsAreIndependent) {
  constexpr std::size_t examples = 2000, batches = 2000;
  constexpr double q = 0.1;
  const BatchSampler sampler(examples, q, InsecureTestSeed{12});
  double common = 0;
  std::vector<std::uint32_t> before = sampler.draw(0);
  for (std::size_t step = 1; step <= batches; ++step) {
    const auto chosen = sampler.draw(step);
    std::vector<std::uint32_t> both;
    std::set_intersection(before.begin(), before.end(), chosen.begin(), chosen.end(),
                          std::back_inserter(both));
    common += static_cast<double>(both.size());
    before = chosen;
  }
  // Overlaps of neighbouring pairs of steps share a batch: their variance is at most three times the
  // binomial's.
  EXPECT_NEAR(common, examples * batches * q * q, deviations * std::sqrt(3.0 * examples * batches * q * q));
}

TEST(BatchSampler, ABatchIsAFunctionOfKeyAndStepAlone) {
  const BatchSampler sampler(1000, 0.1, InsecureTestSeed{1}), same(1000, 0.1, InsecureTestSeed{1});
  const BatchSampler other(1000, 0.1, InsecureTestSeed{2});
  const auto fifth = sampler.draw(5);
  static_cast<void>(sampler.draw(6));
  EXPECT_EQ(sampler.draw(5), fifth);
  EXPECT_EQ(same.draw(5), fifth);
  EXPECT_NE(sampler.draw(6), fifth);
  EXPECT_NE(other.draw(5), fifth);
}

TEST(BatchSampler, SystemKeysAreDifferentEachTime) {
  // 2000 examples at 1/2: equal with probability 2^-2000.
  EXPECT_NE(BatchSampler(2000, 0.5).draw(0), BatchSampler(2000, 0.5).draw(0));
}

TEST(BatchSampler, RatesNearZeroAndOneAreTakenAndOthersRefused) {
  EXPECT_TRUE(BatchSampler(1000, 1e-18, InsecureTestSeed{1}).draw(0).empty());
  EXPECT_EQ(BatchSampler(1000, 1 - 0x1p-53, InsecureTestSeed{1}).draw(0).size(), 1000U);
  for (const double q : {0.0, 1.0, -0.1, 1.5, std::nan("")})
    EXPECT_THROW(BatchSampler(10, q), InvalidParameter);
  EXPECT_THROW(BatchSampler(0, 0.5), InvalidParameter);
}

TEST(LargestBatch, IsExceededWithProbabilityTwoToTheMinusEighty) {
  struct Case {
    std::size_t examples;
    double q;
  };
  for (const Case& setting :
       {Case{50'000, 256.0 / 50'000}, {50'000, 1.0 / 50'000}, {60'000, 1024.0 / 60'000}, {100, 0.5}}) {
    const std::size_t examples = setting.examples;
    const double q = setting.q;
    const auto n = static_cast<double>(examples);
    // log P(Binomial >= k) from its largest term and the ratio of neighbouring ones, which falls.
    const auto log_tail = [&](double k) {
      const double term = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(q) +
                          (n - k) * std::log1p(-q);
      return term - std::log1p(-(n - k) / (k + 1) * q / (1 - q));
    };
    const auto k = static_cast<double>(largest_batch(examples, q));
    const double limit = -80 * std::log(2.0);
    if (k < n) {
      EXPECT_LE(log_tail(k), limit) << examples << ' ' << q;
    }
    // Chernoff's bound is loose by a factor of some standard deviations, not more: a tenth less is not
    // enough.
    const double less = n * q + 0.9 * (k - n * q);
    EXPECT_GT(std::lgamma(n + 1) - std::lgamma(less + 1) - std::lgamma(n - less + 1) + less * std::log(q) +
                  (n - less) * std::log1p(-q),
              limit);
  }
}

}  // namespace
}  // namespace jme
