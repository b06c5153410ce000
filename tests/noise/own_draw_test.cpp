#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "noise/rounding_kernels.hpp"
#include "noise/rounding_tolerance.hpp"
#include "noise/shaped_noise.hpp"

namespace jme {
namespace {

using WideMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Every way a step can be made: without a past, by running sums, by earlier values, as a series, with lag
/// taps, by rows of a matrix.
std::vector<Filter> ways_to_make_a_step(std::size_t n) {
  const Toeplitz blt{.taps = {1.0}, .modes = {{.weight = 0.2, .pole = 0.9}, {.weight = 0.1, .pole = 0.4}}};
  const Filter taps = Filter::toeplitz(n, {.taps = {1.0, 0.5, 0.375, 0.3125}});
  return {Filter::identity(n),
          Filter::toeplitz(n, blt),
          taps,
          Filter::toeplitz(n, {.taps = {1.0, -0.5, -0.125}, .inverted = true}),
          Filter::toeplitz(n, blt).with_lag_taps({{3, 0.4}, {6, 0.2}}),
          Filter::dense(taps.to_dense())};
}

// With deviations of 2^40 units, one draw of 400 is decided by exact arithmetic, which makes the draw again
// from its key, channel, step and coordinate, and takes scale, ratio and past as the kernel had them. Any of
// these wrong gives a number that is some 2^40 units away; right, (scale z_t - sum_{s<t} C_ts y_s) / C_tt is
// half a unit away at most, and doubles lose less than another half: 10 2^-53 of 2^44.
TEST(ExactDecision, IsMadeForTheDrawItBelongsTo) {
  constexpr std::size_t n = 12, dimension = 46,
                        width = dimension * (dimension + 1) / 2;  // two tiles and a part
  const GaussianSource source(InsecureTestSeed{31}.key(), Nonce{});
  const NoiseScale scale = NoiseScale::triangle(dimension, 0x1.3p40, 0x1.7p39);
  std::uint64_t first = 0;
  for (const Filter& shape : ways_to_make_a_step(n)) {
    const Eigen::MatrixXd c = shape.to_dense();
    ShapedNoise noise(shape, source, Channel::second, scale, SumWords::one, first);
    WideMatrix y(n, width);
    std::vector<double> values(width), draws(width);
    std::size_t exact = 0, far = 0;
    for (Eigen::Index t = 0; t < y.rows(); ++t) {
      std::fill(values.begin(), values.end(), 0.0);
      noise.add_to(values);
      source.fill(Channel::second, static_cast<std::uint64_t>(t), first, draws);
      for (std::size_t j = 0; j < width; ++j) {
        const auto column = static_cast<Eigen::Index>(j);
        y(t, column) = values[j];
        const long double reach = static_cast<long double>(scale.base()) * scale.ratio(j) / c(t, t);
        const long double own = reach * draws[j];
        long double past = 0;
        for (Eigen::Index s = 0; s < t; ++s) past -= y(s, column) * c(t, s) / c(t, t);
        const auto value = static_cast<double>(own + past);
        exact +=
            !is_certain(value, nearest_whole(value), static_cast<double>(own), static_cast<double>(reach));
        far += !(std::abs(own + past - values[j]) <= 1);
      }
    }
    EXPECT_EQ(far, 0u);
    EXPECT_GT(exact, 10u);  // otherwise nothing was tested
    first += 5'000;         // a slice of a wider noise
  }
}

}  // namespace
}  // namespace jme
