#include <cmath>

#include <gtest/gtest.h>

#include <jme/shaping/shape.hpp>

#include "filter/norms.hpp"
#include "shaping/coordinates.hpp"
#include "shaping/optimise.hpp"
#include "shaping/window_loss.hpp"

namespace jme::shaping {
namespace {

ShapeQuality quality(const Workload& workload, const Horizon& horizon, const Shape& shape) {
  return shape_quality(workload.filter(horizon), shape.filter(workload, horizon));
}

TEST(WindowShape, IsWithinOnePercentOfTheDenseOptimum) {
  // rmse of `dense` (gap below 1e-6), found once.
  struct Case {
    std::size_t window, steps;
    double optimum;
  };
  for (const Case& c : {Case{10, 100, .188816272}, Case{30, 100, .074381898}, Case{100, 100, .0223550},
                        Case{10, 1000, .19193}, Case{30, 1000, .078465934}, Case{100, 1000, .027983887}}) {
    const Workload workload = window(c.window);
    const Horizon horizon(c.steps);
    const Shape shape = choose_shape(workload, horizon, Objective::rmse, state_limit({}, 65));
    EXPECT_EQ(shape.kind(), Shape::Kind::scaled_blt) << c.window << " " << c.steps;
    EXPECT_LE(quality(workload, horizon, shape).rmse, c.optimum * 1.007) << c.window << " " << c.steps;
    // Two buffers (docs/theory/shaping.md#how-good-each-class-is).
    EXPECT_LE(quality(workload, horizon, Shape::scaled_blt(2)).rmse, c.optimum * 1.012)
        << c.window << " " << c.steps;
  }
  EXPECT_LE(quality(window(10), Horizon(100), Shape::scaled_blt(2)).rmse, .188816272 * 1.00575);
}

TEST(WindowShape, OverBlocksIsThatOfTheSteps) {
  const double blocks = quality(window(40), Horizon(400, 4), Shape::scaled_blt(2)).rmse;
  // A window of 40 rows divides by 40, not by its 10 blocks.
  EXPECT_NEAR(4 * blocks, quality(window(10), Horizon(100), Shape::scaled_blt(2)).rmse, 1e-12);
}

TEST(WindowShape, OfTheWholeHorizonIsThatOfPrefixSums) {
  const auto lag_taps = [](std::size_t rows, std::size_t n) {
    return Shape::scaled_blt(3).with_parameters(window(rows), Horizon(n)).blt_parameters()->lag_taps.size();
  };
  EXPECT_EQ(lag_taps(100, 100), 0u);
  EXPECT_EQ(lag_taps(99, 100), 1u);
  EXPECT_EQ(lag_taps(40, 100), 2u);
  EXPECT_EQ(lag_taps(10, 100), 3u);
  EXPECT_NEAR(100 * quality(window(100), Horizon(100), Shape::scaled_blt(3)).rmse,
              quality(prefix(), Horizon(100), Shape::scaled_blt(3)).rmse, 1e-9);
}

TEST(WindowShape, KeepsItsBuffersAndThreeWindowsOfValues) {
  const Filter c = Shape::scaled_blt(3).filter(window(10), Horizon(200));
  EXPECT_EQ(c.inverse_state_vectors(), 33u);
  ASSERT_EQ(c.lag_taps().size(), 3u);
  EXPECT_EQ(c.lag_taps()[2].lag, 30u);
  EXPECT_TRUE(c.has_unit_columns());
  EXPECT_LE(c.to_dense().colwise().norm().maxCoeff(), 1);
}

/// The exact loss: twice the log of the rmse of the filter.
double exact_loss(std::span<const double> x, std::size_t buffers, std::size_t lags, std::size_t k,
                  std::size_t n) {
  ScaledBltParameters parameters{.blt = blt_from_coordinates(x.first(2 * buffers), 1)};
  for (std::size_t i = 0; i < lags; ++i) {
    parameters.lag_taps.push_back({.lag = (i + 1) * k, .weight = x[2 * buffers + i]});
  }
  return 2 * std::log(quality(window(k), Horizon(n), Shape::scaled_blt(parameters)).rmse);
}

TEST(WindowLoss, HasNearlyTheMinimiserOfTheTrueLoss) {
  struct Case {
    std::size_t window, steps;
    double tolerance;  ///< of the rmse: the closer the window is to the horizon, the more
  };
  for (const Case& c : {Case{2, 60, 1e-5}, Case{10, 100, 1e-5}, Case{30, 100, 1e-4}, Case{50, 100, 4e-4}}) {
    const WindowLoss loss(c.steps, c.window);
    const std::vector<double> found = optimise_window(loss, c.window, 2).x;
    const auto exact = [&](std::span<const double> x) {
      return exact_loss(x, 2, loss.lags(), c.window, c.steps);
    };
    const Minimum best = minimise(by_differences(exact), found, {.max_iterations = 60});
    EXPECT_LE(exact(found) - best.value, 2 * c.tolerance) << c.window << " " << c.steps;
  }
}

TEST(WindowLoss, InStretchesIsNearlyTheSumAndHasItsMinimiser) {
  struct Case {
    std::size_t window, steps;
  };
  for (const Case& c : {Case{300, 1000}, Case{64, 1000}, Case{150, 1000}, Case{700, 1000}, Case{20, 1000}}) {
    const WindowLoss loss(c.steps, c.window);
    const auto minimum = [&](auto way, double& at_start) {
      const auto value = [&](std::span<const double> x) {
        return std::log((loss.*way)(BltPowers(x.first(6), 1), x.last(loss.lags())));
      };
      std::vector<double> start = geometric_coordinates(3, static_cast<double>(c.window));
      start.resize(6 + loss.lags(), .2);
      at_start = value(start);
      return minimise(by_differences(value), start, {.max_iterations = 60}).x;
    };
    double summed = 0, by_stretches = 0;
    const std::vector<double> x = minimum(&WindowLoss::summed, summed);
    const std::vector<double> y = minimum(&WindowLoss::by_stretches, by_stretches);
    // Four Gauss nodes per stretch, in which column norms have a kink.
    EXPECT_NEAR(summed, by_stretches, 3e-3) << c.window;
    EXPECT_NEAR(exact_loss(x, 3, loss.lags(), c.window, c.steps),
                exact_loss(y, 3, loss.lags(), c.window, c.steps), 1e-4)
        << c.window;
  }
}

TEST(ChooseShape, TakesLagTapsForWindowsWhereTheyAreBest) {
  for (const std::size_t rows : {2ul, 10ul, 30ul, 100ul}) {
    const Horizon horizon(300);
    const Filter a = window(rows).filter(horizon);
    const Shape chosen = choose_shape(window(rows), horizon, Objective::rmse, state_limit({}, 65));
    for (const char* name : {"identity", "blt:5", "banded:6", "banded-inverse:6"}) {
      const Shape other = Shape::parse(name);
      EXPECT_LE(quality(window(rows), horizon, chosen).rmse,
                quality(window(rows), horizon, other).rmse * (1 + 1e-5))
          << rows << " " << name;
    }
  }
}

}  // namespace
}  // namespace jme::shaping
