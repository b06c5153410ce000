#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "noise/shaped_noise.hpp"

namespace jme {
namespace {

constexpr std::size_t steps_of_prefix = 400;
constexpr Eigen::Index columns = 2048;  // that many independent streams

/// What `jme shape --workload prefix --steps 400 --shape scaled-blt:4` finds: columns of norm 1, and 4
/// running sums.
Filter scaled_blt_of_prefix() {
  const std::vector<double> poles{0.9969171028842405, 0.9654355018735551, 0.8341095538575798,
                                  0.4190428777270805};
  const std::vector<double> zeros{0.9861322300522485, 0.920872273322553, 0.6719806631967025,
                                  0.13461302726091814};
  Toeplitz core;
  for (std::size_t i = 0; i < poles.size(); ++i) {
    double weight = 1;
    for (std::size_t j = 0; j < poles.size(); ++j) {
      weight *= poles[i] - zeros[j];
      if (j != i) weight /= poles[i] - poles[j];
    }
    core.modes.push_back({weight, poles[i]});
  }
  return Filter::column_normalised(steps_of_prefix, core,
                                   Schedule::power(9.536874399492113, 0.21018099227218334, steps_of_prefix,
                                                   0.734461539694434, 0.42597678454320603));
}

/// The square root of prefix sums with columns of norm 1; every earlier value is fed back on its own.
Filter square_root_of_prefix() {
  std::vector<double> taps{1.0};
  for (std::size_t k = 1; k < steps_of_prefix; ++k)
    taps.push_back(taps.back() * (1 - 0.5 / static_cast<double>(k)));
  std::vector<double> column(steps_of_prefix);
  double squared = 0;
  for (std::size_t k = 0; k < steps_of_prefix; ++k) {
    squared += taps[k] * taps[k];
    column[steps_of_prefix - 1 - k] = 1 / std::sqrt(squared);
  }
  return Filter::toeplitz(steps_of_prefix, {.taps = taps}, {}, Schedule::values(column));
}

/// Noise of every column, one row for each step.
Eigen::MatrixXd rounded_noise(const Filter& shape, const GaussianSource& source, double scale) {
  ShapedNoise noise(shape, source, Channel::first,
                    NoiseScale::uniform(static_cast<std::size_t>(columns), scale));
  Eigen::MatrixXd y(static_cast<Eigen::Index>(shape.steps()), columns);
  std::vector<double> row(static_cast<std::size_t>(columns));
  for (Eigen::Index t = 0; t < y.rows(); ++t) {
    std::fill(row.begin(), row.end(), 0.0);
    noise.add_to(row);
    y.row(t) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), columns);
  }
  return y;
}

/// scale C^-1 Z of the same draws, in doubles.
Eigen::MatrixXd unrounded_noise(const Eigen::MatrixXd& c, const GaussianSource& source, double scale) {
  Eigen::MatrixXd z(c.rows(), columns);
  std::vector<double> row(static_cast<std::size_t>(columns));
  for (Eigen::Index t = 0; t < z.rows(); ++t) {
    source.fill(Channel::first, static_cast<std::uint64_t>(t), 0, row);
    z.row(t) = scale * Eigen::Map<const Eigen::RowVectorXd>(row.data(), columns);
  }
  return c.triangularView<Eigen::Lower>().solve(z);
}

/// Mean square of all prefix sums, and its standard error over the columns.
struct MeanSquare {
  double value, error;

  /// Mean squares of independent columns; each is a weighted sum of squares, whose skewness is at most that
  /// of one squared normal, 2.83, and that of their mean 2.83 / sqrt(2048) = 0.063. At 6.5 standard errors
  /// the normal tail, 4e-11, grows by e^(0.063 x 6.5^3 / 6) = 18: false alarms below 1e-9.
  [[nodiscard]] bool is(double expected) const { return std::abs(value - expected) <= 6.5 * error; }
};
MeanSquare of_prefix_sums(const Eigen::MatrixXd& noise) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(columns);
  Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(columns);
  for (Eigen::Index t = 0; t < noise.rows(); ++t) {
    sum += noise.row(t);
    squares += sum.transpose().array().square();
  }
  squares /= static_cast<double>(noise.rows());
  const double mean = squares.mean();
  const auto count = static_cast<double>(columns);
  return {mean, std::sqrt((squares - mean).square().sum() / (count - 1) / count)};
}

