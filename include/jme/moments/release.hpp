#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <jme/base/values.hpp>
#include <jme/filter/aligned_vector.hpp>
#include <jme/mechanism/release_layout.hpp>

namespace jme {

/// What one step publishes: the two moments after noise, and how much noise they carry. Nothing in it is
/// secret.
class Release {
 public:
  explicit Release(const ReleaseLayout& layout);

  [[nodiscard]] const ReleaseLayout& layout() const { return layout_; }
  [[nodiscard]] std::size_t dimension() const { return layout_.dimension; }
  [[nodiscard]] SecondMoment second_kind() const { return layout_.second; }
  /// Rows included; 0 before the first release.
  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// Releases so far, this one included.
  [[nodiscard]] std::size_t steps() const { return steps_; }
  /// True where the push that returned this release closed a block, false where it repeats the one before.
  [[nodiscard]] bool is_new() const { return is_new_; }

  /// A1 (X + noise): one value per coordinate.
  [[nodiscard]] std::span<const double> first() const { return std::span(first_).first(layout_.dimension); }
  /// A2 (X.X + noise): the upper triangle row by row (full) or the diagonal.
  [[nodiscard]] std::span<const double> second() const {
    return std::span(second_).first(layout_.moment_size());
  }
  /// The same as a symmetric matrix (full) or a diagonal one.
  [[nodiscard]] Eigen::MatrixXd second_matrix() const;

  /// Counts with their noise, summed with the weights of their channel, so that first()[i] / counts()[i] is a
  /// mean over present cells and second() / pair_counts() one over present pairs. Times count_unit() they are
  /// numbers of rows (for decay and matrices: weighted ones). Empty where they are not released.
  [[nodiscard]] std::span<const double> counts() const {  ///< of rows that have cell i
    return std::span(first_).subspan(layout_.dimension, layout_.count_of_cells());
  }
  [[nodiscard]] std::span<const double> pair_counts() const {  ///< of rows with i and j: see pair_index
    return std::span(second_).subspan(layout_.moment_size(), layout_.count_of_pairs());
  }
  [[nodiscard]] std::optional<double> row_count() const {  ///< of rows that exist
    return layout_.row_count ? std::optional(first_.back()) : std::nullopt;
  }
  [[nodiscard]] double count_unit() const { return count_unit_; }
  /// The trace of the second moment where it is released besides, with its own noise. second() was corrected
  /// by it: each diagonal entry moved by Calibration::trace_share of what the trace exceeds their sum by.
  [[nodiscard]] std::optional<double> trace() const {
    return layout_.trace ? std::optional(second_.back()) : std::nullopt;
  }

  /// Standard deviation of the noise on each entry of `first`.
  [[nodiscard]] double std_first() const { return std_first_; }
  /// Standard deviation of the noise on a diagonal entry of the second moment. For PP the noise depends on
  /// the data; this is an upper bound over all streams.
  [[nodiscard]] double std_second() const { return std_second_; }
  /// The same off the diagonal: smaller by sqrt 2 in the ball, larger in the box of many columns.
  [[nodiscard]] double std_off_diagonal() const { return std_off_diagonal_; }
  /// Covariance of the noise on two diagonal entries: below 0 where the trace was released besides, and they
  /// were corrected by it; else 0.
  [[nodiscard]] double diagonal_covariance() const { return diagonal_covariance_; }
  /// Standard deviations of the noise on counts, in their unit; 0 where they are not released.
  [[nodiscard]] double std_count() const { return std_count_; }
  [[nodiscard]] double std_pair_count() const { return std_pair_count_; }
  [[nodiscard]] double std_rows() const { return std_rows_; }
  /// True for PP: its second moment is made of the first channel's noise, so the two are not independent.
  [[nodiscard]] bool shares_noise() const { return shares_noise_; }
  /// What the noise adds to a diagonal entry of the second moment on average: 0, except for plain PP.
  [[nodiscard]] double bias_second() const { return bias_second_; }
  /// Sum of the weights over rows in this release, for each channel: divide by it to get an average. Public.
  [[nodiscard]] double weight_first() const { return weight_first_; }
  [[nodiscard]] double weight_second() const { return weight_second_; }

  /// The same sums where `count` of the rows were zero and only filled up their blocks: they no longer count
  /// among the rows and in the weights. For workloads in which all rows weigh the same (prefix, mean). Throws
  /// StateError where counts are released, whose noise hides how many rows there are.
  [[nodiscard]] Release without_zero_rows(std::size_t count) const;

  /// All numbers of the release in one vector, from which unpacked() makes the same release again: for
  /// streams that outlive a process.
  [[nodiscard]] std::vector<double> packed() const;
  /// Throws StateError where the count of numbers is wrong.
  static Release unpacked(const ReleaseLayout& layout, std::size_t rows, std::size_t steps,
                          std::span<const double> numbers);

 private:
  friend class MomentStream;
  /// The numbers that packed() has before the moments.
  [[nodiscard]] std::vector<double*> scalars();

  ReleaseLayout layout_;
  std::size_t rows_ = 0, steps_ = 0;
  bool is_new_ = false, shares_noise_ = false;
  AlignedVector first_, second_;
  double std_first_ = 0, std_second_ = 0, std_off_diagonal_ = 0, std_count_ = 0, std_pair_count_ = 0,
         std_rows_ = 0, bias_second_ = 0, weight_first_ = 0, weight_second_ = 0, count_unit_ = 1,
         diagonal_covariance_ = 0;
};

/// Index of entry (i, j), i <= j, in the packed upper triangle of a d x d matrix.
[[nodiscard]] constexpr std::size_t packed_index(std::size_t i, std::size_t j, std::size_t d) {
  return i * d - i * (i + 1) / 2 + j;
}
/// Index of the pair (i, j), i < j, in the triangle above the diagonal.
[[nodiscard]] constexpr std::size_t pair_index(std::size_t i, std::size_t j, std::size_t d) {
  return packed_index(i, j, d) - i - 1;
}

}  // namespace jme
