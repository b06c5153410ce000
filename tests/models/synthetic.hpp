#pragma once

// Releases with any layout, made from rows without the engine: exact sums over present cells plus independent
// Gaussian noise.
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <Eigen/Core>

#include <jme/moments/release.hpp>

#include "models/rows.hpp"

namespace jme::test {

/// Standard deviations of the noise on one number of each kind.
struct NoiseStds {
  double first = 0, diagonal = 0, off_diagonal = 0, count = 0, pair_count = 0, rows = 0;

  /// As in the box with the weights (ld, lo', w2, lp', w3) = (1, 1, 1/2, 1/2, 3d/4).
  static NoiseStds box(double first, double d) {
    return {.first = first,
            .diagonal = first,
            .off_diagonal = first * std::sqrt(d - 1),
            .count = first * std::sqrt(2.0),
            .pair_count = first * std::sqrt(2 * (d - 1)),
            .rows = first / std::sqrt(0.75 * d)};
  }
  [[nodiscard]] NoiseStds times(double factor) const {
    return {.first = factor * first,
            .diagonal = factor * diagonal,
            .off_diagonal = factor * off_diagonal,
            .count = factor * count,
            .pair_count = factor * pair_count,
            .rows = factor * rows};
  }
};

/// The numbers of a release in their order, each with the standard deviation of its noise.
struct ReleaseNumbers {
  ReleaseLayout layout;
  std::size_t rows = 0;
  NoiseStds noise;
  double unit = 1;  ///< rows per unit of a count
  std::vector<double> values{}, deviations{};

  void add(double value, double deviation) {
    values.push_back(value);
    deviations.push_back(deviation);
  }
  /// With these values in place of the exact ones.
  [[nodiscard]] Release release(const std::vector<double>& with, std::size_t steps = 1) const {
    const double weight = static_cast<double>(rows) / unit;
    std::vector<double> packed{noise.first,
                               noise.diagonal,
                               noise.off_diagonal,
                               noise.count,
                               noise.pair_count,
                               noise.rows,
                               0.0,
                               weight,
                               weight,
                               unit,
                               0.0};
    packed.insert(packed.end(), with.begin(), with.end());
    return Release::unpacked(layout, rows, steps, packed);
  }
  [[nodiscard]] Release exact(std::size_t steps = 1) const { return release(values, steps); }
  template <class Generator>
  [[nodiscard]] Release draw(Generator& generator, std::size_t steps = 1) const {
    std::normal_distribution<double> normal;
    std::vector<double> noisy = values;
    for (std::size_t k = 0; k < noisy.size(); ++k) noisy[k] += deviations[k] * normal(generator);
    return release(noisy, steps);
  }
};

/// Cells that are NaN are absent; a row without cells does not exist. Sums are divided by `unit`.
inline ReleaseNumbers numbers_of(const Eigen::MatrixXd& x, const ReleaseLayout& layout,
                                 const NoiseStds& noise, double unit = 1) {
  const auto d = static_cast<Eigen::Index>(layout.dimension);
  const Eigen::MatrixXd there = x.unaryExpr([](double v) { return std::isnan(v) ? 0.0 : 1.0; });
  const Eigen::MatrixXd cells = x.unaryExpr([](double v) { return std::isnan(v) ? 0.0 : v; });
  const Eigen::MatrixXd products = cells.transpose() * cells / unit, pairs = there.transpose() * there / unit;
  ReleaseNumbers result{
      .layout = layout, .rows = static_cast<std::size_t>(x.rows()), .noise = noise, .unit = unit};
  for (Eigen::Index i = 0; i < d; ++i) result.add(cells.col(i).sum() / unit, noise.first);
  for (Eigen::Index i = 0; layout.cell_counts && i < d; ++i) result.add(pairs(i, i), noise.count);
  if (layout.row_count)
    result.add((there.rowwise().sum().array() > 0).cast<double>().sum() / unit, noise.rows);
  const bool full = layout.second == SecondMoment::full;
  for (Eigen::Index i = 0; layout.second != SecondMoment::none && i < d; ++i) {
    for (Eigen::Index j = i; j < (full ? d : i + 1); ++j) {
      result.add(products(i, j), i == j ? noise.diagonal : noise.off_diagonal);
    }
  }
  for (Eigen::Index i = 0; layout.cell_counts && full && i < d; ++i) {
    for (Eigen::Index j = i + 1; j < d; ++j) result.add(pairs(i, j), noise.pair_count);
  }
  return result;
}

/// three_columns with holes: every 5th cell of the first column, every 7th of the second, every 11th row
/// whole.
inline Eigen::MatrixXd holes(Eigen::Index rows) {
  Eigen::MatrixXd x = three_columns(rows);
  for (Eigen::Index t = 0; t < rows; ++t) {
    if (t % 5 == 2) x(t, 0) = NAN;
    if (t % 7 == 3) x(t, 1) = NAN;
    if (t % 11 == 6) x.row(t).setConstant(NAN);
  }
  return x;
}

}  // namespace jme::test