/// What theory says. A step's own noise has deviation g = scale / C_kk >= 1 unit, so that its rounding error
/// is uniform and independent of the past and of the step's draw up to e^(-2 pi^2 g^2) < 3e-9: variance 1/12.
/// Fed back, it joins the draw, whose variance scale^2 becomes scale^2 + C_kk^2 / 12. Not fed back, it stays
/// in every later prefix sum: t / 12 after t steps.
struct Theory {
  double unrounded, of_feedback, of_output;
};
Theory theory(const Eigen::MatrixXd& c, double scale) {
  const Eigen::MatrixXd prefix =
      Eigen::MatrixXd::Ones(c.rows(), c.cols()).triangularView<Eigen::Lower>().toDenseMatrix();
  const Eigen::MatrixXd b =
      c.transpose().triangularView<Eigen::Upper>().solve(prefix.transpose());  // (A C^-1)'
  const auto n = static_cast<double>(c.rows());
  return {.unrounded = scale * scale * b.squaredNorm() / n,
          .of_feedback = (c.diagonal().asDiagonal() * b).squaredNorm() / 12 / n,
          .of_output = (n + 1) / 2 / 12};
}

// 400 prefix sums at 1 and 4 units per deviation. Without rounding they have 7.1 and 113.5 square units (the
// least possible); rounding that is fed back adds 0.2 to either, rounding that is not fed back 16.7.
TEST(CoarseLattice, CostsPrefixSumsNextToNothingBecauseRoundingIsShapedToo) {
  const GaussianSource source(InsecureTestSeed{21}.key(), Nonce{});
  std::printf("%-12s %5s | %19s | %19s | %19s\n", "shape", "units", "no rounding (theory)", "rounded output",
              "rounded feedback");
  const Filter root = square_root_of_prefix();
  for (const auto& [name, shape] :
       {std::pair("scaled BLT", scaled_blt_of_prefix()), std::pair("square root", root),
        std::pair("dense", Filter::dense(root.to_dense()))}) {
    const Eigen::MatrixXd c = shape.to_dense();
    ASSERT_LE(c.diagonal().maxCoeff(), 1 + 1e-12);  // g >= 1 unit, up to rounding
    for (const double scale : {1.0, 4.0}) {
      const Eigen::MatrixXd x = unrounded_noise(c, source, scale), y = rounded_noise(shape, source, scale);
      const Eigen::MatrixXd output = x.array().round();
      const Theory expected = theory(c, scale);
      const MeanSquare unrounded = of_prefix_sums(x), fed_back = of_prefix_sums(y),
                       not_fed_back = of_prefix_sums(output);
      std::printf("%-12s %5g | %10.2f (%6.2f) | %10.2f (%6.2f) | %10.2f (%6.2f)\n", name, scale,
                  unrounded.value, expected.unrounded, not_fed_back.value,
                  expected.unrounded + expected.of_output, fed_back.value,
                  expected.unrounded + expected.of_feedback);
      EXPECT_TRUE(fed_back.is(expected.unrounded + expected.of_feedback)) << fed_back.value;
      // The draws are the same, so that the difference shows what rounding alone does.
      const MeanSquare rounding = of_prefix_sums(y - x);
      EXPECT_TRUE(rounding.is(expected.of_feedback)) << rounding.value << " +- " << rounding.error;

      // And the test has power: it rejects noise whose unrounded value goes on.
      EXPECT_TRUE(not_fed_back.is(expected.unrounded + expected.of_output)) << not_fed_back.value;
      EXPECT_FALSE(of_prefix_sums(output - x).is(expected.of_feedback));
      if (scale == 1) {
        EXPECT_FALSE(not_fed_back.is(expected.unrounded + expected.of_feedback));
      }
    }
  }
}

}  // namespace
}  // namespace jme
