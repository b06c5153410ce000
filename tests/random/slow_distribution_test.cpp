#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "random/gaussian_source.hpp"
#include "random/normality.hpp"

namespace jme {
namespace {

// 1e9 draws. A scale wrong by 0.1% adds 2 N 1e-6 = 2000 to a statistic of 4095 +- 90; the threshold is 4731.
TEST(SlowDistribution, OfABillionDrawsIsNormal) {
  constexpr std::size_t chunk = 1'000'000;
  constexpr std::size_t chunks = 1'000;
  const GaussianSource source(InsecureTestSeed{3}.key(), Nonce{});
  std::vector<double> z(chunk);
  std::vector<double> cells(4096, 0.0);
  const std::array<double, 4> levels = {3, 4, 5, 6};
  std::array<double, 4> beyond{};
  for (std::size_t step = 0; step < chunks; ++step) {
    source.fill(Channel::second, step, 0, z);
    for (const double x : z) cells[cell(x, cells.size())] += 1;
    for (std::size_t i = 0; i < levels.size(); ++i) beyond[i] += tail_count(z, levels[i]);
  }
  EXPECT_TRUE(cells_are_equiprobable(cells));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_TRUE(tail_count_is_normal(beyond[i], static_cast<double>(chunk * chunks), levels[i])) << levels[i];
  }
}

}  // namespace
}  // namespace jme
