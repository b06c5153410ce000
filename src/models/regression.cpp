#include <cmath>
#include <string>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/models/regression.hpp>

#include "models/model_values.hpp"

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
  const models::RidgeFit fit = models::ridge_fit(moments, target);
  const std::vector<Eigen::Index>& others = fit.others;
  const Eigen::VectorXd& x = fit.x;
  const Eigen::VectorXd& values = fit.parts.values;

  // x = B A b with B = (A^2 + r)^-1. Since A and B commute,
  //     dx = H (db - dA x) + B dA (b - A x),   H = B A.
  const Eigen::MatrixXd big = models::rebuilt(fit.parts, fit.damped);
  const Eigen::MatrixXd inverse = models::rebuilt(fit.parts, fit.damped.cwiseProduct(values));
  const Eigen::VectorXd residual = fit.b - models::rebuilt(fit.parts, values) * x;

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
  const Eigen::VectorXd line = models::natural_line(moments, target, fit);
  LinearRegression result{.target = target,
                          .intercept = {.value = line(0), .noise_std = 0},
                          .coefficients = {.value = line.tail(p), .noise_std = Eigen::VectorXd(p)}};
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(d);
  for (Eigen::Index i = 0; i < p; ++i) {
    result.coefficients.noise_std(i) =
        std::abs(scale * per_column(i)) * noise_on(Eigen::VectorXd::Unit(p, i), zero);
  }
  // As natural_line has it.
  const Eigen::VectorXd natural_means =
      moments.mean()(others) + units.centre(others).cwiseProduct(per_column);
  result.intercept.noise_std = std::abs(scale) * noise_on(-natural_means, error);
  return result;
}

}  // namespace jme
