#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/filter/stream.hpp>
#include <jme/noise/sampler_use.hpp>
#include <jme/random/gaussian_source.hpp>

namespace jme {
namespace {

const Toeplitz two_modes{.taps = {1.0},
                         .modes = {{.weight = 0.2, .pole = 0.9}, {.weight = 0.1, .pole = 0.4}}};

/// Row sums of C and C^-1 over their diagonals, columns over the diagonal, and squared norms, from the matrix
/// itself.
SamplerUse from_matrix(const Filter& shape, double scale) {
  const Eigen::MatrixXd c = shape.to_dense();
  const Eigen::MatrixXd inverse = c.inverse();
  SamplerUse use{.draws = 0,
                 .width = 1,
                 .fresh_variance = 0,
                 .largest_fresh_std = 0,
                 .smallest_fresh_std = HUGE_VAL,
                 .roundings = 0,
                 .drift = 0,
                 .states = 0,
                 .memory = 1,
                 .column_ratio = 0,
                 .row_sum = 0};
  for (Eigen::Index t = 0; t < c.rows(); ++t) {
    const double d = std::abs(c(t, t));
    use.fresh_variance += scale * scale / (d * d);
    use.largest_fresh_std = std::max(use.largest_fresh_std, scale / d);
    use.smallest_fresh_std = std::min(use.smallest_fresh_std, scale / d);
    use.column_ratio = std::max(use.column_ratio, c.col(t).norm() / d);
    // The sum with the past and the scale, each as long as the row.
    if (!c.isDiagonal()) use.roundings = std::max(use.roundings, 2 * inverse.row(t).norm() * d);
    use.row_sum = std::max({use.row_sum, c.row(t).cwiseAbs().sum() / d, inverse.row(t).cwiseAbs().sum() * d});
  }
  // Squared norm of the map from draws to values over their fresh parts, over the longest row.
  const Eigen::MatrixXd relative = c.diagonal().cwiseAbs().asDiagonal() * inverse;
  const Eigen::MatrixXd gram = relative * relative.transpose();
  const double longest = gram.diagonal().maxCoeff();
  use.memory =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff() /
      longest;
  return use;
}

TEST(SamplerUse, BoundsWhatTheMatrixSays) {
  constexpr std::size_t n = 60;
  std::vector<double> falling, rising;
  for (std::size_t t = 1; t <= n; ++t) {
    falling.push_back(std::pow(static_cast<double>(t), -0.92));
    rising.push_back(std::pow(static_cast<double>(t), 0.1));
  }
  const std::vector<Filter> shapes = {
      Filter::identity(n),
      Filter::toeplitz(n, two_modes),
      Filter::toeplitz(n, two_modes, Schedule::values(falling), Schedule::values(rising)),
      Filter::toeplitz(n, {.taps = {1.0, 0.5, 0.375}}),
      Filter::toeplitz(n, two_modes).with_lag_taps({{10, 0.3}, {20, 0.1}}),
      Filter::toeplitz(n, two_modes, Schedule::values(rising), Schedule::values(falling))
          .with_lag_taps({{7, 0.3}}),
      Filter::toeplitz(n, {.taps = {1.0, -0.5, -0.125}, .inverted = true}),
      Filter::dense(Filter::toeplitz(n, two_modes).to_dense())};
  for (const Filter& shape : shapes) {
    const std::vector<double> scale = {1e6, 1e6, 1e6};
    const SamplerUse use = sampler_use(shape, scale);
    const SamplerUse exact = from_matrix(shape, 1e6);
    EXPECT_EQ(use.draws, 3.0 * n);
    EXPECT_NEAR(use.largest_fresh_std / exact.largest_fresh_std, 1, 1e-12);
    EXPECT_NEAR(use.smallest_fresh_std / exact.smallest_fresh_std, 1, 1e-12);
    EXPECT_NEAR(use.column_ratio / exact.column_ratio, 1, 1e-9);
    EXPECT_GE(use.row_sum, exact.row_sum * (1 - 1e-12));
    EXPECT_GE(use.memory, exact.memory * (1 - 1e-12));
    EXPECT_NEAR(use.fresh_variance / (3 * exact.fresh_variance), 1, 1e-12);
    EXPECT_GE(use.roundings, std::max(1.0, exact.roundings * (1 - 1e-12)));
    EXPECT_LT(sampler_distance(use, 1e-12).epsilon, 1e-3);
  }
}

TEST(SamplerUse, OfNormalisedColumnsAndThoseWithoutEndBoundsWhatTheMatrixSays) {
  constexpr std::size_t n = 80;
  Toeplitz lagged = two_modes;
  lagged.lag_taps = {{10, 0.3}, {20, 0.1}};
  const std::vector<Filter> shapes = {
      Filter::column_normalised(n, two_modes, Schedule::power(2, -0.9, n, 1, 0.4)),
      Filter::column_normalised(n, lagged), Filter::endless_column_normalised(n, two_modes),
      Filter::endless_column_normalised(n, two_modes, Schedule::power(0, -0.9, n, 1, 0)),
      Filter::endless_column_normalised(n, two_modes, Schedule::power(30, -0.3, n, 1, 0))};
  for (const Filter& shape : shapes) {
    const std::vector<double> scale = {1e6, 1e6, 1e6};
    const SamplerUse use = sampler_use(shape, scale);
    const SamplerUse exact = from_matrix(shape, 1e6);
    EXPECT_EQ(use.draws, 3.0 * n);
    // Without end they are bounds in closed form, not far from the truth.
    const double loose = shape.is_endless() ? 1.5 : 1 + 1e-9;
    const auto expect_bounds = [&](double bound, double truth) {
      EXPECT_GE(bound, truth * (1 - 1e-9));
      EXPECT_LE(bound, truth * loose);
    };
    expect_bounds(use.largest_fresh_std, exact.largest_fresh_std);
    expect_bounds(1 / use.smallest_fresh_std, 1 / exact.smallest_fresh_std);
    expect_bounds(use.column_ratio, exact.column_ratio);
    expect_bounds(std::sqrt(use.fresh_variance), std::sqrt(3 * exact.fresh_variance));
    EXPECT_GE(use.row_sum, exact.row_sum * (1 - 1e-12));
    EXPECT_GE(use.memory, exact.memory * (1 - 1e-12));
    EXPECT_GE(use.roundings, exact.roundings * (1 - 1e-12));
    EXPECT_LT(sampler_distance(use, 1e-12).epsilon, 1e-3);
  }
}

TEST(SamplerUse, OfTheFirstStepsCountsThem) {
  const std::vector<double> scale = {1e6, 1e6};
  const Filter endless =
      Filter::endless_column_normalised(1 << 26, two_modes, Schedule::power(30, -0.3, 1 << 26, 1, 0));
  EXPECT_EQ(sampler_use(endless, scale, 1, 1000).draws, 2000);
  const double early = sampler_distance(sampler_use(endless, scale, 1, 1 << 16), 1e-12).epsilon;
  const double late = sampler_distance(sampler_use(endless, scale, 1, 1 << 26), 1e-12).epsilon;
  EXPECT_LT(early, late);
  EXPECT_TRUE(std::isfinite(late));
  const Filter ending = Filter::column_normalised(5000, two_modes, Schedule::power(2, -0.9, 5000, 1, 0.4));
  EXPECT_EQ(sampler_use(ending, scale, 1, 100).draws, 200);
  EXPECT_LT(sampler_use(ending, scale, 1, 100).fresh_variance, sampler_use(ending, scale).fresh_variance);
}

TEST(SamplerUse, OfAnIdentityCountsOnlyTheStepsAPersonTouches) {
  constexpr std::size_t n = 50;
  const std::vector<double> scale = {1e6, 2e6};
  const SamplerUse touched = sampler_use(Filter::identity(n), scale, 3);
  EXPECT_EQ(touched.draws, 6);
  EXPECT_EQ(touched.fresh_variance, 3 * 5e12);
  EXPECT_EQ(touched.roundings, 1);
  EXPECT_EQ(touched.drift, 0);
  EXPECT_EQ(sampler_use(Filter::identity(n), scale, n + 1).draws, 2.0 * n);
  EXPECT_EQ(sampler_use(Filter::identity(n), scale).draws, 2.0 * n);
  EXPECT_EQ(sampler_use(Filter::toeplitz(n, two_modes), scale, 3).draws, 2.0 * n);
}

TEST(SamplerUse, OfADiagonalShapeWithAScheduleCountsTheLargestSteps) {
  const Filter shape = Filter::toeplitz(3, {}, Schedule::values({1.0, 0.5, 0.25}));
  const std::vector<double> scale = {1e6};
  EXPECT_EQ(sampler_use(shape, scale, 1).fresh_variance, 16e12);
  EXPECT_EQ(sampler_use(shape, scale).fresh_variance, 21e12);
}

TEST(SamplerUse, RefusesAReplacedLastRow) {
  const std::vector<double> scale = {1e6};
  EXPECT_THROW((void)sampler_use(Filter::identity(3).with_last_row({0.5, 0.5, 1.0}), scale),
               InvalidParameter);
}

/// C^-1 z one value after another with significands of 64 bits, from the same parameters.
class ExtendedInverse {
 public:
  explicit ExtendedInverse(const Filter& shape) : shape_(shape), states_(shape.core().modes.size(), 0.0L) {}

