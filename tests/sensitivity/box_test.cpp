#include "sensitivity/box.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "sensitivity/box_rows.hpp"

namespace jme {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using testing::BoxRow;
using testing::complete;
using testing::distance;
using testing::nothing;
using testing::square;

// 8 - f_2 on the border, both cells present in both rows, |x_i - y_i| = 1 + a and |x_i + y_i| = 1 - a: both
// sides have degree 4 in a and in b, so 25 points decide.
TEST(BoxTheorem, IdentityHoldsInExactRationals) {
  const auto power = [](const Rational& base, int n) {
    Rational product = 1;
    for (int i = 0; i < n; ++i) product *= base;
    return product;
  };
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      const Rational a(2 * i - 3, 7), b(3 * j + 1, 11);
      const Rational left = 6 - 2 * a - 2 * b - a * a - b * b -
                            2 * (power(1 - a * a, 2) + power(1 - b * b, 2)) - power(1 - a * b, 2);
      const Rational right = power((1 - a) * (1 - b), 2) + power(a * (1 - a) - b * (1 - b), 2) +
                             a * a * (1 - a) * (1 + 3 * a) + b * b * (1 - b) * (1 + 3 * b);
      EXPECT_EQ(left, right);
    }
  }
}

TEST(BoxTheorem, LargestDiagonalWeightIsThatOfThePage) {
  EXPECT_NEAR(largest_diagonal_weight(0), (11 + 5 * std::sqrt(5.0)) / 8, 4e-12);
  EXPECT_EQ(largest_diagonal_weight(1), 2);
  // The frontier itself, from its definition: the least of the quotient over a in (-1, 1).
  for (const double s : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    double least = 10;
    for (int i = -9999; i < 10000; ++i) {
      const double a = i * 1e-4;
      least = std::min(least, ((3 - s) + (1 + s) * a) / ((1 - a) * square(1 + a)));
    }
    // On a grid of width h the minimum is met to h^2 times half the second derivative there, below 20.
    EXPECT_LE(largest_diagonal_weight(s), least);
    EXPECT_GE(largest_diagonal_weight(s), least - 20 * 1e-8);
  }
}

std::vector<SecondMoment> moments_for(std::size_t d) {
  if (d == 1) return {SecondMoment::none, SecondMoment::diagonal};
  return {SecondMoment::none, SecondMoment::diagonal, SecondMoment::full};
}

TEST(BoxTheorem, FreeWeightsAreFreeAndNoPairOfRowsIsFartherApart) {
  for (std::size_t d = 1; d <= 8; ++d) {
    for (const SecondMoment second : moments_for(d)) {
      for (const Presence presence : {Presence::complete, Presence::rows, Presence::cells}) {
        const BoxWeights weights = free_weights(second, d, presence);
        EXPECT_TRUE(are_free(weights, d, presence)) << d;
        const double found =
            testing::largest_found({.weights = weights, .dimension = d, .presence = presence}, 24, 7);
        // Sums of at most 4 d^2 terms below 4, in doubles.
        EXPECT_LE(found, 4.0 * static_cast<double>(d) * (1 + 1e-12)) << d << name(second);
        EXPECT_GE(found, 4.0 * static_cast<double>(d) * (1 - 1e-12));
      }
    }
  }
}

/// All cells flipped but the first, which is `x` in one row and `y` in the other.
std::pair<BoxRow, BoxRow> flipped_but_one(std::size_t d, double x, double y) {
  std::vector<double> ones(d, 1.0), minus(d, -1.0);
  ones[0] = x;
  minus[0] = y;
  return {complete(ones), complete(minus)};
}

// Each condition is needed: on its border some pair of rows reaches 4d, and beyond it that pair is farther
// apart.
TEST(BoxTheorem, EveryConditionIsNecessary) {
  for (std::size_t d = 2; d <= 8; ++d) {
    const double limit = 4.0 * static_cast<double>(d);
    // The diagonal: one cell at a = A.
    for (const double s : {0.0, 0.5, 1.0}) {
      const double a = (std::sqrt(5 - 4 * s) - 2 + s) / (1 + s);
      const auto [x, y] = flipped_but_one(d, 1, -a);
      const BoxWeights border{.diagonal = largest_diagonal_weight(s), .off_diagonal = s};
      EXPECT_NEAR(distance(border, x, y), limit, 1e-10) << d << " " << s;
      const BoxWeights beyond{.diagonal = 1.01 * border.diagonal, .off_diagonal = s};
      EXPECT_FALSE(are_free(beyond, d, Presence::complete));
      EXPECT_GT(distance(beyond, x, y), limit);
    }
    // The products: one cell that is the same in both rows.
    const auto [x, y] = flipped_but_one(d, 1, 1);
    EXPECT_NEAR(distance({.diagonal = 2, .off_diagonal = 1}, x, y), limit, 1e-12);
    EXPECT_GT(distance({.diagonal = 2, .off_diagonal = 1.01}, x, y), limit);
    EXPECT_FALSE(are_free({.diagonal = 0, .off_diagonal = 1.01}, d, Presence::complete));
    // Cells: one that only one row has.
    auto [with, without] = flipped_but_one(d, 1, 0);
    without.present[0] = 0;
    const BoxWeights cells = free_weights(SecondMoment::full, d, Presence::cells);
    EXPECT_NEAR(distance(cells, with, without), limit, 1e-12);
    for (const auto part : {&BoxWeights::diagonal, &BoxWeights::cells, &BoxWeights::pairs}) {
      BoxWeights beyond = cells;
      beyond.*part *= 1.01;
      EXPECT_FALSE(are_free(beyond, d, Presence::cells));
      EXPECT_GT(distance(beyond, with, without), limit);
    }
    // Rows: a corner against no row.
    for (const Presence presence : {Presence::rows, Presence::cells}) {
      BoxWeights rows = free_weights(SecondMoment::full, d, presence);
      const BoxRow corner = complete(std::vector<double>(d, 1.0));
      EXPECT_NEAR(distance(rows, corner, nothing(d)), limit, 1e-11);
      rows.row *= 1.01;
      EXPECT_FALSE(are_free(rows, d, presence));
      EXPECT_GT(distance(rows, corner, nothing(d)), limit);
    }
  }
}

}  // namespace
}  // namespace jme
