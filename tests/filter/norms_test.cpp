#include "filter/norms.hpp"

#include <algorithm>
#include <cmath>

#include <boost/multiprecision/cpp_dec_float.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

#include "filter/samples.hpp"

namespace jme {
namespace {

using samples::LongMatrix;
using samples::Sample;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Big = boost::multiprecision::cpp_dec_float_50;

constexpr std::size_t norm_steps = 40;

const Toeplitz sum_core{.taps = {1.0}, .modes = {{1.0, 1.0}}};

// Row and column norms are sums of squares of matrices whose condition is below 1e5 at 40 steps (long double
// has three digits more, so the reference adds nothing).
constexpr double norm_tolerance = 1e-11;

void expect_near(const std::vector<double>& got, const samples::LongVector& expected,
                 const std::string& name) {
  ASSERT_EQ(static_cast<Eigen::Index>(got.size()), expected.size());
  const auto scale = static_cast<double>(expected.maxCoeff());
  for (std::size_t t = 0; t < got.size(); ++t) {
    const auto exact = static_cast<double>(expected(static_cast<Eigen::Index>(t)));
    EXPECT_NEAR(got[t], exact, norm_tolerance * std::max(exact, 1e-3 * scale)) << name << " at " << t;
  }
}

class EveryShape : public testing::TestWithParam<Sample> {};

TEST_P(EveryShape, HasTheColumnNormsOfItsMatrix) {
  expect_near(squared_column_norms(GetParam().filter), GetParam().matrix.colwise().squaredNorm().transpose(),
              "");
}

TEST_P(EveryShape, HasTheErrorRowNormsOfTheMatrixForEveryWorkload) {
  const LongMatrix inverse = samples::inverse(GetParam().matrix);
  for (const Sample& a : samples::all(norm_steps)) {
    const LongMatrix response = a.matrix * inverse;
    expect_near(squared_error_row_norms(a.filter, GetParam().filter), response.rowwise().squaredNorm(),
                a.name);
  }
}

TEST_P(EveryShape, HasTheInverseRowNormsOfItsMatrix) {
  expect_near(squared_inverse_row_norms(GetParam().filter),
              samples::inverse(GetParam().matrix).rowwise().squaredNorm(), "");
}

TEST_P(EveryShape, HasTheErrorNormOfAnyRelease) {
  std::mt19937_64 random(5);
  const std::vector<double> weights = samples::random_vector(norm_steps, random);
  samples::LongVector row(static_cast<Eigen::Index>(norm_steps));
  for (std::size_t j = 0; j < norm_steps; ++j) row(static_cast<Eigen::Index>(j)) = weights[j];
  const auto exact =
      static_cast<double>((row.transpose() * samples::inverse(GetParam().matrix)).squaredNorm());
  EXPECT_NEAR(squared_error_row_norm(weights, GetParam().filter), exact, norm_tolerance * exact);
}

TEST_P(EveryShape, LeavesUnitNoiseWhereItIsTheWorkload) {
  for (const double norm : squared_error_row_norms(GetParam().filter, GetParam().filter)) {
    EXPECT_NEAR(norm, 1.0, norm_tolerance);  // A A^-1 = I
  }
}

// Exact, or 1 where only Cauchy and Schwarz were asked.
TEST_P(EveryShape, HasBoundsOfTheProductsOfTwoColumnsOfEitherSign) {
  LongMatrix gram = GetParam().matrix.transpose() * GetParam().matrix;
  const auto largest = static_cast<double>(gram.diagonal().maxCoeff());
  gram.diagonal().setZero();
  const double negative = std::max(0.0, -static_cast<double>(gram.minCoeff()) / largest);
  const double positive = std::max(0.0, static_cast<double>(gram.maxCoeff()) / largest);
  const auto expect_bound = [](double bound, double exact) {
    EXPECT_GE(bound, exact * (1 - norm_tolerance));
    EXPECT_LE(bound, 1.0);
    if (bound < 1) {
      EXPECT_NEAR(bound, exact, 1e-11);
    }
  };
  expect_bound(negative_product_bound(GetParam().filter), negative);
  expect_bound(positive_product_bound(GetParam().filter), positive);
  if (GetParam().matrix.isDiagonal()) {
    EXPECT_EQ(positive_product_bound(GetParam().filter), 0);
  }
}

TEST_P(EveryShape, HasGramBoundsThatAreSoundAndForDenseFiltersExact) {
  const LongMatrix gram = GetParam().matrix.transpose() * GetParam().matrix;
  std::vector<std::size_t> lags(norm_steps + 2);
  for (std::size_t l = 0; l < lags.size(); ++l) lags[l] = l;
  const std::vector<double> bounds = gram_lag_bounds(GetParam().filter, lags);
  ASSERT_EQ(bounds.size(), lags.size());
  const std::vector<double> c = GetParam().filter.is_toeplitz()
                                    ? GetParam().filter.core().coefficients(norm_steps)
                                    : std::vector<double>{};
  const bool falls = !c.empty() && c.back() >= 0 && std::is_sorted(c.rbegin(), c.rend());
  const bool exact = !GetParam().filter.is_toeplitz() || falls;
  for (const std::size_t lag : lags) {
    double largest = 0;
    for (Eigen::Index i = 0; i < gram.rows(); ++i) {
      for (Eigen::Index j = 0; j < gram.cols(); ++j) {
        if (static_cast<std::size_t>(std::abs(i - j)) >= lag) {
          largest = std::max(largest, std::abs(static_cast<double>(gram(i, j))));
        }
      }
    }
    EXPECT_GE(bounds[lag], largest * (1 - norm_tolerance)) << lag;
    if (exact) {
      EXPECT_NEAR(bounds[lag], largest, norm_tolerance * bounds[0]) << lag;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryShape, testing::ValuesIn(samples::all(norm_steps)),
                         samples::sample_name<testing::TestParamInfo<Sample>>);

Filter mean_filter(std::size_t n) {
  return Filter::toeplitz(n, sum_core, Schedule::inverse_row_count(n, 1));
}

double rmse(const Filter& a, const Filter& c) {
  const std::vector<double> columns = squared_column_norms(c);
  double sum = 0;
  for (const double norm : squared_error_row_norms(a, c)) sum += norm;
  return std::sqrt(*std::max_element(columns.begin(), columns.end()) * sum / static_cast<double>(a.steps()));
}

TEST(ScaledBlt, HasTheKnownErrorOnMeans) {
  const std::size_t n = 1000;
  EXPECT_NEAR(rmse(mean_filter(n), samples::scaled_blt_for_mean(n)), .0551076,
              5e-8);  // all digits of docs/theory/shaping.md#scaled-blt
}

TEST(ScaledBlt, HasColumnsOfNormOneAndItsRecursionsAgreeWithDenseMatrices) {
  const std::size_t n = 1000;
  const Filter c = samples::scaled_blt_for_mean(n);
  for (const double norm : squared_column_norms(c)) EXPECT_NEAR(norm, 1, 1e-14);  // 1/sqrt and its square
  const Filter dense = Filter::dense(c.to_dense());
  const std::vector<double> by_recursion = squared_error_row_norms(mean_filter(n), c);
  const std::vector<double> by_matrix = squared_error_row_norms(mean_filter(n), dense);
  for (std::size_t t = 0; t < n; ++t) EXPECT_NEAR(by_recursion[t], by_matrix[t], 1e-11 * by_matrix[t]);
}

TEST(SquareRoot, OfPrefixSumsHasEqualRowAndColumnNorms) {
  // A = C C, so A C^-1 = C: row t holds c_0 .. c_t. Reference: 50 digits.
  const std::size_t n = 100'000;
  const Filter c = Filter::toeplitz(n, samples::square_root(n));
  const std::vector<double> columns = squared_column_norms(c);
  const std::vector<double> rows = squared_error_row_norms(Filter::toeplitz(n, sum_core), c);
  Big coefficient = 1, sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (k > 0) coefficient = coefficient * (2 * k - 1) / (2 * k);
    sum += coefficient * coefficient;
    if (k % 9973 != 0 && k + 1 != n) continue;
    // Two roundings per step in c_k, random in sign: below 10 sqrt(k) ulp; the prefix sum of the inverse
    // cancels from 1 to c_k = 1/sqrt(pi k), which doubles the error of the row norms.
    EXPECT_LE(abs(Big(columns[n - 1 - k]) / sum - 1).convert_to<double>(), 1e-13) << k;
    EXPECT_LE(abs(Big(rows[k]) / sum - 1).convert_to<double>(), 1e-12) << k;
  }
}

TEST(Blt, OverALongHorizonHasTheNormsOfFiftyDigits) {
  // A pole of 1 in the workload meets a shape whose inverse nearly cancels it: sums of 20000 terms of both
  // signs.
  const std::size_t n = 20'000;
  const Toeplitz core = samples::blt4();
  const std::vector<double> rows =
      squared_error_row_norms(Filter::toeplitz(n, sum_core), Filter::toeplitz(n, core));
  const std::vector<double> columns = squared_column_norms(Filter::toeplitz(n, core));
  std::vector<Big> states(4, 0), powers;
  for (const Mode& mode : core.modes) powers.emplace_back(mode.weight);
  Big prefix = 0, row = 0, column = 1;
  for (std::size_t t = 0; t < n; ++t) {
    Big x = t == 0 ? 1 : 0;
    for (std::size_t i = 0; i < 4; ++i) x -= Big(core.modes[i].weight) * states[i];
    for (std::size_t i = 0; i < 4; ++i) states[i] = Big(core.modes[i].pole) * states[i] + x;
    prefix += x;
    row += prefix * prefix;
    if (t > 0) {
      Big c = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        c += powers[i];
        powers[i] *= Big(core.modes[i].pole);
      }
      column += c * c;
    }
    if (t % 997 != 0 && t + 1 != n) continue;
    EXPECT_LE(abs(Big(rows[t]) / row - 1).convert_to<double>(), 1e-12) << t;
    EXPECT_LE(abs(Big(columns[n - 1 - t]) / column - 1).convert_to<double>(), 1e-13) << t;
  }
}

TEST(ScheduledBlt, OverALongHorizonHasTheErrorOfTheUnscheduledOne) {
  // A schedule of ones is the same as no schedule: the covariance recursion must agree with the impulse
  // response.
  const std::size_t n = 20'000;
  const Filter plain = Filter::toeplitz(n, samples::blt4());
  const Schedule ones = Schedule::values(std::vector<double>(n, 1.0));
  const Filter scheduled = Filter::toeplitz(n, samples::blt4(), ones, ones);
  const Filter a = Filter::toeplitz(n, sum_core);
  const std::vector<double> expected = squared_error_row_norms(a, plain),
                            got = squared_error_row_norms(a, scheduled);
  const std::vector<double> columns = squared_column_norms(plain),
                            got_columns = squared_column_norms(scheduled);
  for (std::size_t t = 0; t < n; t += 97) {
    EXPECT_NEAR(got[t], expected[t], 1e-11 * expected[t]);  // n roundings of a variance that accumulates
    // Rounded up by 4 n units in the last place, so that a sensitivity made of it is never too small.
    EXPECT_GE(got_columns[t], columns[t]);
    EXPECT_LE(got_columns[t], columns[t] * (1 + 5 * static_cast<double>(n) * 0x1p-52));
  }
}

TEST(Norms, OfAWindowOverALongHorizonMatchItsClosedForm) {
  // With C = I, row t of a window of k is min(t+1, k) entries 1/k.
  const std::size_t n = 30'000, k = 10'000;
  const Filter a = Filter::toeplitz(n, {.taps = std::vector<double>(k, 1.0 / static_cast<double>(k))});
  const std::vector<double> rows = squared_error_row_norms(a, Filter::identity(n));
  for (std::size_t t = 0; t < n; t += 331) {
    const double expected = static_cast<double>(std::min(t + 1, k)) / static_cast<double>(k * k);
    EXPECT_NEAR(rows[t], expected, 1e-14 * expected);
  }
}

TEST(Norms, RefuseMatricesTooLargeToBeDense) {
  const std::size_t n = 5000;
  const Schedule schedule = Schedule::values(std::vector<double>(n, 2.0));
  const Filter c = Filter::toeplitz(n, samples::square_root(n), schedule);
  EXPECT_THAT(([&] { (void)squared_inverse_row_norms(c); }),
              ThrowsMessage<InvalidParameter>(HasSubstr("steps = 5000: must be at most 4096")));
}

TEST(Norms, RefuseSingularShapesAndUnequalHorizons) {
  const Filter delay = Filter::toeplitz(3, {.taps = {0.0, 1.0}});
  EXPECT_THROW((void)squared_error_row_norms(Filter::identity(3), delay), InvalidParameter);
  EXPECT_THROW((void)squared_error_row_norms(Filter::identity(3), Filter::identity(4)), InvalidParameter);
}

}  // namespace
}  // namespace jme