  long double step(double draw) {
    const std::size_t t = values_.size();
    if (shape_.is_dense()) {
      long double value = draw;
      for (std::size_t s = 0; s < t; ++s) value -= entry(t, s) * values_[s];
      values_.push_back(value / entry(t, t));
      return values_.back();
    }
    const Toeplitz& core = shape_.core();
    const std::size_t taps = core.taps.size();
    draws_.push_back(draw / static_cast<long double>(shape_.row()(t)));
    const std::vector<long double>& taken = core.inverted ? draws_ : values_;
    long double known = 0;
    for (const LagTap& tap : core.lag_taps) {
      if (tap.lag <= t) known -= tap.weight * draws_[t - tap.lag];
    }
    for (std::size_t j = 1; j < std::min(taps, t + 1); ++j) known += core.taps[j] * taken[t - j];
    for (std::size_t m = 0; m < states_.size(); ++m) known += core.modes[m].weight * states_[m];
    values_.push_back(core.inverted ? core.taps[0] * draws_[t] + known : (draws_[t] - known) / core.taps[0]);
    for (std::size_t m = 0; m < states_.size() && t + 1 >= taps; ++m) {
      states_[m] = core.modes[m].pole * states_[m] + taken[t + 1 - taps];
    }
    return values_[t] / shape_.column()(t);
  }

