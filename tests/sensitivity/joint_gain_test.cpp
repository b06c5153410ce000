#include <cmath>
#include <limits>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/sensitivity/joint.hpp>

#include "sensitivity/neighbours.hpp"

namespace jme {
namespace {

using Digits50 = boost::multiprecision::cpp_bin_float_50;

constexpr auto replace_one = Adjacency::replace_one;
constexpr auto add_remove = Adjacency::add_remove;
constexpr double unit = std::numeric_limits<double>::epsilon();

/// docs/theory/sensitivity.md#the-gain-of-one-row, letter by letter.
Digits50 printed_gain(std::size_t dimension, double nu) {
  const Digits50 v(nu);
  if (dimension >= 2) return 2 * v <= 1 ? Digits50(4) : Digits50((2 * v + 1) * (2 * v + 1) / (2 * v));
  if (v <= (11 + 5 * sqrt(Digits50(5))) / 8) return 4;
  const Digits50 t = sqrt(Digits50(1 - 2 / v));
  return (3 - t) * (3 - t) * (v * t + 1 + v) / 8;
}

TEST(JointGain, AgreesWithThePrintedFormulasAtFiftyDigits) {
  for (std::size_t dimension : {1U, 2U, 10U}) {
    for (double nu : {0.0, 0.3, 0.5, 0.50001, 0.75, 1.0, 2.7, 2.7725, 2.7726, 3.0, 10.0, 1e3, 1e8}) {
      const double truth = static_cast<double>(printed_gain(dimension, nu));
      // A handful of roundings of well-conditioned operations.
      EXPECT_NEAR(joint_gain(replace_one, dimension, nu), truth, 8 * unit * truth) << dimension << " " << nu;
    }
  }
}

TEST(JointGain, IsFourUpToOneHalf) {
  EXPECT_EQ(joint_gain(replace_one, 2, 0.5), 4);
  EXPECT_GT(joint_gain(replace_one, 2, 0.501), 4);
  EXPECT_EQ(joint_gain(replace_one, 1, (11 + 5 * std::sqrt(5)) / 8 - 1e-12), 4);
  EXPECT_GT(joint_gain(replace_one, 1, (11 + 5 * std::sqrt(5)) / 8 + 1e-9), 4);
}

TEST(JointGain, IsWhatTheWorstPairOfRowsAttains) {
  // Ascent from 12 starts reaches the maximum to 1e-6 wherever a start lies in its basin; it can never exceed
  // it by more than rounding.
  for (std::size_t dimension : {1U, 2U, 3U, 5U}) {
    for (SecondMoment second : {SecondMoment::full, SecondMoment::diagonal}) {
      for (double nu : {0.1, 0.5, 0.6, 1.0, 2.5, 2.9, 4.0, 20.0}) {
        for (Adjacency adjacency : {replace_one, add_remove}) {
          const RowModel rows{.adjacency = adjacency, .dimension = dimension, .norm_bound = 1};
          const double found = testing::worst_change(testing::one_row(rows, second, 1, 1, nu), 12, 7);
          const double gain = joint_gain(adjacency, dimension, nu);
          EXPECT_LE(found, gain * (1 + 1e-12)) << dimension << " " << nu << " " << name(adjacency);
          EXPECT_GE(found, gain * (1 - 1e-6)) << dimension << " " << nu << " " << name(adjacency);
        }
      }
    }
  }
}

TEST(JointGain, OfADiagonalInTwoDimensionsNeedsATiltedPair) {
  // The pair e1, (c, sqrt(1 - c^2)) that serves the full matrix falls short on the diagonal; with differences
  // along (1, 1) and sums along (1, -1) the off-diagonal change vanishes and the full matrix's value is
  // attained.
  const double nu = 2;
  const double c = -1 / (2 * nu);
  const double half_sum = std::sqrt((1 + c) / 2);
  const double half_gap = std::sqrt((1 - c) / 2);
  const Eigen::Vector2d along(std::sqrt(0.5), std::sqrt(0.5));
  const Eigen::Vector2d across(std::sqrt(0.5), -std::sqrt(0.5));
  const testing::Neighbours pair{half_gap * along + half_sum * across, -half_gap * along + half_sum * across};
  const RowModel rows{.dimension = 2};
  const double tilted =
      testing::squared_change(testing::one_row(rows, SecondMoment::diagonal, 1, 1, nu), pair);
  EXPECT_NEAR(tilted, joint_gain(replace_one, 2, nu), 1e-14 * tilted);
}

TEST(InverseJointGain, IsTheLargestNuWithinTheGain) {
  for (std::size_t dimension : {1U, 2U, 7U}) {
    for (double rho : {4.0, 4.0 + 1e-12, 4.001, 4.5, 5.0, 9.0, 100.0, 1e9}) {
      const double nu = inverse_joint_gain(replace_one, dimension, rho);
      EXPECT_LE(printed_gain(dimension, nu), Digits50(rho) * (1 + 1e-15)) << dimension << " " << rho;
      EXPECT_GT(printed_gain(dimension, nu * (1 + 1e-6)), Digits50(rho)) << dimension << " " << rho;
      if (rho < 4.4) continue;  // near the kink the gain is flat and says little about nu
      EXPECT_GT(printed_gain(dimension, nu * (1 + 1e-13)), Digits50(rho)) << dimension << " " << rho;
    }
  }
  EXPECT_EQ(inverse_joint_gain(replace_one, 2, 4), 0.5);
  EXPECT_NEAR(inverse_joint_gain(replace_one, 1, 4), (11 + 5 * std::sqrt(5)) / 8, 1e-15);
  EXPECT_EQ(inverse_joint_gain(add_remove, 3, 1), 0);
  EXPECT_EQ(inverse_joint_gain(add_remove, 3, 2.5), 1.5);
}

TEST(InverseJointGain, MatchesTheClosedFormForVectors) {
  for (double rho : {4.3, 6.0, 50.0}) {
    const double printed = (rho - 2 + std::sqrt(rho * (rho - 4))) / 4;
    EXPECT_NEAR(inverse_joint_gain(replace_one, 2, rho), printed, 1e-14 * printed);
  }
}

TEST(JointGain, RefusesNonsense) {
  EXPECT_THROW((void)joint_gain(replace_one, 2, -1), InvalidParameter);
  EXPECT_THROW((void)joint_gain(replace_one, 2, std::nan("")), InvalidParameter);
  EXPECT_THROW((void)inverse_joint_gain(replace_one, 2, 3.9), InvalidParameter);
  EXPECT_THROW((void)inverse_joint_gain(add_remove, 2, 0.9), InvalidParameter);
}

TEST(Adjacency, IsSpelledAsOnTheCommandLine) {
  EXPECT_EQ(parse_adjacency("replace-one"), replace_one);
  EXPECT_EQ(parse_adjacency("add-remove"), add_remove);
  EXPECT_EQ(name(parse_adjacency("add-remove")), "add-remove");
  EXPECT_EQ(name(parse_adjacency("replace-one")), "replace-one");
  EXPECT_THROW((void)parse_adjacency("add_remove"), InvalidParameter);
  EXPECT_THROW((void)parse_adjacency(""), InvalidParameter);
}

}  // namespace
}  // namespace jme
