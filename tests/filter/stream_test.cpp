#include "filter/stream.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

#include "filter/samples.hpp"
#include "random/simd_targets.hpp"

namespace jme {
namespace {

using samples::LongMatrix;
using samples::Sample;

constexpr std::size_t stream_steps = 60;
// Condition below 1e5 at 60 steps (see filter_test).
constexpr double stream_tolerance = 1e-11;

Eigen::MatrixXd random_matrix(std::size_t width) {
  std::mt19937_64 random(17);
  Eigen::MatrixXd matrix(stream_steps, static_cast<Eigen::Index>(width));
  for (double& value : matrix.reshaped()) value = samples::random_vector(1, random)[0];
  return matrix;
}

std::vector<double> row_of(const Eigen::MatrixXd& matrix, std::size_t t) {
  const Eigen::VectorXd row = matrix.row(static_cast<Eigen::Index>(t)).transpose();
  return {row.begin(), row.end()};
}

Eigen::MatrixXd run(const Filter& filter, Direction direction, const Eigen::MatrixXd& input) {
  const auto width = static_cast<std::size_t>(input.cols());
  FilterStream stream(filter, direction, width);
  Eigen::MatrixXd output(input.rows(), input.cols());
  std::vector<double> out(width);
  for (std::size_t t = 0; t < stream_steps; ++t) {
    EXPECT_EQ(stream.steps_done(), t);
    stream.step(row_of(input, t), out);
    for (std::size_t j = 0; j < width; ++j)
      output(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(j)) = out[j];
  }
  return output;
}

void expect_near(const Eigen::MatrixXd& got, const LongMatrix& expected) {
  const long double scale = std::max(1.0L, expected.cwiseAbs().maxCoeff());
  EXPECT_LE(static_cast<double>((got.cast<long double>() - expected).cwiseAbs().maxCoeff() / scale),
            stream_tolerance);
}

class EveryStream : public testing::TestWithParam<Sample> {};

// 1: less than a SIMD lane; 13: not a multiple of one; 1030: two full tiles and a part.
TEST_P(EveryStream, AppliesTheMatrixStepByStep) {
  for (const std::size_t width : {1, 13, 1030}) {
    const Eigen::MatrixXd x = random_matrix(width);
    expect_near(run(GetParam().filter, Direction::forward, x), GetParam().matrix * x.cast<long double>());
  }
}

TEST_P(EveryStream, InvertsTheMatrixStepByStep) {
  for (const std::size_t width : {1, 13, 1030}) {
    const Eigen::MatrixXd y = random_matrix(width);
    expect_near(run(GetParam().filter, Direction::inverse, y),
                GetParam().matrix.triangularView<Eigen::Lower>().solve(y.cast<long double>()));
  }
}

TEST_P(EveryStream, UndoesItsInverse) {
  const Eigen::MatrixXd x = random_matrix(5);
  expect_near(run(GetParam().filter, Direction::forward, run(GetParam().filter, Direction::inverse, x)),
              x.cast<long double>());
}

TEST_P(EveryStream, MayWriteWhereItReads) {
  const std::size_t width = 13;
  const Eigen::MatrixXd x = random_matrix(width);
  for (const Direction direction : {Direction::forward, Direction::inverse}) {
    const Eigen::MatrixXd expected = run(GetParam().filter, direction, x);
    FilterStream stream(GetParam().filter, direction, width);
    for (std::size_t t = 0; t < stream_steps; ++t) {
      std::vector<double> values = row_of(x, t);
      stream.step(values, values);
      EXPECT_EQ(values, row_of(expected, t));
    }
  }
}

TEST_P(EveryStream, TreatsEveryCoordinateAlikeWhateverTheWidth) {
  // Regenerating one coordinate must give the bits of the whole vector.
  const Eigen::MatrixXd x = random_matrix(530);
  for (const Direction direction : {Direction::forward, Direction::inverse}) {
    const Eigen::MatrixXd whole = run(GetParam().filter, direction, x);
    EXPECT_EQ(run(GetParam().filter, direction, x.col(529)), whole.col(529));
    EXPECT_EQ(run(GetParam().filter, direction, x.col(3)), whole.col(3));
  }
}

TEST_P(EveryStream, EndsAtItsLastStep) {
  FilterStream stream(GetParam().filter, Direction::forward, 1);
  std::vector<double> value{1.0};
  for (std::size_t t = 0; t < stream_steps; ++t) stream.step(value, value);
  EXPECT_THROW(stream.step(value, value), Error);
  EXPECT_EQ(stream.steps_done(), stream_steps);
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryStream, testing::ValuesIn(samples::without_lag_taps(stream_steps)),
                         samples::sample_name<testing::TestParamInfo<Sample>>);

TEST(LastStep, ReplacesTheRowScheduleOfAMean) {
  const Filter mean =
      Filter::toeplitz(10, {.taps = {1.0}, .modes = {{1.0, 1.0}}}, Schedule::inverse_row_count(40, 4));
  FilterStream stream(mean, Direction::forward, 1);
  std::vector<double> out(1);
  stream.step(std::vector{4.0}, out);
  EXPECT_DOUBLE_EQ(out[0], 1.0);
  stream.last_step(std::vector{2.0}, out, {.row = 1.0 / 6});
  EXPECT_DOUBLE_EQ(out[0], 1.0);
  EXPECT_THROW(stream.step(out, out), Error);  // the stream has ended
}

TEST(LastStep, ReplacesTheModeWeightOfADecay) {
  const Filter decay = Filter::toeplitz(10, {.taps = {1.0}, .modes = {{.25, .25}}}).with_last_mode_weight(.5);
  FilterStream stream(decay, Direction::forward, 1);
  std::vector<double> out(1);
  stream.step(std::vector{8.0}, out);
  stream.step(std::vector{4.0}, out);
  EXPECT_DOUBLE_EQ(out[0], 6.0);
  stream.last_step(std::vector{1.0}, out, {.mode_weight = .5});
  EXPECT_DOUBLE_EQ(out[0], 1 + .5 * 6);
}

TEST(LastStep, IsAnOrdinaryStepWithoutOverrides) {
  for (const Sample& sample : samples::without_lag_taps(20)) {
    FilterStream plain(sample.filter, Direction::forward, 1), closed(sample.filter, Direction::forward, 1);
    std::vector<double> a(1), b(1);
    for (int t = 0; t < 20; ++t) {
      const std::vector<double> in{std::sin(t + 1.0)};
      plain.step(in, a);
      if (t < 19) {
        closed.step(in, b);
      } else {
        closed.last_step(in, b, {});
      }
      EXPECT_EQ(a, b) << sample.name;
    }
  }
}

TEST(LastStep, RefusesWhatItCannotReplace) {
  std::vector<double> value(1);
  FilterStream inverse(Filter::identity(3), Direction::inverse, 1);
  EXPECT_THROW(inverse.last_step(value, value, {}), Error);
  FilterStream no_mode(Filter::identity(3), Direction::forward, 1);
  EXPECT_THROW(no_mode.last_step(value, value, {.mode_weight = .5}), Error);
  FilterStream dense(Filter::dense(Eigen::MatrixXd::Identity(3, 3)), Direction::forward, 1);
  EXPECT_THROW(dense.last_step(value, value, {.row = .5}), Error);
  EXPECT_EQ(dense.steps_done(), 0u);
}

TEST(FilterStream, RefusesAWrongWidthAndASingularInverse) {
  FilterStream stream(Filter::identity(3), Direction::forward, 2);
  std::vector<double> one(1), two(2);
  EXPECT_THROW(stream.step(one, two), InvalidParameter);
  EXPECT_THROW(stream.step(two, one), InvalidParameter);
  EXPECT_THROW(FilterStream(Filter::toeplitz(3, {.taps = {0.0, 1.0}}), Direction::inverse, 1),
               InvalidParameter);
}

// The past is summed by itself and the new value joins it in one operation, so that it is rounded once
// however long the past is. The same sums by hand, to the last bit.
TEST(FilterStream, RoundsTheNewValueOnce) {
  const Toeplitz core{.taps = {1.0, 0.3, -0.7},
                      .modes = {{.weight = 0.11, .pole = 0.9}, {.weight = 0.07, .pole = 0.3}}};
  const Eigen::MatrixXd z = random_matrix(1);
  for (const bool inverted : {false, true}) {
    Toeplitz either = core;
    either.inverted = inverted;
    const Eigen::MatrixXd got = run(Filter::toeplitz(stream_steps, either), Direction::inverse, z);
    const Eigen::MatrixXd& taken = inverted ? z : got;
    double first = 0, second = 0;
    for (Eigen::Index t = 0; t < z.rows(); ++t) {
      double known = 0;
      if (t >= 1) known += core.taps[1] * taken(t - 1, 0);
      if (t >= 2) known += core.taps[2] * taken(t - 2, 0);
      known += core.modes[0].weight * first;
      known += core.modes[1].weight * second;
      ASSERT_EQ(got(t, 0), inverted ? z(t, 0) + known : z(t, 0) - known);
      if (t < 2) continue;
      first = core.modes[0].pole * first + taken(t - 2, 0);
      second = core.modes[1].pole * second + taken(t - 2, 0);
    }
  }
  const Eigen::MatrixXd matrix = Filter::toeplitz(stream_steps, core).to_dense();
  const Eigen::MatrixXd got = run(Filter::dense(matrix), Direction::inverse, z);
  for (Eigen::Index t = 0; t < z.rows(); ++t) {
    double known = 0;
    for (Eigen::Index s = 0; s < t; ++s) known += matrix(t, s) * got(s, 0);
    ASSERT_EQ(got(t, 0), z(t, 0) - known);
  }
}

TEST(FilterStream, OfAWindowForgetsHugeValuesEntirely) {
  // A running difference would keep the rounding error of 1e16 for ever.
  const std::size_t n = 200, k = 20;
  FilterStream stream(Filter::toeplitz(n, {.taps = std::vector<double>(k, 1.0)}), Direction::forward, 1);
  std::vector<double> out(1);
  for (std::size_t t = 0; t < n; ++t) {
    stream.step(std::vector{t < 50 ? 1e16 : 1.0}, out);
    if (t >= 50 + k) {
      EXPECT_EQ(out[0], static_cast<double>(k));
    }
  }
}

TEST(FilterStream, GoesOnFromItsMemoryWithTheSameBits) {
  const Eigen::MatrixXd input = random_matrix(11);
  for (const Sample& sample : samples::without_lag_taps(stream_steps)) {
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      FilterStream whole(sample.filter, direction, 11);
      std::vector<double> memory = whole.memory(), out(11), again(11);
      for (std::size_t t = 0; t < stream_steps; ++t) {
        FilterStream resumed(sample.filter, direction, 11);
        ASSERT_EQ(memory.size(), resumed.memory_size(t));
        resumed.restore(t, memory);
        whole.step(row_of(input, t), out);
        resumed.step(row_of(input, t), again);
        ASSERT_EQ(out, again) << sample.name << " step " << t;
        memory = whole.memory();
        ASSERT_EQ(memory, resumed.memory()) << sample.name << " step " << t;
      }
    }
  }
}

TEST(FilterStream, RefusesAMemoryOfTheWrongSizeOrNotFinite) {
  FilterStream stream(Filter::toeplitz(9, samples::blt4()), Direction::inverse, 2);
  EXPECT_THROW(stream.restore(3, std::vector<double>(7, 0.0)), StateError);
  EXPECT_THROW(stream.restore(10, std::vector<double>(8, 0.0)), StateError);
  EXPECT_THROW(stream.restore(3, std::vector<double>(8, HUGE_VAL)), StateError);
  stream.restore(9, std::vector<double>(8, 0.0));
  std::vector<double> out(2);
  EXPECT_THROW(stream.step(out, out), BudgetExhausted);
}

TEST(FilterStream, RefusesLagTaps) {
  for (const Sample& sample : samples::all(stream_steps)) {
    if (sample.filter.lag_taps().empty()) continue;
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      EXPECT_THROW(FilterStream(sample.filter, direction, 1), InvalidParameter);
    }
  }
}