 private:
  [[nodiscard]] long double entry(std::size_t t, std::size_t s) const {
    return shape_.matrix()(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(s));
  }
  const Filter& shape_;
  std::vector<long double> draws_, values_, states_;
};

// The whole of a value's error over its fresh standard deviation: the past's, and one rounding (of at most
// 11 standard deviations) for each of `roundings`.
void expect_error_within_bounds(const Filter& shape, const Filter& exact, double largest_drift) {
  constexpr std::size_t width = 4;
  const std::vector<double> scale(width, 1e6);
  const SamplerUse use = sampler_use(shape, scale);
  EXPECT_GT(use.drift, 0);
  EXPECT_LT(use.drift, largest_drift);
  FilterStream stream(shape, Direction::inverse, width);
  const GaussianSource source(InsecureTestSeed{6}.key(), Nonce{});
  const auto step = [&](std::size_t t, const std::vector<double>& in, std::vector<double>& out) {
    if (shape.lag_taps().empty()) return stream.step(in, out);
    std::vector<double> lagged(width, 0.0), old(width);
    for (const LagTap& tap : shape.lag_taps()) {
      if (tap.lag > t) continue;
      source.fill(Channel::first, t - tap.lag, 0, old);
      for (std::size_t j = 0; j < width; ++j) lagged[j] += tap.weight / shape.row()(t - tap.lag) * old[j];
    }
    stream.step(in, lagged, out);
  };
  std::vector<ExtendedInverse> references(width, ExtendedInverse(exact));
  std::vector<double> z(width), x(width);
  long double largest = 0;
  for (std::size_t t = 0; t < shape.steps(); ++t) {
    source.fill(Channel::first, t, 0, z);
    step(t, z, x);
    const auto i = static_cast<Eigen::Index>(t);
    const double diagonal = shape.is_dense()
                                ? shape.matrix()(i, i)
                                : shape.core().coefficients(1)[0] * shape.row()(t) * shape.column()(t);
    for (std::size_t j = 0; j < width; ++j) {
      largest = std::max(largest, std::abs((x[j] - references[j].step(z[j])) * diagonal));
    }
  }
  EXPECT_GT(static_cast<double>(largest), 0);
  EXPECT_LT(static_cast<double>(largest), use.drift + 11 * use.roundings * 0x1p-53);
}

// The ceilings are those below which the drift of a run is no part of its distance (random/GUARANTEES).
TEST(SamplerUse, FilterDriftsByLessThanProvedWithPolesNearOne) {
  const Filter shape = Filter::toeplitz(20'000, {.taps = {1.0},
                                                 .modes = {{.weight = 0.05, .pole = 0.9999},
                                                           {.weight = 0.1, .pole = 0.99},
                                                           {.weight = 0.2, .pole = 0.8}}});
  expect_error_within_bounds(shape, shape, 0x1p-40);
}

TEST(SamplerUse, FilterDriftsByLessThanProvedUnderSchedules) {
  const std::size_t n = 5'000;
  std::vector<double> falling, rising;
  for (std::size_t t = 1; t <= n; ++t) {
    falling.push_back(std::pow(static_cast<double>(t), -0.3));
    rising.push_back(std::pow(static_cast<double>(t), 0.1));
  }
  for (const bool swapped : {false, true}) {
    const Filter shape = Filter::toeplitz(n, two_modes, Schedule::values(swapped ? rising : falling),
                                          Schedule::values(swapped ? falling : rising));
    expect_error_within_bounds(shape, shape, 0x1p-40);
  }
}

TEST(SamplerUse, FilterDriftsByLessThanProvedWithTapsAndModesOfBothSigns) {
  for (const bool inverted : {false, true}) {
    const Filter shape =
        Filter::toeplitz(3'000, {.taps = {1.3, 0.4, -0.2},
                                 .modes = {{.weight = 0.1, .pole = 0.9}, {.weight = -0.05, .pole = -0.7}},
                                 .inverted = inverted});
    expect_error_within_bounds(shape, shape, 0x1p-40);
  }
}

