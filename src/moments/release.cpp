#include <jme/moments/release.hpp>

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

}  // namespace jme
