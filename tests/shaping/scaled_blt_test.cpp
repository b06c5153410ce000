#include <cmath>
#include <string>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>

#include "filter/norms.hpp"
#include "shaping/coordinates.hpp"
#include "shaping/optimal_rmse.hpp"
#include "shaping/optimise.hpp"
#include "shaping/scaled_blt_table.hpp"

namespace jme::shaping {
namespace {

double rmse_of(const Workload& workload, const Horizon& horizon, std::size_t buffers) {
  return shape_quality(workload.filter(horizon), Shape::scaled_blt(buffers).filter(workload, horizon)).rmse;
}

TEST(ScaledBlt, IsWithinATenthOfAPercentOfTheOptimumWithFourVectorsOfState) {
  for (const OptimalRmse& entry : optimal_rmse) {
    if (entry.workload.kind() == Workload::Kind::window) continue;
    const Horizon horizon(entry.steps);
    const Shape choice = choose_shape(entry.workload, horizon, Objective::rmse, state_limit(4, 1));
    EXPECT_EQ(choice.name(), "scaled-blt:4") << entry.workload.name();
    const ShapeQuality quality =
        shape_quality(entry.workload.filter(horizon), choice.filter(entry.workload, horizon));
    EXPECT_EQ(quality.state_vectors, 4u);
    EXPECT_LE(quality.rmse, 1.001 * entry.rmse) << entry.workload.name() << " " << entry.steps;
  }
}

TEST(ScaledBlt, ReachesTheDesignsTable) {
  struct Row {
    Workload workload;
    std::size_t buffers;
    double at_100, at_1000;
  };
  for (const Row& row : {Row{prefix(), 4, 1.0003, 1.0005}, Row{decay(0.9), 4, 1.0000, 1.0000},
                         Row{mean(), 4, 1.0002, 1.0001}, Row{prefix(), 2, 1.0011, 1.0113},
                         Row{decay(0.9), 2, 1.0001, 1.0000}, Row{mean(), 2, 1.0002, 1.0006}}) {
    for (const std::size_t n : {100ul, 1000ul}) {
      const double printed = n == 100 ? row.at_100 : row.at_1000;
      // Half a unit of the last digit, the optimum's own 1e-5, and 2e-5 for interpolation; a smaller value is
      // fine.
      EXPECT_LE(rmse_of(row.workload, Horizon(n), row.buffers) / optimum_of(row.workload, n), printed + 8e-5)
          << row.workload.name() << " " << row.buffers << " " << n;
    }
  }
}

TEST(ScaledBlt, ForAMillionPrefixSumsHasTheDesignsError) {
  EXPECT_LE(rmse_of(prefix(), Horizon(1'000'000), 5), 5.15);
  EXPECT_LE(rmse_of(prefix(), Horizon(1'000'000, 1000), 4), 2.955);  // docs/theory/blocks.md#what-it-gains
}

TEST(ScaledBlt, OfBlocksIsThatOfTheSteps) {
  const double blocks = rmse_of(decay(0.99), Horizon(1000, 10), 4);
  EXPECT_NEAR(blocks, rmse_of(decay(std::pow(0.99, 10)), Horizon(100), 4), 1e-9);
}

TEST(ScaledBltTable, IsAsGoodBetweenItsNodesAsOptimisingThere) {
  // Half way between nodes in both directions, where interpolation is worst.
  for (const std::size_t buffers : {1ul, 2ul, 3ul, 4ul, 5ul, 6ul}) {
    for (const double fading : {0.0, 0.2, 2.3, 22.0, 90.0}) {
      for (const std::size_t n : {500ul, 2000ul}) {
        const double ceiling = std::exp(-fading / static_cast<double>(n));
        const ScaledBltProblem problem{.steps = n, .decay = ceiling};
        const std::vector<double> x =
            tabulated_scaled_blt(ScaledBltTable::rmse, buffers, static_cast<double>(n), fading);
        std::vector<double> gradient(x.size());
        const double tabulated = scaled_blt_log_loss(problem, x, gradient);
        const Minimum optimum = optimise_scaled_blt(problem, buffers, x, {.max_iterations = 60});
        // Loss is twice the log of the rmse: 2e-5 of rmse.
        EXPECT_LE(tabulated - optimum.value, 4e-5) << buffers << " buffers, fading " << fading << ", n " << n;
      }
    }
  }
}

TEST(ScaledBltTable, OfTheMeanIsAsGoodBetweenItsNodes) {
  for (const std::size_t buffers : {1ul, 2ul, 3ul, 4ul, 5ul, 6ul}) {
    const ScaledBltProblem problem{.steps = 2000, .mean = true};
    const std::vector<double> x = tabulated_scaled_blt(ScaledBltTable::mean, buffers, 2000, 0);
    std::vector<double> gradient(x.size());
    const double tabulated = scaled_blt_log_loss(problem, x, gradient);
    EXPECT_LE(tabulated - optimise_scaled_blt(problem, buffers, x, {.max_iterations = 60}).value, 4e-5)
        << buffers;
  }
}

TEST(SlowScaledBltTable, ContinuesToLongerHorizons) {
  const ScaledBltProblem problem{.steps = 1 << 21};  // 4^10.5, the last node is 4^9
  const std::vector<double> x =
      tabulated_scaled_blt(ScaledBltTable::rmse, 3, static_cast<double>(1 << 21), 0);
  std::vector<double> gradient(x.size());
  const double tabulated = scaled_blt_log_loss(problem, x, gradient);
  EXPECT_LE(tabulated - optimise_scaled_blt(problem, 3, x, {.max_iterations = 5}).value, 2e-4);
}

TEST(ScaledBlt, HasALessMaximumThanAPlainBltWhereThatIsAsked) {
  for (const std::size_t n : {60ul, 1000ul}) {
    for (const Workload& workload : {prefix(), decay(0.99)}) {
      const Filter a = workload.filter(Horizon(n));
      const auto max_of = [&](const Shape& shape, Objective objective) {
        return shape_quality(a, shape.filter(workload, Horizon(n), objective)).max;
      };
      const double scaled = max_of(Shape::scaled_blt(4), Objective::max);
      EXPECT_LT(scaled, max_of(Shape::blt(4), Objective::max)) << workload.name() << " " << n;
      EXPECT_LT(scaled, max_of(Shape::scaled_blt(4), Objective::rmse)) << workload.name() << " " << n;
    }
  }
  // Minimised offline with exponents up to 1024: 2.9611. The table stops at 256.
  const Filter c = Shape::scaled_blt(4).filter(prefix(), Horizon(1000), Objective::max);
  EXPECT_LE(shape_quality(prefix().filter(Horizon(1000)), c).max, 2.9611 * 1.003);
}

TEST(ScaledBlt, NeverFailsWhateverTheDecay) {
  for (const double beta : {1e-9, 0.01, 0.5, 0.9, 0.999, 0.999999, 1 - 1e-12}) {
    for (const Horizon& horizon :
         {Horizon(1), Horizon(2), Horizon(5), Horizon(255), Horizon(256), Horizon(5000, 7)}) {
      for (const std::size_t buffers : {1ul, 6ul}) {
        const Workload workload = decay(beta);
        const Filter a = workload.filter(horizon);
        const double scaled = shape_quality(a, Shape::scaled_blt(buffers).filter(workload, horizon)).rmse;
        const double identity = shape_quality(a, Shape::identity().filter(workload, horizon)).rmse;
        EXPECT_LE(scaled, identity * (1 + 1e-5)) << beta << " " << horizon.steps() << " " << buffers;
      }
    }
  }
}

void expect_certified(const Workload& workload, std::size_t n, double ratio) {
  const Filter a = workload.filter(Horizon(n));
  const Filter c = Shape::scaled_blt(4).filter(workload, Horizon(n));
  EXPECT_LE(shape_quality(a, c).rmse, ratio * rmse_lower_bound(a, c)) << workload.name() << " " << n;
}

TEST(ScaledBlt, IsCertifiedByItsOwnWeights) {
  for (const Workload& workload : {prefix(), mean(), decay(0.99)}) expect_certified(workload, 400, 1.0015);
}

TEST(SlowScaledBlt, IsCertifiedByItsOwnWeightsAtFourThousandSteps) {
  expect_certified(prefix(), 4096, 1.002);
}

}  // namespace
}  // namespace jme::shaping
