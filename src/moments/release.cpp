#include <algorithm>

#include <jme/base/errors.hpp>
#include <jme/moments/release.hpp>
#include <jme/moments/releases.hpp>

namespace jme {

Release::Release(const ReleaseLayout& layout)
    : layout_(layout), first_(layout.first_size(), 0.0), second_(layout.second_size(), 0.0) {}

Eigen::MatrixXd Release::second_matrix() const {
  const auto d = static_cast<Eigen::Index>(layout_.dimension);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(d, d);
  std::size_t k = 0;
  for (Eigen::Index i = 0; i < d; ++i) {
    if (layout_.second == SecondMoment::diagonal) {
      result(i, i) = second_[k++];
    } else if (layout_.second == SecondMoment::full) {
      for (Eigen::Index j = i; j < d; ++j) result(i, j) = result(j, i) = second_[k++];
    }
  }
  return result;
}

Release Release::without_zero_rows(std::size_t count) const {
  if (layout_.cell_counts || layout_.row_count) {
    throw StateError("a release with private counts has no zero rows to leave out");
  }
  if (count > rows_) throw StateError("a release cannot be without more rows than it has");
  Release result = *this;
  result.rows_ -= count;
  const double share = static_cast<double>(result.rows_) / static_cast<double>(rows_);
  result.weight_first_ *= share;
  result.weight_second_ *= share;
  return result;
}

std::vector<double*> Release::scalars() {
  std::vector<double*> all{&std_first_, &std_second_,  &std_off_diagonal_, &std_count_,     &std_pair_count_,
                           &std_rows_,  &bias_second_, &weight_first_,     &weight_second_, &count_unit_};
  if (layout_.trace) all.push_back(&diagonal_covariance_);
  return all;
}

std::vector<double> Release::packed() const {
  std::vector<double> numbers{std_first_, std_second_,  std_off_diagonal_, std_count_,     std_pair_count_,
                              std_rows_,  bias_second_, weight_first_,     weight_second_, count_unit_};
  if (layout_.trace) numbers.push_back(diagonal_covariance_);
  numbers.push_back(shares_noise_ ? 1.0 : 0.0);
  numbers.insert(numbers.end(), first_.begin(), first_.end());
  numbers.insert(numbers.end(), second_.begin(), second_.end());
  return numbers;
}

Release Release::unpacked(const ReleaseLayout& layout, std::size_t rows, std::size_t steps,
                          std::span<const double> numbers) {
  Release release(layout);
  const std::vector<double*> scalars = release.scalars();
  if (numbers.size() != scalars.size() + 1 + release.first_.size() + release.second_.size()) {
    throw StateError("a stored release does not have the numbers of this stream");
  }
  for (std::size_t i = 0; i < scalars.size(); ++i) *scalars[i] = numbers[i];
  release.shares_noise_ = numbers[scalars.size()] != 0;
  numbers = numbers.subspan(scalars.size() + 1);
  std::copy_n(numbers.begin(), release.first_.size(), release.first_.begin());
  numbers = numbers.subspan(release.first_.size());
  std::copy_n(numbers.begin(), release.second_.size(), release.second_.begin());
  release.rows_ = rows;
  release.steps_ = steps;
  release.is_new_ = true;
  return release;
}

void Releases::append(const Release& release) {
  const std::vector<double> packed = release.packed();
  numbers_.insert(numbers_.end(), packed.begin(), packed.end());
  places_.push_back({.rows = release.rows(), .steps = release.steps()});
}

}  // namespace jme
