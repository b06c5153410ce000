#include "statistics/exact_law.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace jme {
namespace {

using exact_law::Laws;
using exact_law::RoundedMechanism;
using exact_law::Rows;
using Fifty =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;

/// What arithmetic can add to a delta. An edge of a cell lies where it should to 40 units (a dozen roundings
/// of numbers within 10 deviations), so that its distribution function errs by 40 times the density, and a
/// step of deviation g by 2 x 40 g in all cells together. Three steps, g <= 80 (8 units per deviation, C_kk
/// >= 0.1), 1 + e^epsilon <= 56: 1.1e6; sums of at most 2000 terms inside each other are far less.
template <class Real>
Real arithmetic() {
  return 2'000'000 * std::numeric_limits<Real>::epsilon();
}

/// The most by which the laws are above the curve of mu-GDP at any of these epsilons, mu = |C Delta| / scale.
long double largest_excess(const RoundedMechanism& mechanism, const Rows& rows,
                           const std::vector<long double>& epsilons) {
  const Laws<long double> laws(mechanism, rows, epsilons, 10);
  long double largest = -1;
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    const long double curve = exact_law::gaussian_curve(laws.mu(), epsilons[i]);
    largest = std::max(largest, laws.deltas()[i] + laws.missing() - curve);
  }
  return largest;
}

/// Zero against `difference`, whatever was released.
Rows zero_against(std::vector<long> difference) {
  return [difference](std::span<const long> releases) {
    return std::array<long, 2>{0, difference[releases.size()]};
  };
}

Eigen::MatrixXd lower(std::initializer_list<double> rows_of_triangle) {
  const std::size_t n = rows_of_triangle.size() == 3 ? 2 : 3;
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  const auto* entry = rows_of_triangle.begin();
  for (Eigen::Index i = 0; i < c.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) c(i, j) = *entry++;
  }
  return c;
}
Eigen::MatrixXd unit_columns(Eigen::MatrixXd c) {
  return c.colwise().normalized();
}
/// Normal entries, unit columns, no C_kk below 0.1.
Eigen::MatrixXd random_shape(Eigen::Index steps, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  for (;;) {
    Eigen::MatrixXd c = Eigen::MatrixXd::Zero(steps, steps);
    for (Eigen::Index i = 0; i < steps; ++i) {
      for (Eigen::Index j = 0; j <= i; ++j) c(i, j) = i == j ? std::abs(normal(engine)) : normal(engine);
    }
    c = unit_columns(c);
    if (c.diagonal().minCoeff() >= 0.1) return c;
  }
}

// Prefix sums, two whole numbers on the diagonal of its inverse; roots of it; fractions that do and do not
// fit a lattice; a first step of ten times the noise, whose rounding the second would have to hide.
const Eigen::MatrixXd prefix_sums = lower({1, 1, 1});
const Eigen::MatrixXd four_fifths = lower({0.8, 0.6, 1});
std::vector<Eigen::MatrixXd> shapes_of_two_steps() {
  std::vector<Eigen::MatrixXd> all{Eigen::MatrixXd::Identity(2, 2),
                                   prefix_sums,
                                   four_fifths,
                                   unit_columns(lower({1, 0.5, 1})),
                                   unit_columns(lower({0.1, 0.99, 1})),
                                   lower({0.6, -0.8, 1})};
  for (std::uint64_t seed = 0; seed < 10; ++seed) all.push_back(random_shape(2, seed));
  return all;
}
std::vector<Eigen::MatrixXd> shapes_of_three_steps() {
  std::vector<Eigen::MatrixXd> all{lower({1, 1, 1, 1, 1, 1}), unit_columns(lower({1, 0.5, 1, 0.375, 0.5, 1})),
                                   unit_columns(lower({0.1, -0.7, 0.5, 0.7, 0.9, 1}))};
  for (std::uint64_t seed = 10; seed < 13; ++seed) all.push_back(random_shape(3, seed));
  return all;
}