// Both halves of a step, with nothing done between them, are the inverse.
TEST(FilterStream, InTwoHalvesInvertsTheMatrix) {
  constexpr std::size_t width = 16;
  const Eigen::MatrixXd y = random_matrix(width);
  for (const Sample& sample : samples::without_lag_taps(stream_steps)) {
    if (!sample.filter.is_invertible()) continue;
    FilterStream stream(sample.filter, Direction::inverse, width);
    Eigen::MatrixXd x(y.rows(), y.cols());
    for (std::size_t t = 0; t < stream_steps; ++t) {
      std::vector<double> past(width), newest(width);
      const std::vector<double> in = row_of(y, t);
      stream.begin_step();
      const FilterStream::Halves halves = stream.halves();
      stream.past_tile(0, past);
      for (std::size_t j = 0; j < width; ++j) {
        const double out = halves.fresh * in[j] + halves.past * past[j];
        x(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(j)) = out;
        newest[j] = halves.is_series ? (out * halves.column - past[j]) / halves.tap : out * halves.column;
      }
      stream.take_tile(0, newest);
      stream.end_step();
    }
    expect_near(x, sample.matrix.triangularView<Eigen::Lower>().solve(y.cast<long double>()));
  }
}

// With one tap and 0 .. 8 modes: the forms with everything in registers and the one with a loop.
std::vector<Filter> one_tap_filters() {
  std::vector<Filter> filters;
  Toeplitz core{.taps = {1.25}};
  for (int m = 0; m <= 8; ++m) {
    filters.push_back(Filter::toeplitz(stream_steps, core));
    filters.push_back(Filter::toeplitz(stream_steps, core, Schedule::power(0.5, -0.3, stream_steps, 1, 0.2)));
    core.modes.push_back({.weight = 0.1 * (m % 2 == 0 ? 1 : -1), .pole = 0.95 - 0.1 * m});
  }
  return filters;
}

