#include <algorithm>
#include <array>
#include <cmath>

#include <jme/models/correlation.hpp>

#include "models/model_values.hpp"

namespace jme {

MatrixEstimate correlation(const RunningMoments& moments) {
  const models::Correlations found = models::correlations(moments);
  const Eigen::Index d = found.value.rows();
  MatrixEstimate result{.value = found.value, .noise_std = Eigen::MatrixXd::Zero(d, d)};
  for (Eigen::Index i = 0; i < d; ++i) {
    if (std::isnan(found.value(i, i))) result.noise_std(i, i) = NAN;
    for (Eigen::Index j = i + 1; j < d; ++j) {
      const double r = found.value(i, j);
      const double c_ii = found.variance(i, j), c_jj = found.variance(j, i);
      double& deviation = result.noise_std(i, j);
      // dr = dc_ij / root - r/2 (dc_ii / c_ii + dc_jj / c_jj).
      deviation =
          std::isnan(r)
              ? NAN
              : moments.noise().std_of_pair(
                    i, j,
                    {.ii = -r / (2 * c_ii), .jj = -r / (2 * c_jj), .ij = 1 / (2 * std::sqrt(c_ii * c_jj))});
      result.noise_std(j, i) = deviation;
    }
  }
  return result;
}

MatrixEstimate precision(const RunningMoments& moments) {
  const Eigen::MatrixXd& p = moments.inverse();
  const MomentNoise& noise = moments.noise();
  const Eigen::MatrixXd gram = p * p;
  const Eigen::MatrixXd squares = p.cwiseAbs2() * p.cwiseAbs2();
  const Eigen::VectorXd pm = p * moments.mean();
  // What all sums divided by one noisy count have in common: -2 m'Gm + <G, S/N>.
  const Eigen::MatrixXd counted =
      noise.second().size() > 0 ? Eigen::MatrixXd(p * noise.second() * p) : Eigen::MatrixXd();
  const Eigen::Index d = p.rows();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
  MatrixEstimate result{.value = p, .noise_std = Eigen::MatrixXd(d, d)};
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = i; j < d; ++j) {
      // dP = -P dC P: entry (i, j) moves by -p_i' dC p_j, with p_i the columns of P.
      double& deviation = result.noise_std(i, j);
      if (noise.has_one_divisor()) {
        const double mean_part =
            pm(j) * pm(j) * gram(i, i) + pm(i) * pm(i) * gram(j, j) + 2 * pm(i) * pm(j) * gram(i, j);
        deviation = noise.std_from(
            {.norm = (gram(i, i) * gram(j, j) + gram(i, j) * gram(i, j)) / 2,
             .diagonal = squares(i, j),
             .trace = gram(i, j) * gram(i, j),
             .mean = std::max(0.0, mean_part),
             .count = counted.size() > 0 ? std::pow(counted(i, j) - 2 * pm(i) * pm(j), 2) : 0.0});
      } else {
        const std::array product{MomentNoise::Product{.a = p.col(i), .b = p.col(j)}};
        deviation = noise.std_of(zero, product);
      }
      result.noise_std(j, i) = deviation;
    }
  }
  const Eigen::VectorXd scale = moments.units().half_width.cwiseInverse();
  result.value = models::precision_values(moments);
  result.noise_std = scale.cwiseAbs().asDiagonal() * result.noise_std * scale.cwiseAbs().asDiagonal();
  return result;
}

}  // namespace jme
