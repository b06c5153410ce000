#include "theory/squared_noise.hpp"

#include <gtest/gtest.h>

#include <jme/shaping/shape.hpp>

#include "theory/dense_reference.hpp"
#include "theory/release_gram.hpp"

namespace jme::theory {
namespace {

// sum over releases and pairs of rows, term by term.
double by_definition(const Workload& workload, const Horizon& horizon, const Filter& c) {
  const Eigen::MatrixXd b = reference::release_weights(workload, horizon), q = reference::q_matrix(c);
  double sum = 0;
  for (Eigen::Index s = 0; s < b.rows(); ++s)
    for (Eigen::Index i = 0; i < b.cols(); ++i)
      for (Eigen::Index j = 0; j < b.cols(); ++j) sum += b(s, i) * b(s, j) * q(i, j) * q(i, j);
  return sum;
}

// The reference inverts a well-conditioned 40 x 40 matrix and adds 64000 positive terms: parts in 1e12.
constexpr double agreement = 1e-11;

TEST(SquaredNoiseTrace, ByStatesIsTheDefinitionForEveryWorkloadAndFewStateShape) {
  const BltParameters blt{.poles = {0.97, 0.6}, .zeros = {0.85, 0.25}};
  for (const auto& c : reference::cases()) {
    for (const Shape& shape : {Shape::identity(), Shape::banded(2), Shape::banded(5),
                               Shape::banded_inverse(4), Shape::blt(blt), Shape::blt(4)}) {
      const Filter filter = shape.filter(c.workload, c.horizon.by_row());
      const double expected = by_definition(c.workload, c.horizon, filter);
      EXPECT_NEAR(squared_noise_trace_by_states(c.workload, c.horizon, filter), expected,
                  agreement * expected)
          << c.name << ' ' << shape.name();
    }
  }
}

TEST(SquaredNoiseTrace, ByStatesKnowsRowAndColumnSchedules) {
  for (const auto& c : reference::cases()) {
    if (c.workload.kind() == Workload::Kind::window) continue;
    const Filter filter = Shape::scaled_blt(2).filter(c.workload, c.horizon.by_row());
    const double expected = by_definition(c.workload, c.horizon, filter);
    EXPECT_NEAR(squared_noise_trace_by_states(c.workload, c.horizon, filter), expected, agreement * expected)
        << c.name;
  }
}

TEST(SquaredNoiseTrace, ByStatesReadsTapsAndModesInBothDirections) {
  const Horizon horizon(30, 4);
  for (const bool inverted : {false, true}) {
    for (const std::vector<double>& taps : {std::vector<double>{2.0}, {1.5, -0.4}, {1.0, 0.3, 0.2}}) {
      const Filter filter = Filter::toeplitz(
          30, {.taps = taps, .modes = {{0.4, 0.5}, {0.2, -0.3}}, .inverted = inverted, .inverse_taps = {}});
      const double expected = by_definition(decay(0.9), horizon, filter);
      EXPECT_NEAR(squared_noise_trace_by_states(decay(0.9), horizon, filter), expected, agreement * expected)
          << taps.size() << inverted;
    }
  }
}

TEST(SquaredNoiseTrace, ByLagsIsTheDefinitionForEveryWorkload) {
  for (const auto& c : reference::cases()) {
    for (const Shape& shape : {Shape::square_root(), Shape::banded(5), Shape::blt(4)}) {
      const Filter filter = shape.filter(c.workload, c.horizon.by_row());
      const double expected = by_definition(c.workload, c.horizon, filter);
      EXPECT_NEAR(squared_noise_trace_by_lags(c.workload, c.horizon, filter), expected, agreement * expected)
          << c.name << ' ' << shape.name();
    }
  }
}

// Two algorithms without a common step at a length where recursions could drift.
TEST(SquaredNoiseTrace, ByStatesAndByLagsAgreeAtLength3000) {
  const Horizon horizon(3000, 7);
  for (const Workload& workload : {prefix(), mean(), decay(0.99), window(70)}) {
    const Filter filter = Shape::blt(4).filter(workload, horizon.by_row());
    const double lags = squared_noise_trace_by_lags(workload, horizon, filter);
    EXPECT_NEAR(squared_noise_trace_by_states(workload, horizon, filter), lags, 1e-9 * lags)
        << workload.name();
  }
}

TEST(SquaredNoiseTrace, IsNotAttemptedForLongFiltersOfManyStates) {
  const Horizon horizon(20000);
  EXPECT_FALSE(
      squared_noise_trace(prefix(), horizon, Shape::square_root().filter(prefix(), horizon)).has_value());
  EXPECT_TRUE(squared_noise_trace(prefix(), horizon, Shape::blt(2).filter(prefix(), horizon)).has_value());
}

}  // namespace
}  // namespace jme::theory
