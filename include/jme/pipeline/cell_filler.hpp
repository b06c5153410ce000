#pragma once

#include <cstddef>
#include <span>

#include <Eigen/Core>

#include <jme/columns/missing.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// Fills missing cells of rows in the unit box with public values, or with what the last release says about
/// them; never with anything from another row.
class CellFiller {
 public:
  /// `bounded`: the unit box is a box, and fills stay in it. Without bounds they stay within the norm bound.
  CellFiller(MissingCells cells, double norm_bound, bool bounded);

  [[nodiscard]] const MissingCells& cells() const { return cells_; }
  /// Takes note of a release, once each. Rows filled from it depend on what was released before, which the
  /// guarantee covers (src/pipeline/GUARANTEES.md).
  void learn(const Release& release);
  /// Fills the cells named in `missing` with finite numbers, whatever finite numbers the other cells hold, or
  /// with NaN where they stay absent.
  /// For the model, a row without bounds is first shortened to the norm bound.
  void fill(std::span<double> row, std::span<const std::size_t> missing) const;

 private:
  [[nodiscard]] double inside(double value) const;
  void shorten(std::span<double> row) const;
  [[nodiscard]] Eigen::VectorXd expected(std::span<const double> row,
                                         std::span<const std::size_t> missing) const;
  MissingCells cells_;
  double norm_bound_;
  bool bounded_;
  std::size_t steps_ = 0;      // of the release learnt last
  Eigen::VectorXd mean_;       // 0 before the first release
  Eigen::MatrixXd precision_;  // of the model; the identity before the first release
};

}  // namespace jme