TEST(SamplerUse, FilterDriftsByLessThanProvedWithLagTaps) {
  const std::size_t n = 1'000;
  std::vector<double> falling;
  for (std::size_t t = 1; t <= n; ++t) falling.push_back(std::pow(static_cast<double>(t), -0.3));
  const std::vector<LagTap> taps{{100, 0.45}, {200, 0.3}, {300, 0.2}};
  for (const Schedule& row : {Schedule{}, Schedule::values(falling)}) {
    const Filter shape =
        Filter::toeplitz(n, {.taps = {1.1}, .modes = {{0.2, 0.99}, {0.1, 0.4}}}, row).with_lag_taps(taps);
    expect_error_within_bounds(shape, shape, 0x1p-38);
  }
}

TEST(SamplerUse, FilterDriftsByLessThanProvedAsASquareRootInClosedForm) {
  constexpr std::size_t n = 2'000;
  std::vector<double> root = {1.0}, inverse = {1.0};
  for (std::size_t k = 1; k < n; ++k) {
    const auto index = static_cast<double>(k);
    root.push_back(root.back() * (2 * index - 1) / (2 * index));
    inverse.push_back(inverse.back() * (2 * index - 3) / (2 * index));
  }
  expect_error_within_bounds(Filter::toeplitz(n, {.taps = root, .inverse_taps = inverse}),
                             Filter::toeplitz(n, {.taps = inverse, .inverted = true}), 0x1p-34);
}

TEST(SamplerUse, FilterDriftsByLessThanProvedAsAMatrix) {
  const Filter shape = Filter::dense(
      Filter::toeplitz(400, {.taps = {1.5}, .modes = {{.weight = 0.2, .pole = 0.99}}}).to_dense());
  expect_error_within_bounds(shape, shape, 0x1p-36);
}

}  // namespace
}  // namespace jme
