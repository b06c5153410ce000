#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <jme/moments/moment_stream.hpp>
#include <jme/privacy/gaussian.hpp>

namespace jme {
namespace {

struct Length {
  std::optional<std::size_t> steps;  ///< unless it is unbounded
  std::string name;
};

/// A thousand columns with all their products over 2^26 releases, paid in advance, at the smallest budget.
bool is_largest(const Length& length, std::size_t dimension, double epsilon) {
  return !length.steps && dimension == 1000 && epsilon < 2e-4;
}

// Every budget from 1e-4 to 20 is possible at every length and width, and the cost of exact noise is printed.
TEST(SlowEveryBudget, CostsAtMostATenthOfAPercentOfTheNoise) {
  const std::vector<double> budgets{1e-4, 1e-3, 1e-2, 0.1, 1, 8, 20};
  const std::vector<Length> lengths{{1, "1"},         {100, "100"},       {1000, "1e3"},
                                    {100'000, "1e5"}, {1'000'000, "1e6"}, {std::nullopt, "unbounded"}};
  for (const Workload& workload : {prefix(), mean()}) {
    std::printf("%s: extra noise in percent\n%-20s", workload.name().c_str(), "steps, columns");
    for (const double epsilon : budgets) std::printf("  eps %-6g", epsilon);
    std::printf("\n");
    for (const Length& length : lengths) {
      for (const std::size_t dimension : {1ul, 10ul, 60ul, 1000ul}) {
        std::printf("%-12s %5zu  ", length.name.c_str(), dimension);
        for (const double epsilon : budgets) {
          const StreamConfig config{.budget = {.epsilon = epsilon, .delta = 1e-6},
                                    .steps = length.steps,
                                    .unbounded = !length.steps,
                                    .dimension = dimension,
                                    .norm_bound = 1,
                                    .workload = workload};
          const Mechanism mechanism(config);
          std::printf("  %-10.2g", 100 * mechanism.sampler_cost());
          EXPECT_LE(100 * mechanism.sampler_cost(), is_largest(length, dimension, epsilon) ? 0.3 : 0.1)
              << workload.name() << " " << length.name << " " << dimension << " " << epsilon;
          EXPECT_LE(gdp_epsilon(mechanism.mu(), 1e-6, mechanism.bad_past()), epsilon * (1 + 1e-9));
          // It runs: a few rows, of as many columns as a test can afford.
          if (dimension > 60) continue;
          MomentStream stream(mechanism);
          const std::vector<double> row(dimension, 0.1);
          for (std::size_t t = 0; t < std::min<std::size_t>(3, mechanism.horizon().rows()); ++t) {
            EXPECT_TRUE(stream.push(row).is_new());
          }
        }
        std::printf("\n");
      }
    }
  }
}

}  // namespace
}  // namespace jme
