#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <jme/base/horizon.hpp>
#include <jme/workload/workload.hpp>

namespace jme::theory {

/// H = B'B over rows, B the row-level workload at the rows where something is released: PP's errors are
/// computed from it (docs/theory/errors.md#squared-noisy-rows, A2 counted at releases only). Entries in O(1),
/// so that no n x n matrix is needed.
class ReleaseGram {
 public:
  ReleaseGram(const Workload& workload, const Horizon& horizon);

  [[nodiscard]] std::size_t rows() const { return horizon_.rows(); }
  /// H(earlier, later), rows from 0, earlier <= later.
  [[nodiscard]] double operator()(std::size_t earlier, std::size_t later) const;
  [[nodiscard]] Eigen::MatrixXd to_dense() const;

 private:
  Workload workload_;
  Horizon horizon_;
  // Sum over the releases from step b on of: 1 (prefix), 1/rows^2 (mean), beta^(2 rows since b's last row)
  // (decay).
  std::vector<double> from_step_;
  std::vector<double> powers_;  // beta^0, beta^1, ...: a table is faster than pow in O(n^2) loops
  Eigen::MatrixXd step_gram_;   // A'A of a custom workload, over steps
};

/// sum_t b_t x_t for every release, b the release's row weights.
[[nodiscard]] std::vector<double> release_sums(const Workload& workload, const Horizon& horizon,
                                               std::span<const double> per_row);

/// B itself: releases x rows. A custom workload gives all rows of a block the same weight.
[[nodiscard]] Eigen::MatrixXd release_matrix(const Workload& workload, const Horizon& horizon);

/// ||b C^-1||^2 for every release, C over rows.
[[nodiscard]] std::vector<double> release_row_norms(const Workload& workload, const Horizon& horizon,
                                                    const Filter& c);

}  // namespace jme::theory
