#include "random/gaussian_source.hpp"

#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

namespace jme {
namespace {

const Nonce nonce_one = {1};

std::vector<double> draws(const GaussianSource& source, Channel channel, std::uint64_t step,
                          std::uint64_t first, std::size_t count) {
  std::vector<double> out(count);
  source.fill(channel, step, first, out);
  return out;
}

GaussianSource test_source(std::uint64_t seed = 1) {
  return {InsecureTestSeed{seed}.key(), nonce_one};
}

TEST(GaussianSource, DrawDependsOnItsCoordinateAloneWhateverTheSplit) {
  const auto source = test_source();
  constexpr std::size_t count = 2'300;
  const auto whole = draws(source, Channel::first, 9, 0, count);
  for (std::size_t first = 0; first < 23; ++first) {
    for (const std::size_t length :
         {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 15u, 16u, 17u, 33u, 511u, 512u, 513u, 2000u}) {
      const auto part = draws(source, Channel::first, 9, first, length);
      ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first)))
          << first << ' ' << length;
    }
  }
}

TEST(GaussianSource, FillsExactlyTheSpanItIsGiven) {
  const auto source = test_source();
  for (std::size_t length = 0; length < 40; ++length) {
    std::vector<double> out(length + 2, 77.0);
    source.fill(Channel::second, 3, 1, std::span(out).subspan(1, length));
    EXPECT_EQ(out.front(), 77.0);
    EXPECT_EQ(out.back(), 77.0);
  }
}

TEST(GaussianSource, FetchesMemoryForOthersWithoutTouchingItOrTheDraws) {
  const auto source = test_source();
  for (const std::size_t count : {1u, 9u, 512u, 1000u}) {
    // Shorter than what is fetched: advice may reach past the end, and more vectors than fit are left out.
    std::vector<double> vector(count / 2 + 1, 3.0), out(count);
    Upcoming upcoming;
    for (int i = 0; i < 12; ++i) upcoming.add(vector.data());
    source.fill(Channel::first, 9, 5, out, upcoming);
    EXPECT_EQ(out, draws(source, Channel::first, 9, 5, count));
    EXPECT_EQ(vector, std::vector<double>(count / 2 + 1, 3.0));
  }
}

TEST(GaussianSource, WorksAtTheFarEndOfItsRange) {
  const auto source = test_source();
  constexpr std::uint64_t end = std::uint64_t{1} << 56;
  constexpr std::uint64_t last_step = (std::uint64_t{1} << 56) - 1;
  const auto tail = draws(source, Channel::first, last_step, end - 100, 100);
  EXPECT_EQ(draws(source, Channel::first, last_step, end - 1, 1)[0], tail.back());
  EXPECT_THROW(draws(source, Channel::first, last_step, end, 1), InvalidParameter);
  EXPECT_THROW(draws(source, Channel::first, last_step + 1, 0, 1), InvalidParameter);
}

TEST(GaussianSource, GivesTheSameDrawsFromSeveralThreadsAndCopies) {
  const auto source = test_source();
  constexpr std::size_t steps = 64;
  std::vector<std::vector<double>> expected;
  for (std::size_t t = 0; t < steps; ++t) expected.push_back(draws(source, Channel::first, t, 0, 1'001));
  std::vector<std::vector<double>> got(steps);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      const GaussianSource copy = source;
      const GaussianSource& used = k % 2 == 0 ? copy : source;
      for (std::size_t t = steps; t-- > 0;) {
        if (t % 4 == k) got[t] = draws(used, Channel::first, t, 0, 1'001);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(got, expected);
}

TEST(GaussianSource, NeverSharesADrawBetweenChannelsStepsCoordinatesNoncesOrKeys) {
  const auto base = draws(test_source(), Channel::first, 5, 0, 1'000);
  const Nonce other_nonce = {2};
  const std::vector<std::vector<double>> others = {
      draws(test_source(), Channel::second, 5, 0, 1'000),
      draws(test_source(), Channel::first, 6, 0, 1'000),
      draws(test_source(), Channel::first, 5 + (std::uint64_t{1} << 48), 0, 1'000),
      draws(test_source(), Channel::first, 5, 1'000, 1'000),
      draws(test_source(), Channel::first, 5, std::uint64_t{1} << 55, 1'000),
      draws({InsecureTestSeed{1}.key(), other_nonce}, Channel::first, 5, 0, 1'000),
      draws(test_source(2), Channel::first, 5, 0, 1'000),
  };
  // Independent doubles agree somewhere with probability below 1e6 2^-50.
  for (const auto& other : others) {
    for (const double x : other) ASSERT_EQ(std::count(base.begin(), base.end(), x), 0);
  }
}

}  // namespace
}  // namespace jme
