#pragma once

#include <cstddef>
#include <span>

#include <Eigen/Core>

#include <jme/base/values.hpp>
#include <jme/filter/aligned_vector.hpp>

namespace jme {

/// What one step publishes: the two moments after noise, and how much noise they carry. Nothing in it is
/// secret.
class Release {
 public:
  Release(std::size_t dimension, SecondMoment second);

  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] SecondMoment second_kind() const { return second_kind_; }
  /// Rows included; 0 before the first release.
  [[nodiscard]] std::size_t rows() const { return rows_; }
  /// Releases so far, this one included.
  [[nodiscard]] std::size_t steps() const { return steps_; }
  /// True where the push that returned this release closed a block, false where it repeats the one before.
  [[nodiscard]] bool is_new() const { return is_new_; }

  /// A1 (X + noise): one value per coordinate.
  [[nodiscard]] std::span<const double> first() const { return first_; }
  /// A2 (X.X + noise): the upper triangle row by row (full) or the diagonal.
  [[nodiscard]] std::span<const double> second() const { return second_; }
  /// The same as a symmetric matrix (full) or a diagonal one.
  [[nodiscard]] Eigen::MatrixXd second_matrix() const;

  /// Standard deviation of the noise on each entry of `first`.
  [[nodiscard]] double std_first() const { return std_first_; }
  /// Standard deviation of the noise on a diagonal entry of the second moment; off the diagonal it is smaller
  /// by sqrt 2. For PP the noise depends on the data; this is an upper bound over all streams.
  [[nodiscard]] double std_second() const { return std_second_; }
  /// True for PP: its second moment is made of the first channel's noise, so the two are not independent.
  [[nodiscard]] bool shares_noise() const { return shares_noise_; }
  /// What the noise adds to a diagonal entry of the second moment on average: 0, except for plain PP.
  [[nodiscard]] double bias_second() const { return bias_second_; }
  /// Sum of the weights over rows in this release, for each channel: divide by it to get an average. Public.
  [[nodiscard]] double weight_first() const { return weight_first_; }
  [[nodiscard]] double weight_second() const { return weight_second_; }

  /// All numbers of the release in one vector, from which unpacked() makes the same release again: for
  /// streams that outlive a process.
  [[nodiscard]] std::vector<double> packed() const;
  /// Throws StateError where the count of numbers is wrong.
  static Release unpacked(std::size_t dimension, SecondMoment second, std::size_t rows, std::size_t steps,
                          std::span<const double> numbers);

 private:
  friend class MomentStream;
  std::size_t dimension_;
  SecondMoment second_kind_;
  std::size_t rows_ = 0, steps_ = 0;
  bool is_new_ = false, shares_noise_ = false;
  AlignedVector first_, second_;
  double std_first_ = 0, std_second_ = 0, bias_second_ = 0, weight_first_ = 0, weight_second_ = 0;
};

/// Index of entry (i, j), i <= j, in the packed upper triangle of a d x d matrix.
[[nodiscard]] constexpr std::size_t packed_index(std::size_t i, std::size_t j, std::size_t d) {
  return i * d - i * (i + 1) / 2 + j;
}

}  // namespace jme
