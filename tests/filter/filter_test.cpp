#include <boost/multiprecision/cpp_dec_float.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/filter/filter.hpp>

#include "filter/convolution.hpp"
#include "filter/samples.hpp"

namespace jme {
namespace {

using samples::LongVector;
using samples::Sample;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::size_t filter_steps = 50;

// The samples' matrices have entries of order 1 and condition numbers below 1e5 at 50 steps, so that double
// precision leaves 1e-16 * 1e5 of the largest entry; matrices and reference agree to that.
constexpr double filter_tolerance = 1e-11;

LongVector to_long(const std::vector<double>& values) {
  LongVector vector(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) vector(static_cast<Eigen::Index>(i)) = values[i];
  return vector;
}

void expect_near(const std::vector<double>& got, const LongVector& expected) {
  ASSERT_EQ(static_cast<Eigen::Index>(got.size()), expected.size());
  const long double scale = std::max(1.0L, expected.cwiseAbs().maxCoeff());
  EXPECT_LE(static_cast<double>((to_long(got) - expected).cwiseAbs().maxCoeff() / scale), filter_tolerance);
}

class EveryFilter : public testing::TestWithParam<Sample> {
 protected:
  std::mt19937_64 random_{11};
  std::vector<double> x_ = samples::random_vector(filter_steps, random_);
};

TEST_P(EveryFilter, IsTheMatrixOfItsDefinition) {
  const Eigen::MatrixXd dense = GetParam().filter.to_dense();
  EXPECT_LE((dense.cast<long double>() - GetParam().matrix).cwiseAbs().maxCoeff(), filter_tolerance);
}

TEST_P(EveryFilter, AppliesItsMatrix) {
  expect_near(GetParam().filter.apply(x_), GetParam().matrix * to_long(x_));
}

TEST_P(EveryFilter, SolvesItsMatrix) {
  expect_near(GetParam().filter.solve(x_),
              GetParam().matrix.triangularView<Eigen::Lower>().solve(to_long(x_)));
}

TEST_P(EveryFilter, SolvesItsTransposedMatrix) {
  expect_near(GetParam().filter.solve_transposed(x_),
              GetParam().matrix.transpose().triangularView<Eigen::Upper>().solve(to_long(x_)));
}

TEST_P(EveryFilter, HasTheRowsOfItsMatrix) {
  for (const std::size_t step : {std::size_t{0}, std::size_t{1}, filter_steps / 2, filter_steps - 1}) {
    expect_near(GetParam().filter.row_weights(step),
                GetParam().matrix.row(static_cast<Eigen::Index>(step)).transpose());
  }
}

TEST_P(EveryFilter, IsInvertible) {
  EXPECT_TRUE(GetParam().filter.is_invertible());
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryFilter, testing::ValuesIn(samples::all(filter_steps)),
                         samples::sample_name<testing::TestParamInfo<Sample>>);

TEST(Toeplitz, SeriesTimesItsInverseIsOne) {
  for (const Sample& sample : samples::all(filter_steps)) {
    if (!sample.filter.is_toeplitz()) continue;
    const std::vector<double> c = sample.filter.core().coefficients(filter_steps);
    const std::vector<double> inverse = sample.filter.core().inverse_coefficients(filter_steps);
    for (std::size_t k = 0; k < filter_steps; ++k) {
      long double sum = 0, size = 0;
      for (std::size_t j = 0; j <= k; ++j) {
        sum += static_cast<long double>(c[j]) * inverse[k - j];
        size += std::abs(static_cast<long double>(c[j]) * inverse[k - j]);
      }
      // Each coefficient has some roundings of its own recursion.
      EXPECT_NEAR(static_cast<double>(sum), k == 0 ? 1.0 : 0.0, 1e-13 * static_cast<double>(size))
          << sample.name;
    }
  }
}

TEST(Toeplitz, GeometricCoefficientsStayExactOverAMillionSteps) {
  using Big = boost::multiprecision::cpp_dec_float_50;
  const Toeplitz core{.taps = {1.0}, .modes = {{.75, .99999}}};
  const std::vector<double> c = core.coefficients(1'000'000);
  for (const int k : {1, 255, 256, 257, 4096, 123456, 999999}) {
    const Big exact = Big(.75) * pow(Big(.99999), k - 1);
    // pow's ulp and at most 256 roundings.
    EXPECT_LE(abs(Big(c[static_cast<std::size_t>(k)]) / exact - 1).convert_to<double>(), 256 * 1.2e-16) << k;
  }
}

TEST(Toeplitz, APoleOfZeroIsOneMoreTap) {
  const Toeplitz with_pole{.taps = {1, .5}, .modes = {{.25, 0.0}}};
  const Toeplitz with_tap{.taps = {1, .5, .25}};
  EXPECT_EQ(with_pole.coefficients(10), with_tap.coefficients(10));
  EXPECT_EQ(with_pole.inverse_coefficients(10), with_tap.inverse_coefficients(10));
}

TEST(Toeplitz, AVanishingTailEndsInZerosAndNotInSubnormals) {
  const Toeplitz core{.taps = {1.0}, .modes = {{-.5, .4}}};
  for (const double c : core.coefficients(5000)) EXPECT_TRUE(c == 0 || std::isnormal(c));
  for (const double c : core.inverse_coefficients(5000)) EXPECT_TRUE(c == 0 || std::isnormal(c));
}

// The inverse is summed for stretches of values side by side, and each sum keeps its order: the same bits as
// one value after another, the oldest term first.
TEST(Toeplitz, TheInverseIsTheRecursionToTheLastBit) {
  std::mt19937_64 random(19);
  const std::size_t n = 100;
  for (const std::size_t width : {1UL, 2UL, 15UL, 16UL, 17UL, 33UL, 99UL, 150UL}) {
    Toeplitz core{.taps = samples::random_vector(width, random), .modes = {{.5, .9}, {-.2, .4}}};
    core.taps[0] = 3;
    std::vector<double> expected(n), sums(2, 0.0);
    for (std::size_t t = 0; t < n; ++t) {
      double known = 0;
      for (std::size_t j = std::min(width, t + 1); j-- > 1;) known += core.taps[j] * expected[t - j];
      for (std::size_t i = 0; i < 2; ++i) known += core.modes[i].weight * sums[i];
      expected[t] = ((t == 0 ? 1 : 0) - known) / core.taps[0];
      if (t + 1 < width) continue;
      for (std::size_t i = 0; i < 2; ++i) sums[i] = core.modes[i].pole * sums[i] + expected[t + 1 - width];
    }
    EXPECT_EQ(core.inverse_coefficients(n), expected) << width;
  }
}

TEST(Convolution, LongOnesByFourierAgreeWithDirectSums) {
  std::mt19937_64 random(3);
  const std::size_t n = 20'000;  // above the direct limit of 2^26 products
  const std::vector<double> kernel = samples::random_vector(n, random), x = samples::random_vector(n, random);
  const std::vector<double> y = convolve(kernel, x);
  for (const std::size_t t : {std::size_t{0}, std::size_t{777}, n / 2, n - 1}) {
    long double sum = 0;
    for (std::size_t j = 0; j <= t; ++j) sum += static_cast<long double>(kernel[j]) * x[t - j];
    // Both vectors have norm about sqrt(n); the transform loses about log2(2^16) roundings of their product.
    EXPECT_NEAR(y[t], static_cast<double>(sum), 1e-15 * 16 * static_cast<double>(n));
  }
}

TEST(WindowSums, DoNotDrift) {
  // Huge values that have left the window must leave no error behind, as they would in a running difference.
  std::vector<double> x(1000, 1.0);
  for (std::size_t t = 0; t < 100; ++t) x[t] = 1e16;
  const std::vector<double> sums = window_sums(x, 10);
  for (std::size_t t = 110; t < x.size(); ++t) EXPECT_EQ(sums[t], 10.0);
}

TEST(Filter, CountsTheVectorsThatItsInverseKeeps) {
  const std::size_t n = 100;
  EXPECT_EQ(Filter::identity(n).inverse_state_vectors(), 0u);
  EXPECT_EQ(Filter::toeplitz(n, samples::blt4()).inverse_state_vectors(), 4u);
  EXPECT_EQ(Filter::toeplitz(n, samples::blt4()).with_lag_taps({{9, .5}}).inverse_state_vectors(), 13u);
  EXPECT_EQ(Filter::toeplitz(n, {.taps = std::vector<double>(16, 1.0)}).inverse_state_vectors(), 15u);
  EXPECT_EQ(Filter::toeplitz(n, samples::square_root(n)).inverse_state_vectors(), 99u);
  EXPECT_EQ(Filter::dense(Eigen::MatrixXd::Identity(7, 7)).inverse_state_vectors(), 6u);
}

TEST(Filter, RefusesWhatIsNoFilter) {
  const auto message = [](auto text) { return ThrowsMessage<InvalidParameter>(HasSubstr(text)); };
  EXPECT_THAT([] { Filter::identity(0); }, message("steps = 0"));
  EXPECT_THAT([] { Filter::toeplitz(3, {.taps = {}}); }, message("at least one tap"));
  EXPECT_THAT([] { Filter::toeplitz(3, {.taps = {std::nan("")}}); }, message("finite"));
  EXPECT_THAT([] { Filter::toeplitz(3, {.modes = {{1, INFINITY}}}); }, message("finite"));
  EXPECT_THAT(
      [] {
        Filter::toeplitz(3, {.taps = {0.0, 1.0}, .inverted = true});
      },
      message("cannot be inverted"));
  EXPECT_THAT([] { Filter::toeplitz(3, {.inverse_taps = {1.0}}); }, message("fewer inverse coefficients"));
  EXPECT_THAT([] { Filter::toeplitz(3, {}, Schedule::values({1, 1})); }, message("schedule"));
  EXPECT_THAT([] { Filter::toeplitz(3, {}, {}, Schedule::power(0, 1, 2, 1, 1)); }, message("schedule"));
  EXPECT_THAT([] { Filter::dense(Eigen::MatrixXd::Ones(2, 3), "shape"); },
              message("shape: must be a square"));
  EXPECT_THAT([] { Filter::dense(Eigen::MatrixXd(0, 0), "shape"); }, message("shape: must be a square"));
  EXPECT_THAT([] { Filter::dense(Eigen::MatrixXd::Ones(2, 2), "shape"); },
              message("shape: must be lower triangular"));
  EXPECT_THAT([] { Filter::dense(Eigen::MatrixXd::Constant(1, 1, NAN), "shape"); }, message("finite"));
  EXPECT_THAT([] { (void)Filter::identity(3).apply(std::vector<double>(2)); }, message("3 steps, got 2"));
  EXPECT_THAT([] { (void)Filter::identity(3).with_last_row({1, 1}); }, message("3 steps, got 2"));
  EXPECT_THAT([] { (void)Filter::identity(3).row_weights(3); }, message("step = 3"));
  EXPECT_THAT([] { (void)Filter::identity(3).with_last_mode_weight(1); }, message("one mode"));
  EXPECT_THAT([] { (void)Filter::identity(3).with_lag_taps({{0, 1.0}}); }, message("lags of at least 1"));
  EXPECT_THAT([] { (void)Filter::identity(3).with_lag_taps({{1, NAN}}); }, message("finite"));
  EXPECT_THAT(
      [] {
        (void)Filter::toeplitz(3, {.inverted = true}).with_lag_taps({{1, 1.0}});
      },
      message("series as core"));
  EXPECT_THAT(
      [] {
        (void)Filter::dense(Eigen::MatrixXd::Identity(2, 2)).with_lag_taps({{1, 1.0}});
      },
      message("series"));
}

TEST(Filter, WithAZeroOnTheDiagonalIsNotInvertible) {
  const Filter delay = Filter::toeplitz(3, {.taps = {0.0, 1.0}});
  EXPECT_FALSE(delay.is_invertible());
  EXPECT_THROW((void)delay.solve(std::vector<double>(3)), InvalidParameter);
  EXPECT_THROW((void)delay.solve_transposed(std::vector<double>(3)), InvalidParameter);
  Eigen::MatrixXd singular = Eigen::MatrixXd::Identity(3, 3);
  singular(1, 1) = 0;
  EXPECT_FALSE(Filter::dense(singular).is_invertible());
  EXPECT_FALSE(Filter::identity(3).with_last_row({1, 1, 0}).is_invertible());
}

TEST(Schedule, InverseRowCountEndsInThePartialBlock) {
  const Schedule schedule = Schedule::inverse_row_count(10, 4);
  EXPECT_EQ(schedule.steps(), 3u);
  EXPECT_EQ(schedule(0), 1.0 / 4);
  EXPECT_EQ(schedule(1), 1.0 / 8);
  EXPECT_EQ(schedule(2), 1.0 / 10);
}

TEST(Schedule, PowerCountsItsStepsFromOne) {
  const Schedule schedule = Schedule::power(.5, -2, 10, .25, 3);
  EXPECT_DOUBLE_EQ(schedule(0), std::pow(1.5, -2) * std::pow(9.25, 3));
  EXPECT_DOUBLE_EQ(schedule(9), std::pow(10.5, -2) * std::pow(.25, 3));
  EXPECT_EQ(schedule.steps(), 10u);
  EXPECT_DOUBLE_EQ(Schedule::power(0, -.5, 10, 0, 0)(99), .1);
}

TEST(Schedule, RefusesNumbersThatAreNotPositive) {
  EXPECT_THROW(Schedule::values({1, 0}), InvalidParameter);
  EXPECT_THROW(Schedule::values({1, -1}), InvalidParameter);
  EXPECT_THROW(Schedule::values({NAN}), InvalidParameter);
  EXPECT_THROW(Schedule::values({INFINITY}), InvalidParameter);
  EXPECT_THROW(Schedule::power(-1, 1, 10, 1, 1), InvalidParameter);
  EXPECT_THROW(Schedule::power(0, NAN, 10, 1, 1), InvalidParameter);
  EXPECT_THROW(Schedule::power(0, 1, 10, 0, 1), InvalidParameter);
  EXPECT_THROW(Schedule::inverse_row_count(0, 1), InvalidParameter);
  EXPECT_THROW(Schedule::inverse_row_count(1, 0), InvalidParameter);
}

}  // namespace
}  // namespace jme
