#include "models/unit_covariance.hpp"

#include <cmath>

namespace jme::models {

Eigen::VectorXd unit_mean(const Release& release, const Divisors& divisors) {
  Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(release.first().data(),
                                                           static_cast<Eigen::Index>(release.dimension()));
  for (Eigen::Index i = 0; i < mean.size(); ++i) mean(i) /= divisors.first(static_cast<std::size_t>(i));
  return mean;
}

Eigen::MatrixXd unit_covariance(const Release& release, const Divisors& divisors, Bias bias) {
  const std::size_t d = release.dimension();
  const auto first = [&](Eigen::Index i) { return divisors.first(static_cast<std::size_t>(i)); };
  const Eigen::VectorXd mean = unit_mean(release, divisors);
  Eigen::MatrixXd covariance = release.second_matrix();
  const bool full = release.second_kind() == SecondMoment::full;
  if (divisors.kind() != Divisors::Kind::cells) {
    covariance /= divisors.second(0, 0);
  } else {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        if (full || i == j) {
          covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) /= divisors.second(i, j);
        }
      }
    }
  }
  if (full) {
    covariance.noalias() -= mean * mean.transpose();
  } else {
    covariance.diagonal() -= mean.cwiseAbs2();
  }
  if (bias == Bias::removed) {
    for (Eigen::Index i = 0; i < mean.size(); ++i) {
      const double v1 = std::pow(release.std_first() / first(i), 2);
      covariance(i, i) += v1 - release.bias_second() / release.weight_second();
    }
  }
  return covariance;
}

}  // namespace jme::models
