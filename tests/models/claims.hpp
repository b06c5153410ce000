#pragma once

// Every number of every model, with its definition written again as a function of mean and covariance.
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>

#include "dense_algebra.hpp"
#include "models/rows.hpp"

namespace jme::test {

/// A number of a model as a function of mean and covariance in the unit box.
using Function = std::function<double(const Eigen::VectorXd&, const Eigen::MatrixXd&)>;

inline Eigen::MatrixXd natural_covariance(const Eigen::MatrixXd& c) {
  const Eigen::VectorXd h = some_units().half_width;
  return h.asDiagonal() * c * h.asDiagonal();
}
inline Eigen::VectorXd natural_mean(const Eigen::VectorXd& m) {
  return some_units().centre + some_units().half_width.cwiseProduct(m);
}
inline const std::vector<double> point{20, 40, 3000};

struct Claim {
  double value, noise_std;
  Function definition;
};

/// In natural units.
inline std::map<std::string, Claim> claims(const RunningMoments& moments, const Release& release) {
  std::map<std::string, Claim> all;
  const auto name = [](const char* model, Eigen::Index i, Eigen::Index j = 0) {
    return std::string(model) + " " + std::to_string(i) + " " + std::to_string(j);
  };
  const auto cov = running_covariance(release, some_units());
  const auto var = running_variance(release, some_units());
  const auto mean_of = running_mean(release, some_units());
  const auto cor = correlation(moments), pre = precision(moments);
  const auto pca = ComponentTracker().next(moments, 3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    all[name("mean", i)] = {mean_of.value(i), mean_of.noise_std(i),
                            [i](const auto& m, const auto&) { return natural_mean(m)(i); }};
    all[name("variance", i)] = {var.value(i), var.noise_std(i),
                                [i](const auto&, const auto& c) { return natural_covariance(c)(i, i); }};
    all[name("value", i)] = {
        pca.values.value(i), pca.values.noise_std(i),
        [i](const auto&, const Eigen::MatrixXd& c) { return eigenvalues(natural_covariance(c))(2 - i); }};
    all[name("share", i)] = {pca.shares.value(i), pca.shares.noise_std(i),
                             [i](const auto&, const Eigen::MatrixXd& c) {
                               const Eigen::MatrixXd all_of = natural_covariance(c);
                               return eigenvalues(all_of)(2 - i) / all_of.trace();
                             }};
    for (Eigen::Index j = 0; j < 3; ++j) {
      all[name("covariance", i, j)] = {
          cov.value(i, j), cov.noise_std(i, j),
          [i, j](const auto&, const auto& c) { return natural_covariance(c)(i, j); }};
      all[name("precision", i, j)] = {
          pre.value(i, j), pre.noise_std(i, j),
          [i, j](const auto&, const auto& c) { return inverse(natural_covariance(c))(i, j); }};
      const Eigen::RowVectorXd component = pca.components.value.row(i);
      all[name("component", i, j)] = {pca.components.value(i, j), pca.components.noise_std(i, j),
                                      [i, j, component](const auto&, const Eigen::MatrixXd& c) {
                                        const Eigen::VectorXd v =
                                            eigenpairs(natural_covariance(c)).vectors.col(2 - i);
                                        return component.dot(v) < 0 ? -v(j) : v(j);
                                      }};
      all[name("correlation", i, j)] = {cor.value(i, j), cor.noise_std(i, j),
                                        [i, j](const auto&, const auto& c) {
                                          return i == j ? 1.0 : c(i, j) / std::sqrt(c(i, i) * c(j, j));
                                        }};
    }
  }
  for (Eigen::Index y = 0; y < 3; ++y) {
    std::vector<Eigen::Index> others;
    for (Eigen::Index i = 0; i < 3; ++i) {
      if (i != y) others.push_back(i);
    }
    const double ridge = moments.noise().squared_level(others);
    // Least squares with its ridge in the unit box, then back: y = c_y + h_y (m_y + x'(u - m)).
    const auto solve = [=](const Eigen::MatrixXd& c) -> Eigen::VectorXd {
      const Eigen::MatrixXd a = c(others, others);
      const Eigen::VectorXd b = c(others, y);
      const Eigen::MatrixXd normal = a.transpose() * a + ridge * Eigen::MatrixXd::Identity(2, 2);
      const Eigen::VectorXd x = test::solve(normal, a.transpose() * b);
      const Eigen::VectorXd h = some_units().half_width(others);
      return some_units().half_width(y) * x.cwiseQuotient(h);
    };
    const auto line = linear_regression(moments, static_cast<std::size_t>(y));
    all[name("intercept", y)] = {line.intercept.value, line.intercept.noise_std,
                                 [=](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
                                   const Eigen::VectorXd all_means = natural_mean(m);
                                   return all_means(y) - solve(c).dot(all_means(others));
                                 }};
    for (Eigen::Index k = 0; k < 2; ++k) {
      all[name("coefficient", y, k)] = {line.coefficients.value(k), line.coefficients.noise_std(k),
                                        [=](const auto&, const auto& c) { return solve(c)(k); }};
    }
  }
  const GaussianDensity density(moments);
  const auto away = [](const Eigen::VectorXd& m) {
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(point.data(), 3) - natural_mean(m));
  };
  const auto squared = [away](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
    return away(m).dot(test::solve(natural_covariance(c), away(m)));
  };
  const auto log_det = [](const Eigen::MatrixXd& c) { return std::log(determinant(natural_covariance(c))); };
  all["log_det"] = {density.log_det().value, density.log_det().noise_std,
                    [log_det](const auto&, const auto& c) { return log_det(c); }};
  const Estimate at_point = density.log_density(point), score = density.outlier_score(point);
  all["log_density"] = {at_point.value, at_point.noise_std,
                        [=](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
                          return -(3 * std::log(2 * M_PI) + log_det(c) + squared(m, c)) / 2;
                        }};
  all["score"] = {score.value, score.noise_std,
                  [=](const auto& m, const auto& c) { return std::sqrt(squared(m, c)); }};

  const Eigen::Vector3d other_mean(10, 45, 4000);
  const Eigen::MatrixXd other = Eigen::Vector3d(300, 400, 2e6).asDiagonal();
  const GaussianDensity reference(other_mean, other);
  const auto kl = [](const Eigen::VectorXd& m0, const Eigen::MatrixXd& c0, const Eigen::VectorXd& m1,
                     const Eigen::MatrixXd& c1) {
    const Eigen::MatrixXd precision_of = inverse(c1);
    return ((precision_of * c0).trace() + (m1 - m0).dot(precision_of * (m1 - m0)) - 3 +
            std::log(determinant(c1) / determinant(c0))) /
           2;
  };
  const Estimate there = kl_divergence(density, reference), back = kl_divergence(reference, density);
  all["kl of a release"] = {there.value, there.noise_std,
                            [=](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
                              return kl(natural_mean(m), natural_covariance(c), other_mean, other);
                            }};
  all["kl from a release"] = {back.value, back.noise_std,
                              [=](const Eigen::VectorXd& m, const Eigen::MatrixXd& c) {
                                return kl(other_mean, other, natural_mean(m), natural_covariance(c));
                              }};
  return all;
}

}  // namespace jme::test
