#include "shaping/optimise.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include <jme/shaping/shape.hpp>

#include "shaping/coordinates.hpp"

namespace jme::shaping {
namespace {

TEST(Minimise, FindsTheValleyOfRosenbrock) {
  const Minimum minimum = minimise(
      [](std::span<const double> x, std::span<double> g) {
        const double a = 1 - x[0], b = x[1] - x[0] * x[0];
        g[0] = -2 * a - 400 * x[0] * b;
        g[1] = 200 * b;
        return a * a + 100 * b * b;
      },
      {-1.2, 1.0}, {.value_tolerance = 0});
  EXPECT_NEAR(minimum.x[0], 1, 1e-6);  // gradient below 1e-8, smallest curvature 0.4
  EXPECT_NEAR(minimum.x[1], 1, 1e-6);
}

TEST(Minimise, StepsBackFromInfiniteValues) {
  const Minimum minimum = minimise(by_differences([](std::span<const double> x) {
                                     return x[0] <= 0 ? std::nan("") : x[0] - std::log(x[0]);
                                   }),
                                   {3.0}, {.gradient_tolerance = 1e-8});
  EXPECT_NEAR(minimum.x[0], 1, 1e-6);
}

struct LossCase {
  Workload workload;
  BltLoss::Problem problem;
};

TEST(BltLoss, IsTheLogarithmOfTheExactQuality) {
  const std::size_t n = 300;
  const std::vector<double> x = geometric_coordinates(3, 40);
  for (const LossCase& c :
       {LossCase{prefix(), {.steps = n}}, LossCase{decay(0.97), {.steps = n, .decay = 0.97}},
        LossCase{window(25), {.steps = n, .window = 25}}, LossCase{window(n), {.steps = n, .window = n}},
        LossCase{mean(), {.steps = n, .mean = true}}}) {
    const Horizon horizon(n);
    const Shape shape = Shape::blt(blt_from_coordinates(x, c.problem.decay));
    const ShapeQuality quality = shape_quality(c.workload.filter(horizon), shape.filter(c.workload, horizon));
    // Losses leave out constants: 1/k^2 of a window, 1/n of the mean's average over releases.
    const double constant = c.problem.window > 0 ? -2 * std::log(static_cast<double>(c.problem.window))
                            : c.problem.mean     ? -std::log(static_cast<double>(n))
                                                 : 0;
    // The mean's far lags are integrated, good to 1e-6; the others are exact.
    EXPECT_NEAR(BltLoss(c.problem)(x) + constant, 2 * std::log(quality.rmse), c.problem.mean ? 2e-6 : 1e-12)
        << c.workload.name();
    if (c.problem.mean) continue;
    BltLoss::Problem by_max = c.problem;
    by_max.objective = Objective::max;
    EXPECT_NEAR(BltLoss(by_max)(x) + constant, 2 * std::log(quality.max), 1e-12) << c.workload.name();
  }
}

TEST(BltLoss, OfALongMeanIsThatOfAllItsLags) {
  const std::size_t n = 20'000;
  const std::vector<double> x = geometric_coordinates(4, 5000);
  const ShapeQuality quality = shape_quality(
      mean().filter(Horizon(n)), Shape::blt(blt_from_coordinates(x, 1)).filter(mean(), Horizon(n)));
  EXPECT_NEAR(BltLoss({.steps = n, .mean = true})(x) - std::log(static_cast<double>(n)),
              2 * std::log(quality.rmse), 2e-6);
}

std::vector<double> scaled_example() {
  std::vector<double> x = geometric_coordinates(3, 30);
  x.insert(x.end(), {0.2, -0.1, 0.5, 0.07});
  return x;
}

TEST(ScaledBltLoss, IsTheLogarithmOfTheExactQuality) {
  const std::size_t n = 200;
  for (const Workload& workload : {prefix(), decay(0.97), mean()}) {
    const double ceiling = workload.kind() == Workload::Kind::decay ? 0.97 : 1;
    const std::vector<double> x = scaled_example();
    const Shape shape = Shape::scaled_blt(scaled_blt_from_coordinates(x, ceiling));
    const ShapeQuality quality =
        shape_quality(workload.filter(Horizon(n)), shape.filter(workload, Horizon(n)));
    std::vector<double> gradient(x.size());
    ScaledBltProblem problem{.steps = n, .decay = ceiling, .mean = workload.kind() == Workload::Kind::mean};
    // D is rounded up by 4 eps n = 2e-13; recursions of 200 steps.
    EXPECT_NEAR(scaled_blt_log_loss(problem, x, gradient), 2 * std::log(quality.rmse), 1e-11)
        << workload.name();
    problem.exponent = 1e6;  // ln(200) / 1e6 from the maximum
    EXPECT_NEAR(scaled_blt_log_loss(problem, x, gradient), 2 * std::log(quality.max), 6e-6)
        << workload.name();
  }
}

TEST(ScaledBltLoss, HasTheGradientOfItsDifferences) {
  for (const ScaledBltProblem& problem :
       {ScaledBltProblem{.steps = 60}, ScaledBltProblem{.steps = 60, .decay = 0.95},
        ScaledBltProblem{.steps = 60, .mean = true},
        ScaledBltProblem{.steps = 60, .decay = 0.99, .exponent = 8}}) {
    for (std::size_t buffers = 1; buffers <= 6; ++buffers) {
      std::vector<double> x = geometric_coordinates(buffers, 40);
      x.insert(x.end(), {0.2, -0.1, 0.5, 0.07});
      std::vector<double> gradient(x.size()), differences(x.size()), unused(x.size());
      (void)scaled_blt_log_loss(problem, x, gradient);
      (void)by_differences([&](std::span<const double> at) {
        return scaled_blt_log_loss(problem, at, unused);
      })(x, differences);
      // Central differences of step 1e-5: third derivatives of order 1 and rounding 1e-15 / 1e-5.
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(gradient[i], differences[i], 2e-9);
    }
  }
}

}  // namespace
}  // namespace jme::shaping