void expect_below_the_curve(const std::vector<Eigen::MatrixXd>& shapes, double units,
                            const std::vector<Rows>& all_rows) {
  std::vector<long double> epsilons;
  for (int i = 0; i <= 20; ++i) epsilons.push_back(static_cast<long double>(i) / 5);
  for (const Eigen::MatrixXd& shape : shapes) {
    for (std::size_t i = 0; i < all_rows.size(); ++i) {
      EXPECT_LE(largest_excess({.shape = shape, .scale = units}, all_rows[i], epsilons),
                arithmetic<long double>())
          << units << " units per deviation, rows " << i << '\n'
          << shape;
    }
  }
}

// A person's row moves by a whole number of units: about one deviation, in one step or several, to where it
// helps and where it cancels, and up to three deviations.
TEST(ExactLaw, OfTwoStepsIsBelowTheGaussianCurveOnEveryLattice) {
  for (const double units : {0.6, 1.0, 2.0}) {
    const long m = std::lround(units);
    expect_below_the_curve(
        shapes_of_two_steps(), units,
        {zero_against({m, 0}), zero_against({0, m}), zero_against({m, -m}), zero_against({m, m}),
         zero_against({3 * m, -m}), zero_against({m, 1 - 2 * m}), zero_against({3 * m, 0})});
  }
  expect_below_the_curve(shapes_of_two_steps(), 8, {zero_against({9, 0}), zero_against({11, -7})});
}

TEST(SlowExactLaw, OfThreeStepsIsBelowTheGaussianCurveOnEveryLattice) {
  for (const double units : {0.6, 1.0}) {
    expect_below_the_curve(shapes_of_three_steps(), units,
                           {zero_against({1, 0, 0}), zero_against({1, -1, 1}), zero_against({2, -1, 0})});
  }
  expect_below_the_curve(shapes_of_three_steps(), 2, {zero_against({2, -1, 1})});
}

TEST(SlowExactLaw, OfThreeStepsIsBelowTheGaussianCurveAtEightUnitsADeviation) {
  expect_below_the_curve(shapes_of_three_steps(), 8, {zero_against({9, -4, 1})});
}

// Later rows follow from earlier releases: those that both data sets share, and the difference itself, whose
// sign and size the first release chooses. mu is that of the worst path.
TEST(ExactLaw, OfAdaptiveRowsIsBelowTheGaussianCurve) {
  for (const double units : {0.6, 1.0, 2.0}) {
    const long m = std::lround(units);
    const Rows shared = [m](std::span<const long> releases) {
      if (releases.empty()) return std::array<long, 2>{3, 3 + m};
      const long row = releases[0] * releases[0] % 11 - 5;
      return std::array<long, 2>{row, row};
    };
    const Rows chosen = [m](std::span<const long> releases) {
      if (releases.empty()) return std::array<long, 2>{0, m};
      const long sum = releases[0] + (releases.size() > 1 ? releases[1] : 0);
      return sum % 2 == 0 ? std::array<long, 2>{sum % 7, sum % 7 + m} : std::array<long, 2>{m, 0};
    };
    // The likelier the first release under the second data set, the more the second step adds.
    const Rows greedy = [m](std::span<const long> releases) {
      if (releases.empty()) return std::array<long, 2>{0, m};
      return std::array<long, 2>{0, 2 * releases[0] > m ? m : -m};
    };
    expect_below_the_curve(shapes_of_two_steps(), units, {shared, chosen, greedy});
    if (units < 2) expect_below_the_curve(shapes_of_three_steps(), units, {shared, chosen, greedy});
  }
}

/// A pair of data sets that a lattice does not hide. [C Delta]_2 = 0, so that the first step alone tells the
/// sets apart, and does so best by a threshold at
///     Delta_1 / 2 + epsilon g^2 / Delta_1 ,   g = scale / C_11 ,
/// which these epsilons put half-way between two whole numbers: rounding loses nothing, delta is on the
/// curve.
struct TightCase {
  Eigen::MatrixXd shape;
  double units;
  std::vector<long> difference;
  std::vector<double> tenths;  ///< of epsilon
};
std::vector<TightCase> tight_cases() {
  return {{Eigen::MatrixXd::Identity(2, 2), 1, {2, 0}, {10}},  // threshold 1 + epsilon / 2
          {prefix_sums, 1, {3, -3}, {0, 30}},                  // 1.5 + epsilon / 3
          {prefix_sums, 2, {4, -4}, {5, 15}},                  // 2 + epsilon
          {four_fifths, 1, {5, -3}, {0, 32}},                  // 2.5 + 0.3125 epsilon
          {four_fifths, 2, {5, -3}, {0, 8, 16}}};              // 2.5 + 1.25 epsilon
}
template <class Real>
std::vector<Real> epsilons_of(const TightCase& tight) {
  std::vector<Real> epsilons;
  for (const double tenth : tight.tenths) epsilons.push_back(Real(tenth) / 10);
  return epsilons;
}

