#include <gtest/gtest.h>

#include <jme/shaping/shape.hpp>

#include "shaping/optimal_rmse.hpp"

namespace jme {
namespace {

/// The table of docs/theory/shaping.md#how-good-each-class-is: rmse / optimum at 100 and 1000 steps.
struct Entry {
  const char* shape;
  Workload workload;
  double at_100, at_1000;
  double half_digit;  ///< half a unit of the last printed digit
};

class ClassTable : public testing::TestWithParam<Entry> {};

TEST_P(ClassTable, IsReproducedToItsPrintedDigits) {
  const auto& [shape, workload, at_100, at_1000, half_digit] = GetParam();
  for (const std::size_t n : {100ul, 1000ul}) {
    const Horizon horizon(n);
    const Filter c = Shape::parse(shape).filter(workload, horizon);
    const double ratio = shape_quality(workload.filter(horizon), c).rmse / shaping::optimum_of(workload, n);
    // The optimum is printed to 3e-5 of itself.
    EXPECT_NEAR(ratio, n == 100 ? at_100 : at_1000, half_digit + 3e-5 * ratio)
        << shape << " " << workload.name();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, ClassTable,
    testing::Values(
        Entry{"identity", prefix(), 3.18, 7.59, 5e-3}, Entry{"identity", decay(0.9), 1.558, 1.578, 5e-4},
        Entry{"identity", mean(), 1.333, 1.571, 5e-4}, Entry{"identity", window(10), 1.637, 1.644, 5e-4},
        Entry{"sqrt", prefix(), 1.0605, 1.0523, 5e-5}, Entry{"sqrt", decay(0.9), 1.0033, 1.0003, 5e-5},
        Entry{"sqrt", mean(), 1.298, 1.455, 5e-4}, Entry{"sqrt", window(10), 1.0068, 1.0007, 5e-5},
        Entry{"banded:16", prefix(), 1.210, 2.421, 5e-4}, Entry{"banded:16", decay(0.9), 1.005, 1.002, 5e-4},
        Entry{"banded:16", mean(), 1.150, 1.1635, 5e-4}, Entry{"banded:16", window(10), 1.012, 1.008, 5e-4},
        Entry{"banded-inverse:4", prefix(), 1.399, 3.054, 5e-4},
        Entry{"banded-inverse:4", decay(0.9), 1.018, 1.018, 5e-4},
        Entry{"banded-inverse:4", mean(), 1.079, 1.116, 5e-4},
        Entry{"banded-inverse:4", window(10), 1.064, 1.065, 5e-4},
        Entry{"blt:4", prefix(), 1.0378, 1.0345, 5e-5}, Entry{"blt:4", decay(0.9), 1.0032, 1.0003, 5e-5},
        Entry{"blt:4", mean(), 1.025, 1.042, 5e-4}, Entry{"blt:4", window(10), 1.059, 1.060, 5e-4}));

}  // namespace
}  // namespace jme