TEST(FilterStream, GivesTheSameBitsOnEverySimdTarget) {
  const std::size_t width = 45;
  const Eigen::MatrixXd x = random_matrix(width);
  std::vector<Filter> filters = one_tap_filters();
  for (const Sample& sample : samples::without_lag_taps(stream_steps)) filters.push_back(sample.filter);
  for (const Filter& filter : filters) {
    for (const Direction direction : {Direction::forward, Direction::inverse}) {
      const Eigen::MatrixXd expected = run(filter, direction, x);
      for (const std::int64_t target : simd_targets()) {
        const OnlyTarget only(target);
        ASSERT_EQ(run(filter, direction, x), expected) << hwy::TargetName(target);
      }
    }
  }
}

TEST(FilterStream, OneTapWithAnyNumberOfModesIsItsMatrix) {
  const Eigen::MatrixXd x = random_matrix(13);
  for (const Filter& filter : one_tap_filters()) {
    const LongMatrix matrix = filter.to_dense().cast<long double>();
    expect_near(run(filter, Direction::forward, x), matrix * x.cast<long double>());
    expect_near(run(filter, Direction::inverse, x),
                matrix.triangularView<Eigen::Lower>().solve(x.cast<long double>()));
  }
}

TEST(FilterStream, TakesItsTilesInAnyOrderAndWritesThemInAUnit) {
  const std::size_t width = 1301;  // two whole tiles and a part that is not a whole lane
  const Eigen::MatrixXd x = random_matrix(width);
  for (const Sample& sample : samples::without_lag_taps(stream_steps)) {
    const Eigen::MatrixXd expected = run(sample.filter, Direction::forward, x);
    FilterStream stream(sample.filter, Direction::forward, width);
    for (std::size_t t = 0; t < stream_steps; ++t) {
      std::vector<double> in = row_of(x, t), out(width, NAN);
      in.resize(FilterStream::padded(width), 0.0);
      stream.begin_step();
      for (const std::size_t begin : {std::size_t{1024}, std::size_t{0}, std::size_t{512}}) {
        const std::span<double> values(in.data() + begin, std::min<std::size_t>(512, in.size() - begin));
        stream.step_tile(begin, values, 0.25, out.data() + begin);
      }
      stream.end_step();
      std::vector<double> wanted = row_of(expected, t);
      for (double& value : wanted) value *= 0.25;
      ASSERT_EQ(out, wanted) << sample.name;
    }
  }
}

TEST(FilterStream, OfNoCoordinatesDoesNothing) {
  FilterStream stream(Filter::toeplitz(3, samples::blt4()), Direction::inverse, 0);
  std::vector<double> nothing;
  for (int t = 0; t < 3; ++t) stream.step(nothing, nothing);
  EXPECT_EQ(stream.steps_done(), 3u);
}

TEST(FilterStream, DoesNotDwellInSubnormals) {
  for (const double pole : {.1, .5, .9}) {
    FilterStream stream(Filter::toeplitz(10'000, {.taps = {1.0}, .modes = {{.5, pole}}}), Direction::forward,
                        1);
    std::vector<double> out(1);
    int subnormal = 0;
    for (int t = 0; t < 10'000; ++t) {
      stream.step(std::vector{t == 0 ? 1.0 : 0.0}, out);
      subnormal += out[0] != 0 && !std::isnormal(out[0]) ? 1 : 0;
    }
    EXPECT_EQ(out[0], 0.0);
    EXPECT_LE(subnormal, 64);
  }
}

}  // namespace
}  // namespace jme
