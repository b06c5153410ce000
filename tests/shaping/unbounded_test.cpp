#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/shaping/shape.hpp>

#include "filter/error_norm_stream.hpp"
#include "filter/norms.hpp"

namespace jme {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Shape chosen(const Workload& workload, std::size_t memory = 5) {
  return choose_shape(workload, Horizon::unbounded(), Objective::rmse, state_limit(memory, 1));
}

ShapeQuality quality(const Workload& workload, const Shape& shape, std::size_t steps) {
  const Horizon horizon = Horizon::unbounded();
  return shape_quality(workload.filter(horizon), shape.filter(workload, horizon), steps);
}

/// (2/pi) K(beta): the least rmse of a decay over an infinite horizon, that of its square root.
double infinite_optimum(double beta) {
  return 2 * std::numbers::inv_pi * std::comp_ellint_1(beta);
}

TEST(UnboundedDecay, IsWithinTheDesignsDistanceOfTheInfiniteOptimum) {
  // The largest error of all releases, which the rmse approaches from below.
  EXPECT_LE(quality(decay(0.9), chosen(decay(0.9)), 100'000).max, infinite_optimum(0.9) * 1.0001);
  EXPECT_LE(quality(decay(0.999), chosen(decay(0.999)), 100'000).max, infinite_optimum(0.999) * 1.001);
  EXPECT_LE(quality(decay(0.9), Shape::scaled_blt(2), 10'000).max, infinite_optimum(0.9) * 1.00005);
  EXPECT_LE(quality(decay(0.999), Shape::scaled_blt(4), 100'000).max, infinite_optimum(0.999) * 1.00021);
  EXPECT_GE(quality(decay(0.9), chosen(decay(0.9)), 100'000).max, infinite_optimum(0.9));
}

TEST(UnboundedDecay, TakesNoMoreBuffersThanItNeeds) {
  EXPECT_EQ(chosen(decay(0.001)).name(), "identity");
  EXPECT_EQ(chosen(decay(0.3)).name(), "scaled-blt:1");
  EXPECT_EQ(chosen(decay(0.999)).name(), "scaled-blt:5");
  EXPECT_EQ(chosen(decay(0.999), 2).name(), "scaled-blt:2");
  EXPECT_EQ(chosen(decay(0.999), 0).name(), "identity");
}

TEST(UnboundedMean, IsWithinHalfAPercentOfTheOptimumAtEveryLength) {
  // scaled-blt:5 for the known horizon is within 0.15% of it (ScaledBlt.IsCertifiedByItsOwnWeights).
  const Shape shape = chosen(mean());
  EXPECT_EQ(shape.name(), "scaled-blt:4");
  for (const std::size_t n : {100ul, 128ul, 150ul, 250ul, 500ul, 1000ul, 2000ul, 4096ul, 50'000ul}) {
    const Horizon horizon(n);
    const double known =
        shape_quality(mean().filter(horizon), Shape::scaled_blt(5).filter(mean(), horizon)).rmse;
    EXPECT_LE(quality(mean(), shape, n).rmse, known * 1.0035) << n;
  }
}

TEST(UnboundedPrefix, CostsLessThanAThirdMoreThanAKnownHorizon) {
  const Shape shape = chosen(prefix());
  EXPECT_EQ(shape.name(), "scaled-blt:5");
  const Horizon unbounded = Horizon::unbounded();
  const Filter a = prefix().filter(unbounded), c = shape.filter(prefix(), unbounded);
  ErrorNormStream releases(a, c);
  double sum = 0;
  for (const std::size_t n : {100ul, 316ul, 1000ul, 10'000ul, 100'000ul}) {
    double last = 0;
    while (releases.steps_done() < n) sum += last = releases.next();
    const Horizon horizon(n);
    const double known =
        shape_quality(prefix().filter(horizon), Shape::scaled_blt(5).filter(prefix(), horizon)).rmse;
    // Over all releases so far, and the newest one alone, which is never better than the average before it.
    EXPECT_LE(std::sqrt(sum / static_cast<double>(n)), 1.16 * known) << n;
    EXPECT_LE(std::sqrt(last), 1.3 * known) << n;
  }
}

TEST(SlowUnboundedPrefix, CostsLessThanAThirdMoreAtAMillionReleases) {
  const Horizon horizon(1'000'000);
  const double known =
      shape_quality(prefix().filter(horizon), Shape::scaled_blt(5).filter(prefix(), horizon)).rmse;
  const ShapeQuality unbounded = quality(prefix(), chosen(prefix()), 1'000'000);
  EXPECT_LE(unbounded.rmse, 1.14 * known);
  EXPECT_LE(unbounded.max, 1.25 * known);  // errors of prefix sums grow: the last release's
}

TEST(Unbounded, ColumnsAreNoLongerThanOneWhateverTheLength) {
  // Against the first 30,000 steps of the columns: privacy for any shorter stream follows.
  for (const Workload& workload : {prefix(), mean(), decay(0.99)}) {
    const Filter c = chosen(workload).filter(workload, Horizon::unbounded());
    ASSERT_TRUE(c.has_unit_columns() && c.is_endless());
    constexpr std::size_t n = 30'000;
    std::vector<double> columns(n);
    c.column().fill(0, columns);
    const Filter first = Filter::toeplitz(n, c.core(), c.row(), Schedule::values(columns));
    for (const double squared : squared_column_norms(first)) ASSERT_LE(squared, 1);
  }
}

TEST(Unbounded, BlocksFadeByTheirRows) {
  const Horizon blocks = Horizon::unbounded(10);
  const Shape shape = choose_shape(decay(0.99), blocks, Objective::rmse, state_limit(5, 1));
  const Shape same = chosen(decay(std::pow(0.99, 10)));
  EXPECT_EQ(shape.name(), same.name());
  EXPECT_NEAR(shape_quality(decay(0.99).filter(blocks), shape.filter(decay(0.99), blocks), 1000).rmse,
              quality(decay(std::pow(0.99, 10)), same, 1000).rmse, 1e-9);
}

TEST(Unbounded, SaysWhatItIsFor) {
  const auto message = [](const char* text) { return ThrowsMessage<InvalidParameter>(HasSubstr(text)); };
  EXPECT_THAT([] { (void)chosen(window(10)); }, message("prefix, mean or decay with an unbounded horizon"));
  for (const char* name : {"sqrt", "banded:4", "banded-inverse:4", "blt:4", "dense"}) {
    EXPECT_THAT([=] { (void)Shape::parse(name).filter(prefix(), Horizon::unbounded()); },
                message("identity, scaled-blt:P or auto with an unbounded horizon"))
        << name;
  }
  EXPECT_THAT([] { (void)Shape::scaled_blt(2).filter(window(10), Horizon::unbounded()); },
              message("unbounded"));
  const ScaledBltParameters ending{.blt = {.poles = {.9}, .zeros = {.5}}, .end_power = 0.4};
  EXPECT_THAT([=] { (void)Shape::scaled_blt(ending).filter(prefix(), Horizon::unbounded()); },
              message("end power 0"));
  EXPECT_NO_THROW((void)Shape::identity().filter(window(10), Horizon::unbounded()));
  for (const Shape& shape : candidate_shapes(prefix(), Horizon::unbounded())) {
    EXPECT_NO_THROW((void)shape.filter(prefix(), Horizon::unbounded())) << shape.name();
  }
}

}  // namespace
}  // namespace jme
