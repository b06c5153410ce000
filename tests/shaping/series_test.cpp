#include "shaping/series.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>

namespace jme::shaping {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

/// Coefficients of (1 - x)^power in Number's precision.
template <typename Number>
std::vector<Number> binomial(double power, std::size_t count) {
  std::vector<Number> series(count);
  series[0] = 1;
  for (std::size_t k = 1; k < count; ++k) {
    series[k] = series[k - 1] * (Number(k) - 1 - Number(power)) / Number(k);
  }
  return series;
}

/// Coefficient m of (1 - x^length)^power (1 - x)^-power as the product of the two series.
template <typename Number>
Number window_coefficient(const std::vector<Number>& sparse, const std::vector<Number>& dense,
                          std::size_t length, std::size_t m) {
  Number sum = 0;
  for (std::size_t j = 0; j * length <= m; ++j) sum += sparse[j] * dense[m - j * length];
  return sum;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; i + j < a.size(); ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}

TEST(GeometricRoot, SquaresToTheWorkloadAndItsInverseCancelsIt) {
  for (const double ratio : {1.0, 0.999, 0.9, 0.1}) {
    const std::size_t n = 400;
    const auto root = geometric_root(ratio, n);
    const auto square = product(root, root);
    const auto unit = product(root, geometric_root_inverse(ratio, n));
    for (std::size_t k = 0; k < n; ++k) {
      // 400 products of numbers below 1, each rounded: 400 * 2^-53 at most.
      EXPECT_NEAR(square[k], std::pow(ratio, static_cast<double>(k)), 1e-13);
      EXPECT_NEAR(unit[k], k == 0 ? 1 : 0, 1e-13);
    }
  }
}

TEST(GeometricRoot, AgreesWithFiftyDigitsAtAHundredThousand) {
  const std::size_t n = 100'001;
  const auto exact = binomial<Wide>(-0.5, n);
  const auto inverse = binomial<Wide>(0.5, n);
  const auto root = geometric_root(1, n);
  const auto root_inverse = geometric_root_inverse(1, n);
  for (const std::size_t k : {1ul, 2ul, 10ul, 999ul, 100'000ul}) {
    // A product of k factors, three roundings each, errors of random sign: 1e-16 sqrt(3e5) = 6e-14; ten times
    // that.
    EXPECT_NEAR(root[k] / static_cast<double>(exact[k]), 1, 6e-13);
    EXPECT_NEAR(root_inverse[k] / static_cast<double>(inverse[k]), 1, 6e-13);
  }
}

class WindowRoot : public testing::TestWithParam<std::size_t> {};

TEST_P(WindowRoot, AgreesWithTheProductOfItsFactorsToAHundredThousand) {
  const std::size_t length = GetParam();
  const std::size_t n = 100'000;
  for (const double power : {0.5, -0.5}) {
    const auto sparse = binomial<Wide>(power, n / length + 1);
    const auto dense = binomial<Wide>(-power, n);
    const auto series = power > 0 ? window_root(length, n) : window_root_inverse(length, n);
    double worst = 0;
    std::vector<std::size_t> indices{n - 1, n - 2, n / 2, n / 3, 31'415};
    for (std::size_t m = 0; m < std::min<std::size_t>(3 * length + 2, 2000); ++m) indices.push_back(m);
    for (const std::size_t m : indices) {
      worst = std::max(worst, std::abs(static_cast<double>(window_coefficient(sparse, dense, length, m) -
                                                           Wide(series[m]))));
    }
    // Coefficients are at most 1 in size: a few ulps of 1, not growing with the index.
    EXPECT_LE(worst, 1e-15) << "length " << length << " power " << power;
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, WindowRoot, testing::Values(1, 2, 3, 10, 97, 1000));

TEST(WindowRootLongSeries, IsStableAtTenMillion) {
  const std::size_t n = 10'000'000, length = 1000;
  for (const double power : {0.5, -0.5}) {
    const auto sparse = binomial<long double>(power, n / length + 1);
    const auto dense = binomial<long double>(-power, n);
    const auto series = power > 0 ? window_root(length, n) : window_root_inverse(length, n);
    for (const std::size_t m : {n - 1, n - 500, n / 2 + 1}) {
      // The reference itself is good to 1e7 * 2^-64 = 5e-13 of terms below 1.
      EXPECT_NEAR(static_cast<double>(window_coefficient(sparse, dense, length, m)), series[m], 1e-12);
    }
  }
}

TEST(WindowRoot, SquaresToTheWindow) {
  const std::size_t n = 300;
  for (const std::size_t length : {1ul, 7ul, 50ul, 300ul}) {
    const auto root = window_root(length, n);
    const auto square = product(root, root);
    const auto unit = product(root, window_root_inverse(length, n));
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_NEAR(square[k], k < length ? 1 : 0, 1e-13);  // 300 products of numbers below 1
      EXPECT_NEAR(unit[k], k == 0 ? 1 : 0, 1e-13);
    }
  }
}

TEST(RootCoefficients, CountDecayAndWindowInBlocks) {
  const Horizon horizon(1000, 10);
  const auto fading = root_coefficients(decay(0.99), horizon, 5);
  const auto expected = geometric_root(std::pow(0.99, 10), 5);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_DOUBLE_EQ(fading[k], expected[k]);
  EXPECT_EQ(root_coefficients(window(50), horizon, 20), window_root(5, 20));
  EXPECT_EQ(root_coefficients(mean(), horizon, 20), root_coefficients(prefix(), horizon, 20));
}

TEST(RootCoefficients, DoNotExistForACustomWorkload) {
  const Workload workload = custom(Eigen::MatrixXd::Identity(3, 3));
  EXPECT_THROW((void)root_coefficients(workload, Horizon(3), 3), InvalidParameter);
  EXPECT_THROW((void)inverse_root_coefficients(workload, Horizon(3), 3), InvalidParameter);
}

TEST(RootCoefficients, RefuseAWindowThatDoesNotFit) {
  EXPECT_THROW((void)root_coefficients(window(200), Horizon(100), 10), InvalidParameter);
  EXPECT_THROW((void)root_coefficients(window(15), Horizon(100, 10), 10), InvalidParameter);
}

}  // namespace
}  // namespace jme::shaping
