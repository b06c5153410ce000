#include <algorithm>

#include <jme/models/sample_size.hpp>

namespace jme {

Eigen::VectorXd sampling_variance_of_means(const Eigen::VectorXd& variances, const SampleSize& size) {
  Eigen::VectorXd result = variances;
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    result(i) = std::max(0.0, variances(i)) / size.first(static_cast<std::size_t>(i));
  }
  return result;
}

Eigen::MatrixXd sampling_variance_of_covariance(const Eigen::MatrixXd& covariance, const SampleSize& size) {
  Eigen::MatrixXd result = covariance;
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) {
    for (Eigen::Index j = 0; j < covariance.cols(); ++j) {
      const double product = std::max(0.0, covariance(i, i)) * std::max(0.0, covariance(j, j));
      result(i, j) = (product + covariance(i, j) * covariance(i, j)) /
                     size.second(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    }
  }
  return result;
}

}  // namespace jme
