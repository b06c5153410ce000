#include <cmath>
#include <string>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/models/regression.hpp>

#include "models/spectrum.hpp"

namespace jme {

LinearRegression linear_regression(const RunningMoments& moments, std::size_t target) {
  const auto d = static_cast<Eigen::Index>(moments.dimension());
  const auto y = static_cast<Eigen::Index>(target);
  if (d < 2) throw InvalidParameter("regression", "needs another column to explain this one by");
  if (y >= d) {
    throw InvalidParameter("regression", static_cast<double>(target),
                           "the index of a column, below " + std::to_string(d));
  }
  if (!moments.is_known()) {
    return {.target = target,
            .intercept = {.value = NAN, .noise_std = NAN},
            .coefficients = {.value = Eigen::VectorXd::Constant(d - 1, NAN),
                             .noise_std = Eigen::VectorXd::Constant(d - 1, NAN)}};
  }
  std::vector<Eigen::Index> others;
  for (Eigen::Index i = 0; i < d; ++i) {
    if (i != y) others.push_back(i);
  }
  const Eigen::VectorXd means = moments.mean()(others);
  const models::Spectrum parts = models::spectrum(moments.covariance()(others, others));
  const Eigen::VectorXd b = moments.covariance()(others, y);
  const double ridge = moments.noise().squared_level(others);

  // x = B A b with B = (A^2 + r)^-1, A without its negative eigenvalues. Since A and B commute,
  //     dx = H (db - dA x) + B dA (b - A x),   H = B A.
  const Eigen::VectorXd values = parts.values.cwiseMax(0.0);
  const Eigen::VectorXd damped = (values.array().square() + ridge).inverse();
  const Eigen::MatrixXd big = models::rebuilt(parts, damped);
  const Eigen::MatrixXd inverse = models::rebuilt(parts, damped.cwiseProduct(values));
  const Eigen::VectorXd x = inverse * b;
  const Eigen::VectorXd residual = b - models::rebuilt(parts, values) * x;

  const auto embedded = [&](const Eigen::VectorXd& part) {
    Eigen::VectorXd whole = Eigen::VectorXd::Zero(d);
    whole(others) = part;
    return whole;
  };
  Eigen::VectorXd error = -embedded(x);  // the target minus what the other columns predict
  error(y) = 1;
  const Eigen::VectorXd left = embedded(residual);
  // Noise on q'x + g'mean.
  const auto noise_on = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& g) {
    const std::vector<MomentNoise::Product> products{{.a = embedded(inverse * q), .b = error},
                                                     {.a = embedded(big * q), .b = left}};
    return moments.noise().std_of(g, products);
  };

  const Units& units = moments.units();
  const Eigen::VectorXd per_column = units.half_width(others).cwiseInverse();
  const double scale = units.half_width(y);
  const Eigen::Index p = d - 1;
  LinearRegression result{
      .target = target,
      .intercept = {},
      .coefficients = {.value = scale * x.cwiseProduct(per_column), .noise_std = Eigen::VectorXd(p)}};
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
  for (Eigen::Index i = 0; i < p; ++i) {
    result.coefficients.noise_std(i) =
        std::abs(scale * per_column(i)) * noise_on(Eigen::VectorXd::Unit(p, i), zero);
  }
  // The line goes through the means: intercept = mean_y - x'(means in units of the half-widths), times scale.
  const Eigen::VectorXd natural_means = means + units.centre(others).cwiseProduct(per_column);
  const double at_zero = moments.mean()(y) - x.dot(natural_means);
  result.intercept = {.value = units.centre(y) + scale * at_zero,
                      .noise_std = std::abs(scale) * noise_on(-natural_means, error)};
  return result;
}

}  // namespace jme
