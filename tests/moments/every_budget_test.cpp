#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/privacy/gaussian.hpp>

namespace jme {
namespace {

struct Length {
  std::size_t steps;  ///< 0: unbounded
  std::string name;
};

/// What paying for rounding errors costs is sigma times the root of the number of draws times a number of the
/// shape. At most a tenth of a percent, but for these long and wide runs at small budgets, where it is
/// printed and bounded by what is paid today.
double most_percent(const Workload& workload, std::size_t steps, std::size_t dimension, double epsilon) {
  const bool sums = workload.kind() == Workload::Kind::prefix;
  const auto small = [&](std::initializer_list<double> percents) {  // at 1e-4, 1e-3, ...
    double at = 1e-4;
    for (const double percent : percents) {
      if (epsilon <= at * 1.01) return percent;
      at *= 10;
    }
    return 0.1;
  };
  if (steps == 0) {  // paid in advance for 2^26 releases
    switch (dimension) {
      case 1:
        return sums ? small({3, 0.4}) : small({0.3});
      case 10:
        return sums ? small({20, 2.5, 0.3}) : small({1.5, 0.2});
      case 60:
        return sums ? small({600, 15, 1.6, 0.2}) : small({8, 1.1, 0.15});
      default:
        return sums ? small({0, 0, 40, 3.5, 0.4}) : small({0, 25, 2.5, 0.3});
    }
  }
  if (steps == 100'000 && dimension == 60) return sums ? small({0.2}) : 0.1;
  if (steps == 100'000 && dimension == 1000) return sums ? small({3.1, 0.43}) : small({1.2, 0.2});
  if (steps == 1'000'000 && dimension == 10) return sums ? small({0.38}) : small({0.2});
  if (steps == 1'000'000 && dimension == 60) return sums ? small({2.0, 0.29}) : small({1.1, 0.15});
  if (steps == 1'000'000 && dimension == 1000) return sums ? small({49, 4.7, 0.59}) : small({20, 2.5, 0.3});
  return 0.1;
}

/// The three cells whose rounding errors are more than the budget: a thousand columns with all their products
/// over 2^26 releases.
bool is_beyond(const Workload& workload, std::size_t steps, std::size_t dimension, double epsilon) {
  return steps == 0 && dimension == 1000 &&
         epsilon <= (workload.kind() == Workload::Kind::prefix ? 1e-3 : 1e-4);
}

// Every other budget from 1e-4 to 20 can be had at every length and width, and what exact noise costs is
// printed.
TEST(EveryBudget, CostsAtMostATenthOfAPercentButForTheLongestAndWidestRuns) {
  const std::vector<double> budgets{1e-4, 1e-3, 1e-2, 0.1, 1, 8, 20};
  const std::vector<Length> lengths{{1, "1"},         {100, "100"},       {1000, "1e3"},
                                    {100'000, "1e5"}, {1'000'000, "1e6"}, {0, "unbounded"}};
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
                                    .unbounded = length.steps == 0,
                                    .dimension = dimension,
                                    .norm_bound = 1,
                                    .workload = workload};
          if (is_beyond(workload, length.steps, dimension, epsilon)) {
            std::printf("  %-10s", "refused");
            EXPECT_THROW(Mechanism{config}, InvalidParameter);
            continue;
          }
          const Mechanism mechanism(config);
          std::printf("  %-10.2g", 100 * mechanism.sampler_cost());
          EXPECT_LE(100 * mechanism.sampler_cost(), most_percent(workload, length.steps, dimension, epsilon))
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
