#include <gtest/gtest.h>

#include <array>
#include <jme/random/gaussian_source.hpp>
#include <vector>

#include "random/normality.hpp"

namespace jme {
namespace {

// 1e9 draws. Finds a shift or a scale of 3e-4 in the cells (N 2 s^2 = 180 would pass, 600 would not), and
// counts of the tail to 6 sigma.
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
