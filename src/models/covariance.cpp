#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/models/covariance.hpp>

namespace jme {
namespace {

Eigen::Map<const Eigen::VectorXd> first_of(const Release& release) {
  return {release.first().data(), static_cast<Eigen::Index>(release.dimension())};
}

void check_units(const Release& release, const Units& units) {
  const auto d = static_cast<Eigen::Index>(release.dimension());
  if (units.centre.size() != d || units.half_width.size() != d) {
    throw InvalidParameter("units", static_cast<double>(units.centre.size()),
                           "one centre and half-width a column");
  }
}

void check_rows(const Release& release) {
  if (release.rows() == 0) throw InvalidParameter("release", "nothing was released yet");
}

void check_second(const Release& release, bool full) {
  check_rows(release);
  if (release.second_kind() == SecondMoment::none || (full && release.second_kind() != SecondMoment::full)) {
    throw InvalidParameter(
        "second", full ? "the covariance needs the full second moment" : "the stream has no second moment");
  }
}

// Variance of the noise on every entry of the second moment: half as much off the diagonal (MATH 5).
Eigen::MatrixXd second_variance(const Release& release) {
  const auto d = static_cast<Eigen::Index>(release.dimension());
  const double v = release.std_second() * release.std_second();
  Eigen::MatrixXd variance = Eigen::MatrixXd::Zero(d, d);
  if (release.second_kind() == SecondMoment::full) variance.setConstant(v / 2);
  variance.diagonal().setConstant(v);
  return variance;
}

}  // namespace

Units Units::identity(std::size_t dimension) {
  const auto d = static_cast<Eigen::Index>(dimension);
  return {.centre = Eigen::VectorXd::Zero(d), .half_width = Eigen::VectorXd::Ones(d)};
}

MeanEstimate running_mean(const Release& release, const Units& units) {
  check_rows(release);
  check_units(release, units);
  const double w = release.weight_first();
  return {.value = units.centre + (units.half_width.array() * first_of(release).array() / w).matrix(),
          .noise_std = units.half_width.cwiseAbs() * (release.std_first() / w)};
}

CovarianceEstimate running_covariance(const Release& release, const Units& units, Bias bias) {
  check_second(release, true);
  check_units(release, units);
  const auto d = static_cast<Eigen::Index>(release.dimension());
  const double w1 = release.weight_first();
  const double w2 = release.weight_second();
  const Eigen::VectorXd mu = first_of(release) / w1;
  const double v1 = std::pow(release.std_first() / w1, 2);
  Eigen::MatrixXd value = release.second_matrix() / w2 - mu * mu.transpose();
  if (bias == Bias::removed) value.diagonal().array() += v1 - release.bias_second() / w2;

  // S and mu carry independent noise: Var((mu_i + e_i)(mu_j + e_j)) = (mu_i^2 + mu_j^2) v1 + v1^2 off the
  // diagonal and 4 mu_i^2 v1 + 2 v1^2 on it, taken at the released mean.
  Eigen::MatrixXd variance = second_variance(release) / (w2 * w2);
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = 0; j < d; ++j) {
      variance(i, j) +=
          i == j ? 4 * mu(i) * mu(i) * v1 + 2 * v1 * v1 : (mu(i) * mu(i) + mu(j) * mu(j)) * v1 + v1 * v1;
    }
  }
  const Eigen::MatrixXd scale = units.half_width * units.half_width.transpose();
  return {.value = value.cwiseProduct(scale), .noise_std = variance.cwiseSqrt().cwiseProduct(scale)};
}

MeanEstimate natural_first(const Release& release, const Units& units) {
  check_rows(release);
  check_units(release, units);
  return {.value = release.weight_first() * units.centre + units.half_width.cwiseProduct(first_of(release)),
          .noise_std = units.half_width.cwiseAbs() * release.std_first()};
}

CovarianceEstimate natural_second(const Release& release, const Units& units) {
  check_second(release, false);
  check_units(release, units);
  const Eigen::VectorXd& c = units.centre;
  const Eigen::VectorXd& h = units.half_width;
  const Eigen::MatrixXd scale = h * h.transpose();
  const Eigen::MatrixXd variance = second_variance(release);
  CovarianceEstimate result{.value = release.second_matrix().cwiseProduct(scale),
                            .noise_std = variance.cwiseProduct(scale.cwiseProduct(scale))};
  if (!c.isZero(0)) {
    // sum w (c + h u)(c + h u)' = W cc' + c (h Y)' + (h Y) c' + h S h, if Y and S have the same weights.
    const Eigen::VectorXd y = h.cwiseProduct(first_of(release));
    const Eigen::VectorXd scaled = (h * release.std_first()).cwiseAbs2();
    Eigen::MatrixXd cross =
        release.weight_second() * c * c.transpose() + c * y.transpose() + y * c.transpose();
    Eigen::MatrixXd noise = c.cwiseAbs2() * scaled.transpose() + scaled * c.cwiseAbs2().transpose();
    // On the diagonal both cross terms carry the same noise: (2 c_i h_i)^2 v1.
    noise.diagonal() *= 2;
    if (release.second_kind() == SecondMoment::diagonal) {
      cross = Eigen::MatrixXd(cross.diagonal().asDiagonal());
      noise = Eigen::MatrixXd(noise.diagonal().asDiagonal());
    }
    result.value += cross;
    result.noise_std += noise;
  }
  result.noise_std = result.noise_std.cwiseSqrt();
  return result;
}

}  // namespace jme
