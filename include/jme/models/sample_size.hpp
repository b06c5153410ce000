#pragma once

#include <cstddef>

#include <jme/models/divisors.hpp>
#include <jme/models/running_moments.hpp>
#include <jme/moments/release.hpp>

namespace jme {

/// How many independent draws from a population the rows behind a release are, for intervals that cover the
/// error of the sample too. Assumes that rows of different people are independent, and takes all rows of one
/// person (`rows_per_person`, the limit) for copies of one another, which is the worst case. Weights that
/// decay are counted by their sum, which is at most the effective number of rows.
class SampleSize {
 public:
  SampleSize(const Release& release, const Divisors& divisors, double rows_per_person = 1)
      : divisors_(&divisors), per_weight_(release.count_unit() / rows_per_person) {}

  /// Behind the mean of column i, and behind the covariance of columns i and j; noisy where counts are
  /// private, NaN where they are not known.
  [[nodiscard]] double first(std::size_t i) const { return per_weight_ * divisors_->first(i); }
  [[nodiscard]] double second(std::size_t i, std::size_t j) const {
    return per_weight_ * divisors_->second(i, j);
  }

 private:
  const Divisors* divisors_;
  double per_weight_;
};

/// Sampling variance of the means in natural units, C_ii/n, from variances in natural units. Below 0 counts
/// as 0.
[[nodiscard]] Eigen::VectorXd sampling_variance_of_means(const Eigen::VectorXd& variances,
                                                         const SampleSize& size);
/// Sampling variance of the entries of a covariance of rows that are about normal,
/// (C_ii C_jj + C_ij^2)/n.
[[nodiscard]] Eigen::MatrixXd sampling_variance_of_covariance(const Eigen::MatrixXd& covariance,
                                                              const SampleSize& size);

}  // namespace jme
