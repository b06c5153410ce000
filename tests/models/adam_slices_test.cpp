#include <algorithm>
#include <barrier>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/models/adam.hpp>

namespace jme {
namespace {

BatchConfig slices_config(BatchMethod method, std::size_t dimension) {
  return {.budget = {.sigma = 0.3},
          .steps = 40,
          .dimension = dimension,
          .norm_bound = 1,
          .method = method,
          .batch = 4,
          .participation = Participation{}};
}
std::span<const float> squares_of(const std::vector<float>& s, BatchMethod method) {
  return takes_squares(method) ? std::span<const float>(s) : std::span<const float>{};
}

/// Adds up vectors of several threads, as processes would: in their order, the same bits for each.
class Meeting {
 public:
  explicit Meeting(std::ptrdiff_t members) : barrier_(members) {}
  void add_up(std::size_t member, std::span<double> numbers) {
    {
      const std::scoped_lock lock(mutex_);
      given_[member].assign(numbers.begin(), numbers.end());
    }
    barrier_.arrive_and_wait();
    std::fill(numbers.begin(), numbers.end(), 0.0);
    for (const auto& [number, vector] : given_) {
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += vector[i];
    }
    barrier_.arrive_and_wait();
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<double>> given_;
  std::barrier<> barrier_;
};

TEST(AdamOfSeveralProcesses, HasTheParametersOfOneBitForBit) {
  constexpr std::size_t width = 9'000, parts = 4;  // the last one has no coordinate
  std::vector<float> g(width), s(width);
  for (std::size_t i = 0; i < width; ++i) {
    g[i] = 0.03F * std::sin(static_cast<float>(3 * i));
    s[i] = 0.01F * g[i] * g[i];
  }
  for (BatchMethod method : {BatchMethod::jme, BatchMethod::pp_debiased}) {
    for (std::optional<double> update_norm : {std::optional<double>{}, std::optional<double>{5.0}}) {
      BatchConfig batch = slices_config(method, width);
      batch.shape = Shape::blt(2);
      if (method == BatchMethod::jme)
        batch.square_clip = {{.count = 5'000, .bound = 0.5}, {.count = 4'000, .bound = 0.1}};
      const AdamSettings settings{.noise_floor = 1, .update_norm = update_norm};
      Adam whole(batch, settings, InsecureTestSeed{4});
      std::vector<float> expected(width, 1.0F), found = expected;
      for (int t = 0; t < 3; ++t) whole.step(expected, g, squares_of(s, method), 4);
      Meeting meeting(parts);
      const auto train = [&](std::size_t part) {
        const CoordinateSlice slice = CoordinateSlice::of(width, part, parts);
        Adam adam(batch, settings,
                  AdamShare{.noise = {InsecureTestSeed{4}.key(), Nonce{}, slice},
                            .add_up = [&](std::span<double> numbers) { meeting.add_up(part, numbers); }});
        const auto own = [&](std::span<const float> all) {
          return all.empty() ? all : all.subspan(slice.begin, slice.count);
        };
        for (int t = 0; t < 3; ++t)
          adam.step(std::span(found).subspan(slice.begin, slice.count), own(g), own(squares_of(s, method)),
                    4);
        const AdamState state = adam.state(), all = whole.state();
        EXPECT_TRUE(std::ranges::equal(state.first, own(all.first)));
        EXPECT_TRUE(std::ranges::equal(state.second, own(all.second)));
      };
      {
        std::vector<std::jthread> threads;
        for (std::size_t part = 0; part < parts; ++part) threads.emplace_back(train, part);
      }
      EXPECT_EQ(found, expected) << name(method);
    }
  }
}

TEST(AdamOfSeveralProcesses, RefusesTheSumsOfAllTogether) {
  // Each half alone could be a sum of one clipped gradient; both together are longer.
  constexpr std::size_t width = 8'192;
  const BatchConfig batch = slices_config(BatchMethod::pp, width);
  std::vector<float> g(width, 0.9F / 64), parameters(width, 0.0F);
  Meeting meeting(2);
  const auto train = [&](std::size_t part) {
    const CoordinateSlice slice = CoordinateSlice::of(width, part, 2);
    Adam adam(batch, {},
              AdamShare{.noise = {InsecureTestSeed{4}.key(), Nonce{}, slice},
                        .add_up = [&](std::span<double> numbers) { meeting.add_up(part, numbers); }});
    const auto own = std::span(g).subspan(slice.begin, slice.count);
    EXPECT_THROW(adam.step(std::span(parameters).subspan(slice.begin, slice.count), own, {}, 1), DataError);
    EXPECT_EQ(adam.steps_done(), 0U);
    adam.step(std::span(parameters).subspan(slice.begin, slice.count), own, {}, 2);
  };
  std::vector<std::jthread> threads;
  for (std::size_t part = 0; part < 2; ++part) threads.emplace_back(train, part);
}

}  // namespace
}  // namespace jme
