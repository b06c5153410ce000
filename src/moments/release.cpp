#include <algorithm>

#include <jme/base/errors.hpp>
#include <jme/moments/release.hpp>
#include <jme/moments/releases.hpp>

namespace jme {

Release::Release(std::size_t dimension, SecondMoment second)
    : dimension_(dimension),
      second_kind_(second),
      first_(dimension, 0.0),
      second_(second_moment_size(second, dimension), 0.0) {}

Eigen::MatrixXd Release::second_matrix() const {
  const auto d = static_cast<Eigen::Index>(dimension_);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(d, d);
  std::size_t k = 0;
  for (Eigen::Index i = 0; i < d; ++i) {
    if (second_kind_ == SecondMoment::diagonal) {
      result(i, i) = second_[k++];
    } else if (second_kind_ == SecondMoment::full) {
      for (Eigen::Index j = i; j < d; ++j) result(i, j) = result(j, i) = second_[k++];
    }
  }
  return result;
}

std::vector<double> Release::packed() const {
  std::vector<double> numbers{std_first_,    std_second_,    bias_second_,
                              weight_first_, weight_second_, shares_noise_ ? 1.0 : 0.0};
  numbers.insert(numbers.end(), first_.begin(), first_.end());
  numbers.insert(numbers.end(), second_.begin(), second_.end());
  return numbers;
}

Release Release::unpacked(std::size_t dimension, SecondMoment second, std::size_t rows, std::size_t steps,
                          std::span<const double> numbers) {
  Release release(dimension, second);
  constexpr std::size_t scalars = 6;
  if (numbers.size() != scalars + release.first_.size() + release.second_.size()) {
    throw StateError("a stored release does not have the numbers of this stream");
  }
  release.std_first_ = numbers[0];
  release.std_second_ = numbers[1];
  release.bias_second_ = numbers[2];
  release.weight_first_ = numbers[3];
  release.weight_second_ = numbers[4];
  release.shares_noise_ = numbers[5] != 0;
  numbers = numbers.subspan(scalars);
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
