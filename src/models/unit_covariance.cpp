#include "models/unit_covariance.hpp"

#include <cmath>

namespace jme::models {

Eigen::MatrixXd unit_covariance(const Release& release, Bias bias) {
  const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(
                                   release.first().data(), static_cast<Eigen::Index>(release.dimension())) /
                               release.weight_first();
  Eigen::MatrixXd covariance = release.second_matrix() / release.weight_second();
  if (release.second_kind() == SecondMoment::full) {
    covariance.noalias() -= mean * mean.transpose();
  } else {
    covariance.diagonal() -= mean.cwiseAbs2();
  }
  if (bias == Bias::removed) {
    const double v1 = std::pow(release.std_first() / release.weight_first(), 2);
    covariance.diagonal().array() += v1 - release.bias_second() / release.weight_second();
  }
  return covariance;
}

}  // namespace jme::models