TEST(ExactLaw, IsOnTheGaussianCurveWhereTheBestThresholdIsBetweenTwoWholeNumbers) {
  for (const TightCase& tight : tight_cases()) {
    // The double nearest to 0.8 is 0.8 to 2^-54, which moves delta by less than four times that.
    const bool is_exact = tight.shape(0, 0) == 1;
    const auto epsilons = epsilons_of<Fifty>(tight);
    const RoundedMechanism mechanism{.shape = tight.shape, .scale = tight.units};
    const Laws<Fifty> laws(mechanism, zero_against(tight.difference), epsilons, 12);
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
      const Fifty gap = laws.deltas()[i] - exact_law::gaussian_curve<Fifty>(laws.mu(), epsilons[i]);
      EXPECT_LE(abs(gap), is_exact ? Fifty(laws.missing() + arithmetic<Fifty>()) : Fifty(0x1p-52))
          << tight.shape << '\n'
          << epsilons[i] << ' ' << gap;
    }
  }
}

// The check has power. With the threshold at t - 1/2, delta is P(y >= t - Delta_1) - e^epsilon P(y >= t). All
// t above lie between 1 and Delta_1, and there rounding towards zero raises the first and lowers the second,
// each by what lies in half a unit: one draw of 2^10 is enough to be seen.
TEST(ExactLaw, RejectsRoundingTowardsZeroInOneOf1024Draws) {
  for (const TightCase& tight : tight_cases()) {
    const RoundedMechanism mistaken{.shape = tight.shape, .scale = tight.units, .towards_zero = 0x1p-10};
    const long double g = tight.units / tight.shape(0, 0);
    const auto first = static_cast<long double>(tight.difference[0]);
    for (const long double epsilon : epsilons_of<long double>(tight)) {
      const long double t = std::round(first / 2 + epsilon * g * g / first + 0.5L);
      const auto beyond = [&](long double value) { return exact_law::upper_tail(value / g); };
      const long double seen_more = beyond(t - first - 1) - beyond(t - first - 0.5L);
      const long double seen_less = beyond(t - 0.5L) - beyond(t);
      const long double expected = 0x1p-10L * (seen_more + std::exp(epsilon) * seen_less);
      const long double excess = largest_excess(mistaken, zero_against(tight.difference), {epsilon});
      std::printf("C_11 %g, C_21 %g, %g units, rows differ by (%ld, %ld), epsilon %.1Lf: above by %.2Le\n",
                  tight.shape(0, 0), tight.shape(1, 0), tight.units, tight.difference[0], tight.difference[1],
                  epsilon, excess);
      EXPECT_NEAR(static_cast<double>(excess), static_cast<double>(expected),
                  static_cast<double>(arithmetic<long double>()));
      EXPECT_GT(excess, 1e-5);
    }
  }
}

TEST(ExactLaw, RejectsNoiseOnePercentTooSmall) {
  for (const TightCase& tight : tight_cases()) {
    const RoundedMechanism mistaken{.shape = tight.shape, .scale = tight.units, .factor = 0.99};
    for (const long double epsilon : epsilons_of<long double>(tight)) {
      EXPECT_GT(largest_excess(mistaken, zero_against(tight.difference), {epsilon}), 1e-4);
    }
  }
  // On a fine lattice for every shape, in the middle of the range of epsilon.
  for (const Eigen::MatrixXd& shape : shapes_of_two_steps()) {
    const RoundedMechanism mistaken{.shape = shape, .scale = 8, .factor = 0.99};
    EXPECT_GT(largest_excess(mistaken, zero_against({11, -7}), {1.0L}), 1e-4) << shape;
  }
}

}  // namespace
}  // namespace jme
