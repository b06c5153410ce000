#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <jme/base/errors.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>

#include "models/unit_covariance.hpp"

namespace jme {
namespace {

Eigen::VectorXd as_vector(std::span<const double> values, std::size_t dimension, const char* parameter) {
  if (values.size() != dimension) {
    throw InvalidParameter(parameter, static_cast<double>(values.size()),
                           "as many numbers as there are columns, " + std::to_string(dimension));
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

}  // namespace

GaussianDensity::GaussianDensity(const RunningMoments& moments)
    : units_(moments.units()),
      noise_(moments.noise()),
      mean_(moments.mean()),
      covariance_(moments.definite_covariance()),
      inverse_(moments.inverse()),
      log_det_(moments.log_det()) {
  if (moments.is_known()) {
    root_ = covariance_.llt().matrixL();
  } else {
    mean_.setConstant(NAN);  // half a Gaussian is none
    root_ = covariance_;
  }
}

GaussianDensity::GaussianDensity(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance)
    : units_(Units::identity(static_cast<std::size_t>(mean.size()))),
      noise_(MomentNoise::none(static_cast<std::size_t>(mean.size()))),
      mean_(mean) {
  if (covariance.rows() != mean.size() || covariance.cols() != mean.size()) {
    throw InvalidParameter("covariance", "must be square and as large as the mean");
  }
  // One unit per column, so that columns of very different sizes lose nothing.
  units_.half_width = covariance.diagonal().cwiseSqrt();
  const Eigen::VectorXd per_column = units_.half_width.cwiseInverse();
  covariance_ = per_column.asDiagonal() * covariance * per_column.asDiagonal();
  mean_ = mean.cwiseProduct(per_column);
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance_);
  if (!mean.allFinite() || !covariance_.allFinite() || factor.info() != Eigen::Success) {
    throw InvalidParameter("covariance", "must be positive definite");
  }
  root_ = factor.matrixL();
  inverse_ = factor.solve(Eigen::MatrixXd::Identity(mean.size(), mean.size()));
  log_det_ = 2 * root_.diagonal().array().log().sum();
}

VectorEstimate GaussianDensity::mean() const {
  VectorEstimate result{.value = units_.centre + units_.half_width.cwiseProduct(mean_),
                        .noise_std = units_.half_width.cwiseAbs()};
  for (Eigen::Index i = 0; i < mean_.size(); ++i) {
    result.noise_std(i) *= is_unknown() ? NAN : noise_.std_of_mean(i);
  }
  return result;
}

MatrixEstimate GaussianDensity::covariance() const {
  const Eigen::MatrixXd scale = units_.half_width * units_.half_width.transpose();
  MatrixEstimate result{.value = covariance_.cwiseProduct(scale),
                        .noise_std = models::covariance_noise(noise_).cwiseProduct(scale.cwiseAbs())};
  if (is_unknown()) result.noise_std.setConstant(NAN);
  return result;
}

Estimate GaussianDensity::log_det() const {
  // d log det C = <C^-1, dC>.
  return {.value = log_det_ + 2 * units_.half_width.cwiseAbs().array().log().sum(),
          .noise_std = noise_.std_of(Eigen::VectorXd::Zero(mean_.size()), inverse_)};
}

Estimate GaussianDensity::log_density(std::span<const double> point) const {
  const Eigen::VectorXd x = as_vector(point, dimension(), "point");
  const Eigen::VectorXd away = (x - units_.centre).cwiseQuotient(units_.half_width) - mean_;
  const Eigen::VectorXd u = inverse_ * away;
  const auto d = static_cast<double>(dimension());
  // With u = C^-1 (x - m): the mean's gradient is u, the covariance's (uu' - C^-1)/2.
  return {.value = -(d * std::log(2 * std::numbers::pi) + log_det().value + away.dot(u)) / 2,
          .noise_std = noise_.std_of(u, (u * u.transpose() - inverse_) / 2)};
}

Estimate GaussianDensity::outlier_score(std::span<const double> point) const {
  const Eigen::VectorXd x = as_vector(point, dimension(), "point");
  if (is_unknown()) return {.value = NAN, .noise_std = NAN};
  const Eigen::VectorXd away = (x - units_.centre).cwiseQuotient(units_.half_width) - mean_;
  const Eigen::VectorXd u = inverse_ * away;
  const double score = std::sqrt(std::max(0.0, away.dot(u)));
  if (score == 0) {
    // The distance has a kink at the mean; a move in any direction increases it, most where the covariance is
    // smallest.
    const double steepest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(inverse_, Eigen::EigenvaluesOnly)
                                .eigenvalues()
                                .maxCoeff();
    return {.value = 0, .noise_std = std::sqrt(noise_.mean_level() * steepest)};
  }
  // d(score^2) = -2 u'dm - u'dC u.
  return {.value = score, .noise_std = noise_.std_of(-u / score, -u * u.transpose() / (2 * score))};
}

Eigen::VectorXd GaussianDensity::point_of(std::span<const double> z) const {
  const Eigen::VectorXd draws = as_vector(z, dimension(), "draws");
  return units_.centre + units_.half_width.cwiseProduct(mean_ + root_ * draws);
}

Estimate kl_divergence(const GaussianDensity& p, const GaussianDensity& q) {
  if (p.dimension() != q.dimension()) {
    throw InvalidParameter("density", "the two have different dimensions");
  }
  if (p.is_unknown() || q.is_unknown()) return {.value = NAN, .noise_std = NAN};
  // In q's unit box; p has other half-widths there.
  const Eigen::VectorXd scale = p.units_.half_width.cwiseQuotient(q.units_.half_width);
  const Eigen::VectorXd away = q.mean_ -
                               (p.units_.centre - q.units_.centre).cwiseQuotient(q.units_.half_width) -
                               scale.cwiseProduct(p.mean_);
  const Eigen::MatrixXd spread = scale.asDiagonal() * p.covariance_ * scale.asDiagonal();
  const Eigen::VectorXd u = q.inverse_ * away;
  const Eigen::MatrixXd ratio = q.inverse_ * spread;
  const double value = (ratio.trace() + away.dot(u) - static_cast<double>(p.dimension()) + q.log_det().value -
                        p.log_det().value) /
                       2;
  // Gradients: -u and (Q - P)/2 for p's mean and covariance, u and (Q - Q C_p Q - uu')/2 for q's.
  const Eigen::MatrixXd p_gradient =
      (Eigen::MatrixXd(scale.asDiagonal() * q.inverse_ * scale.asDiagonal()) - p.inverse_) / 2;
  const Eigen::MatrixXd product = ratio * q.inverse_;
  const Eigen::MatrixXd q_gradient =
      (q.inverse_ - (product + product.transpose()) / 2 - u * u.transpose()) / 2;
  return {.value = std::max(0.0, value),
          .noise_std = p.noise_.std_of(-scale.cwiseProduct(u), p_gradient) + q.noise_.std_of(u, q_gradient)};
}

}  // namespace jme
