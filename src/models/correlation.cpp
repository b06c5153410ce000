#include <algorithm>
#include <cmath>

#include <jme/models/correlation.hpp>

namespace jme {

MatrixEstimate correlation(const RunningMoments& moments) {
  const Eigen::MatrixXd& c = moments.definite_covariance();
  const Eigen::VectorXd& m = moments.mean();
  const Eigen::Index d = c.rows();
  MatrixEstimate result{.value = Eigen::MatrixXd::Identity(d, d), .noise_std = Eigen::MatrixXd::Zero(d, d)};
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = i + 1; j < d; ++j) {
      const double root = std::sqrt(c(i, i) * c(j, j));
      const double r = c(i, j) / root;
      // dr = dc_ij / root - r/2 (dc_ii / c_ii + dc_jj / c_jj).
      const double g = 1 / (2 * root), g_i = -r / (2 * c(i, i)), g_j = -r / (2 * c(j, j));
      const double h_i = 2 * (g_i * m(i) + g * m(j)), h_j = 2 * (g_j * m(j) + g * m(i));
      result.value(i, j) = result.value(j, i) = std::clamp(r, -1.0, 1.0);
      result.noise_std(i, j) = result.noise_std(j, i) =
          moments.noise().std_from(2 * g * g + g_i * g_i + g_j * g_j, h_i * h_i + h_j * h_j);
    }
  }
  return result;
}

MatrixEstimate precision(const RunningMoments& moments) {
  const Eigen::MatrixXd& p = moments.inverse();
  const Eigen::MatrixXd gram = p * p;
  const Eigen::VectorXd pm = p * moments.mean();
  const Eigen::Index d = p.rows();
  MatrixEstimate result{.value = p, .noise_std = Eigen::MatrixXd(d, d)};
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = 0; j < d; ++j) {
      // dP = -P dC P: entry (i, j) moves by -p_i' dC p_j, with p_i the columns of P.
      const double squared_norm = (gram(i, i) * gram(j, j) + gram(i, j) * gram(i, j)) / 2;
      const double mean_part =
          pm(j) * pm(j) * gram(i, i) + pm(i) * pm(i) * gram(j, j) + 2 * pm(i) * pm(j) * gram(i, j);
      result.noise_std(i, j) = moments.noise().std_from(squared_norm, std::max(0.0, mean_part));
    }
  }
  const Eigen::VectorXd scale = moments.units().half_width.cwiseInverse();
  result.value = scale.asDiagonal() * result.value * scale.asDiagonal();
  result.noise_std = scale.cwiseAbs().asDiagonal() * result.noise_std * scale.cwiseAbs().asDiagonal();
  return result;
}

}  // namespace jme
