#include "models/model_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <jme/models/covariance.hpp>

namespace jme::models {
namespace {

// The covariance of two columns, nearest without eigenvalues below the level of the noise on them.
Eigen::Matrix2d definite_pair(const RunningMoments& moments, Eigen::Index i, Eigen::Index j) {
  const std::array columns{i, j};
  const Eigen::Matrix2d pair = moments.released_covariance()(columns, columns);
  if (pair.hasNaN()) return Eigen::Matrix2d::Constant(NAN);
  return nearest_semidefinite(pair, moments.noise().level(columns));
}

}  // namespace

Correlations correlations(const RunningMoments& moments) {
  const Eigen::MatrixXd c = moments.covariance_for_correlation();
  const Eigen::Index d = c.rows();
  Correlations result{.value = Eigen::MatrixXd::Identity(d, d), .variance = Eigen::MatrixXd(d, d)};
  for (Eigen::Index i = 0; i < d; ++i) {
    const bool has_variance = moments.is_known() ? c(i, i) > 0 : !std::isnan(c(i, i));
    if (!has_variance) result.value(i, i) = NAN;
    result.variance(i, i) = c(i, i);
    for (Eigen::Index j = i + 1; j < d; ++j) {
      double c_ii = c(i, i), c_jj = c(j, j), c_ij = c(i, j);
      if (!moments.is_known()) {
        const Eigen::Matrix2d pair = definite_pair(moments, i, j);
        c_ii = pair(0, 0), c_jj = pair(1, 1), c_ij = pair(0, 1);
      }
      const bool is_known = c_ii > 0 && c_jj > 0 && !std::isnan(c_ij);
      result.value(i, j) = result.value(j, i) =
          is_known ? std::clamp(c_ij / std::sqrt(c_ii * c_jj), -1.0, 1.0) : NAN;
      result.variance(i, j) = c_ii;
      result.variance(j, i) = c_jj;
    }
  }
  return result;
}

Eigen::MatrixXd precision_values(const RunningMoments& moments) {
  const Eigen::VectorXd scale = moments.units().half_width.cwiseInverse();
  return scale.asDiagonal() * moments.inverse() * scale.asDiagonal();
}

double log_det_value(const RunningMoments& moments) {
  return moments.log_det() + 2 * moments.units().half_width.cwiseAbs().array().log().sum();
}

RidgeFit ridge_fit(const RunningMoments& moments, std::size_t target) {
  RidgeFit fit;
  const auto y = static_cast<Eigen::Index>(target);
  for (Eigen::Index i = 0; i < moments.mean().size(); ++i) {
    if (i != y) fit.others.push_back(i);
  }
  fit.parts = spectrum(moments.covariance()(fit.others, fit.others));
  fit.parts.values = fit.parts.values.cwiseMax(0.0);
  fit.b = moments.covariance()(fit.others, y);
  const double ridge = moments.noise().squared_level(fit.others);
  fit.damped = (fit.parts.values.array().square() + ridge).inverse();
  const Eigen::VectorXd turned = fit.parts.vectors.transpose() * fit.b;
  fit.x = fit.parts.vectors * (fit.damped.array() * fit.parts.values.array() * turned.array()).matrix();
  return fit;
}

Eigen::VectorXd natural_line(const RunningMoments& moments, std::size_t target, const RidgeFit& fit) {
  const Units& units = moments.units();
  const auto y = static_cast<Eigen::Index>(target);
  const double scale = units.half_width(y);
  const Eigen::VectorXd per_column = units.half_width(fit.others).cwiseInverse();
  const Eigen::VectorXd means = moments.mean()(fit.others);
  const Eigen::VectorXd natural_means = means + units.centre(fit.others).cwiseProduct(per_column);
  Eigen::VectorXd line(fit.x.size() + 1);
  // The line goes through the means.
  line(0) = units.centre(y) + scale * (moments.mean()(y) - fit.x.dot(natural_means));
  line.tail(fit.x.size()) = scale * fit.x.cwiseProduct(per_column);
  return line;
}

Components components_of(const RunningMoments& moments) {
  const Eigen::VectorXd& h = moments.units().half_width;
  const Spectrum parts = spectrum(h.asDiagonal() * moments.covariance() * h.asDiagonal());
  return {.values = parts.values.reverse(), .vectors = parts.vectors.rowwise().reverse().transpose()};
}

}  // namespace jme::models
