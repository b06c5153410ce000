// Sums over many rows of one person, by their definition: every pair of rows, one after another.
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <jme/sensitivity/participation.hpp>

namespace jme {
namespace {

using Long = long double;

std::vector<double> falling_taps(std::size_t n, double power) {
  std::vector<double> taps(n);
  for (std::size_t k = 0; k < n; ++k) taps[k] = std::pow(static_cast<double>(k + 1), -power);
  return taps;
}

Filter series_filter(const std::vector<double>& taps) {
  return Filter::toeplitz(taps.size(), {.taps = taps, .modes = {}, .inverse_taps = {}});
}

/// g_i = sum_j (C'C)_{ib,jb} of a Toeplitz C with these coefficients, entry by entry.
std::vector<Long> slow_packing_sums(const std::vector<double>& taps, std::size_t rows, std::size_t apart) {
  const std::size_t n = taps.size();
  std::vector<Long> sums(rows, 0);
  for (std::size_t m = 0; m < rows; ++m) {
    Long entry = 0;  // the later row has fewer terms: from the last pair to the first
    std::size_t u = 0;
    for (std::size_t j = rows; j-- > m;) {
      for (; u < n - j * apart; ++u)
        entry += static_cast<Long>(taps[u]) * static_cast<Long>(taps[u + m * apart]);
      sums[j] += entry;
      if (m > 0) sums[j - m] += entry;
    }
  }
  return sums;
}

/// G(l) from all entries of C'C.
std::vector<Long> slow_lag_maxima(const Eigen::MatrixXd& c) {
  const Eigen::Matrix<Long, -1, -1> gram = c.cast<Long>().transpose() * c.cast<Long>();
  std::vector<Long> largest(static_cast<std::size_t>(c.rows()) + 1, 0);
  for (Eigen::Index i = 0; i < c.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      for (Eigen::Index l = 0; l <= i - j; ++l) {
        auto& at = largest[static_cast<std::size_t>(l)];
        at = std::max(at, std::abs(gram(i, j)));
      }
    }
  }
  return largest;
}

/// The same of a falling Toeplitz C, where the first column has the largest products.
std::vector<Long> slow_lag_products(const std::vector<double>& taps) {
  std::vector<Long> largest(taps.size() + 1, 0);
  for (std::size_t l = 0; l < taps.size(); ++l) {
    for (std::size_t k = 0; k + l < taps.size(); ++k) {
      largest[l] += static_cast<Long>(taps[k]) * static_cast<Long>(taps[k + l]);
    }
  }
  return largest;
}

/// g_i = sum_j G(lag of i and j), pair by pair: rows m places apart are floor(m b / k) blocks apart or more;
/// of those that could share a block with row i, ceil(k / b) do, itself included, and the others are one
/// block away.
std::vector<Long> slow_lag_sums(const std::vector<Long>& largest, std::size_t rows, std::size_t apart,
                                std::size_t every) {
  const std::size_t in_block = (every + apart - 1) / apart;
  std::vector<Long> sums(rows, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t sharing = 0;
    for (std::size_t j = 0; j < rows; ++j) {
      const std::size_t places = i < j ? j - i : i - j;
      std::size_t lag = places * apart / every;
      if (places < in_block) lag = sharing++ < in_block ? 0 : 1;
      sums[i] += lag < largest.size() ? largest[lag] : 0;
    }
  }
  return sums;
}

void expect_sums(const Exposure& exposure, const std::vector<Long>& slow, double tolerance) {
  ASSERT_EQ(exposure.patterns.size(), 1U);
  const std::vector<ColumnGain>& gains = exposure.patterns.front();
  ASSERT_EQ(gains.size(), slow.size());
  for (std::size_t i = 0; i < slow.size(); ++i) {
    ASSERT_GE(gains[i].first, slow[i]) << i;
    ASSERT_LE(gains[i].first, slow[i] * (1 + static_cast<Long>(tolerance))) << i;
    ASSERT_EQ(gains[i].first, gains[i].second) << i;
  }
}

/// p + 4 roundings of a sum are added to it, and a little for what it is made of.
double tolerance_for(std::size_t rows) {
  return static_cast<double>(2 * rows + 20) * 2.3e-16;
}

TEST(ManyRows, ByEarliestPackingAddEveryPair) {
  std::mt19937_64 random(3);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::size_t n = 2 + random() % 120, apart = 1 + random() % 9;
    const std::size_t rows = 2 + random() % 60;
    const std::vector<double> taps = falling_taps(n, 0.25 * static_cast<double>(random() % 8));
    const std::size_t fit = rows_that_fit(Horizon(n), {.rows = rows, .separation = apart});
    if (fit == 1) continue;
    const Filter c = series_filter(taps);
    expect_sums(exposure(c, c, Horizon(n), {.rows = rows, .separation = apart}),
                slow_packing_sums(taps, fit, apart), tolerance_for(fit));
  }
}

// Long enough for the sums to go through a Fourier transform.
TEST(ManyRows, ByEarliestPackingAddEveryPairOnLongHorizons) {
  const std::size_t n = 6000;
  const std::vector<double> taps = falling_taps(n, 0.5);
  const Filter c = series_filter(taps);
  for (const Participation many : {Participation{.rows = 6000, .separation = 1},
                                   {.rows = 3500, .separation = 1},
                                   {.rows = 2900, .separation = 2}}) {
    // The transform's error is some 1e-16 of the norms' product, which is up to some hundred sums.
    expect_sums(exposure(c, c, Horizon(n), many), slow_packing_sums(taps, many.rows, many.separation),
                tolerance_for(many.rows) + 1e-13);
  }
}

TEST(ManyRows, ByLagAddEveryPairOfAnyMatrix) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto n = static_cast<Eigen::Index>(2 + random() % 14);
    Eigen::MatrixXd c = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return uniform(random); });
    c = c.triangularView<Eigen::Lower>();
    c.diagonal().array() = 1;
    const std::size_t every = 1 + random() % 6, apart = 2 + random() % 7;
    const Horizon horizon(static_cast<std::size_t>(n) * every - random() % every, every);
    const Participation many{.rows = 2 + random() % 40, .separation = apart};
    const std::size_t fit = rows_that_fit(horizon, many);
    if (fit == 1) continue;
    const Filter filter = Filter::dense(c);
    // Entries of C'C are sums of at most 15 products in double.
    expect_sums(exposure(filter, filter, horizon, many), slow_lag_sums(slow_lag_maxima(c), fit, apart, every),
                tolerance_for(fit) + 1e-14);
  }
}

TEST(ManyRows, ByLagAddEveryPairOnLongHorizons) {
  const std::size_t n = 5000;
  const std::vector<double> taps = falling_taps(n, 0.5);
  const std::vector<Long> largest = slow_lag_products(taps);
  const Filter c = series_filter(taps);
  for (const Participation many :
       {Participation{.rows = 4000, .separation = 2}, {.rows = 3300, .separation = 3}}) {
    for (const std::size_t every : {2UL, 5UL}) {
      const Horizon horizon(n * every, every);
      expect_sums(exposure(c, c, horizon, many), slow_lag_sums(largest, many.rows, many.separation, every),
                  tolerance_for(many.rows) + 1e-13);
    }
  }
}

}  // namespace
}  // namespace jme
