#pragma once

// Rows and releases that the tests of models share.
#include <cmath>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include <jme/models/running_moments.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme::test {

/// Deterministic rows of three dependent columns in the unit box, covariance eigenvalues well apart (about
/// 0.25, 0.08 and 0.02) and a mean away from 0.
inline Eigen::MatrixXd three_columns(Eigen::Index rows) {
  Eigen::MatrixXd x(rows, 3);
  for (Eigen::Index t = 0; t < rows; ++t) {
    const auto i = static_cast<double>(t);
    const double a = std::sin(1.1 * i + 0.3), b = std::cos(2.7 * i), c = std::sin(4.3 * i + 1);
    x.row(t) << 0.2 + 0.6 * a, -0.3 + 0.3 * a + 0.35 * b, 0.1 - 0.2 * a + 0.15 * b + 0.2 * c;
  }
  return x;
}

inline StreamConfig three_column_config(double sigma, std::size_t rows) {
  return {.budget = {.sigma = sigma},
          .rows = rows,
          .every = rows,
          .dimension = 3,
          .norm_bound = std::sqrt(3.0),
          .shape = Shape::identity()};
}

/// Pushes all rows; the last release.
inline const Release& run(MomentStream& stream, const Eigen::MatrixXd& rows) {
  std::vector<double> row(static_cast<std::size_t>(rows.cols()));
  for (Eigen::Index t = 0; t < rows.rows(); ++t) {
    for (Eigen::Index j = 0; j < rows.cols(); ++j) row[static_cast<std::size_t>(j)] = rows(t, j);
    stream.push(row);
  }
  return stream.finish();
}

inline Eigen::MatrixXd covariance_of(const Eigen::MatrixXd& rows) {
  const Eigen::MatrixXd centred = rows.rowwise() - rows.colwise().mean();
  return centred.transpose() * centred / static_cast<double>(rows.rows());
}

/// Natural units of very different sizes.
inline Units some_units() {
  return {.centre = Eigen::Vector3d(12.5, 50, 5000), .half_width = Eigen::Vector3d(32.5, 50, 5000)};
}

inline Eigen::MatrixXd natural(const Eigen::MatrixXd& rows, const Units& units) {
  return (rows * units.half_width.asDiagonal()).rowwise() + units.centre.transpose();
}

}  // namespace jme::test
