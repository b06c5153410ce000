#include <algorithm>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/models/moment_noise.hpp>

namespace jme {
namespace {

Eigen::VectorXd mean_of(const Release& release) {
  return Eigen::Map<const Eigen::VectorXd>(release.first().data(),
                                           static_cast<Eigen::Index>(release.dimension())) /
         release.weight_first();
}

}  // namespace

MomentNoise::MomentNoise(double v1, double v2, Eigen::VectorXd mean, bool shared)
    : v1_(v1), v2_(v2), mean_(std::move(mean)), shared_(shared) {}

MomentNoise::MomentNoise(const Release& release)
    : MomentNoise(std::pow(release.std_first() / release.weight_first(), 2),
                  std::pow(release.std_second() / release.weight_second(), 2), mean_of(release),
                  release.shares_noise()) {}

MomentNoise MomentNoise::none(std::size_t dimension) {
  return {0, 0, Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dimension)), false};
}

double MomentNoise::std_from(double squared_norm, double squared_mean_part) const {
  if (shared_) {
    // Minkowski: the standard deviation of a sum is at most the sum of the parts' standard deviations,
    // however they depend on each other.
    return (std::sqrt(v2_) + std::sqrt(2.0) * v1_) * std::sqrt(squared_norm) +
           std::sqrt(v1_ * squared_mean_part);
  }
  return std::sqrt((v2_ + 2 * v1_ * v1_) * squared_norm + v1_ * squared_mean_part);
}

double MomentNoise::std_of(const Eigen::VectorXd& g, const Eigen::MatrixXd& G) const {
  return std_from(G.squaredNorm(), (g - 2 * (G * mean_)).squaredNorm());
}

double MomentNoise::std_of(const Eigen::VectorXd& g, std::span<const Product> products) const {
  // G = sum of (ab' + ba')/2, and <(ab' + ba')/2, (cd' + dc')/2> = ((a.c)(b.d) + (a.d)(b.c))/2.
  double squared_norm = 0;
  Eigen::VectorXd mean_part = g;
  for (const auto& [a, b] : products) {
    for (const auto& [c, d] : products) squared_norm += (a.dot(c) * b.dot(d) + a.dot(d) * b.dot(c)) / 2;
    mean_part -= a * b.dot(mean_) + b * a.dot(mean_);
  }
  return std_from(std::max(0.0, squared_norm), mean_part.squaredNorm());
}

double MomentNoise::level() const {
  const auto d = static_cast<double>(mean_.size());
  return std_from(1, 4 * mean_.squaredNorm() / d);
}

double MomentNoise::squared_level(const Eigen::VectorXd& means) const {
  // Over all entries (i, j): sum ||G||^2 = p(p+1)/2 and sum ||2Gm||^2 = 2(p+1)|m|^2.
  const auto p = static_cast<double>(means.size());
  return std::pow(std_from(p * (p + 1) / 2, 2 * (p + 1) * means.squaredNorm()), 2) / p;
}

}  // namespace jme
