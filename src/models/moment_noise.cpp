#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/models/moment_noise.hpp>

#include "models/unit_covariance.hpp"

namespace jme {
namespace {

double square(double value) {
  return value * value;
}

// Average over u on the sphere of u_i^2 u_j^2: 1/(d(d+2)), three times that where i = j.
double sphere(double d) {
  return 1 / (d * (d + 2));
}

}  // namespace

MomentNoise::MomentNoise(const Release& release) : MomentNoise(release, Divisors(release)) {}

MomentNoise::MomentNoise(const Release& release, const Divisors& divisors) : shared_(release.shares_noise()) {
  const auto d = static_cast<Eigen::Index>(release.dimension());
  mean_ = Eigen::Map<const Eigen::VectorXd>(release.first().data(), d);
  for (Eigen::Index i = 0; i < d; ++i) mean_(i) /= divisors.first(static_cast<std::size_t>(i));
  const bool has_second = release.second_kind() != SecondMoment::none;
  if (divisors.kind() != Divisors::Kind::weights && has_second) {
    second_ = release.second_matrix();
    const bool full = release.second_kind() == SecondMoment::full;
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = 0; j < d; ++j) {
        if (i == j || full) {
          second_(i, j) /= divisors.second(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
        }
      }
    }
  }
  if (divisors.kind() == Divisors::Kind::cells) {
    set_cells(release, divisors);
  } else {
    set_one_divisor(release, divisors.first(0), has_second ? divisors.second(0, 0) : 1);
    if (divisors.kind() == Divisors::Kind::rows) rows_ = square(release.std_rows() / divisors.first(0));
  }
}

void MomentNoise::set_one_divisor(const Release& release, double first, double second) {
  v1_ = square(release.std_first() / first);
  between_ = release.diagonal_covariance() / square(second);
  diagonal_ = square(release.std_second() / second) - between_;
  twice_off_ = 2 * square(release.std_off_diagonal() / second);
  // In the ball the two are equal but for rounding.
  isotropic_ = shared_ || release.second_kind() != SecondMoment::full ||
               std::abs(twice_off_ - diagonal_) <= 8 * std::numeric_limits<double>::epsilon() * diagonal_;
}

void MomentNoise::set_cells(const Release& release, const Divisors& divisors) {
  const Eigen::Index d = mean_.size();
  const bool full = release.second_kind() == SecondMoment::full;
  cell_.v1 = cell_.count = Eigen::VectorXd(d);
  cell_.second = Eigen::MatrixXd::Zero(d, d);
  for (Eigen::Index i = 0; i < d; ++i) {
    const double n = divisors.first(static_cast<std::size_t>(i));
    cell_.v1(i) = square(release.std_first() / n);
    cell_.count(i) = square(release.std_count() / n);
    cell_.second(i, i) = square(release.std_second() / n) + 2 * square(cell_.v1(i));
  }
  for (Eigen::Index i = 0; full && i < d; ++i) {
    for (Eigen::Index j = i + 1; j < d; ++j) {
      const double n = divisors.second(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      const double product = square(release.std_off_diagonal() / n);
      const double count = square(second_(i, j) * release.std_pair_count() / n);
      cell_.second(i, j) = cell_.second(j, i) = 2 * (product + count) + 2 * cell_.v1(i) * cell_.v1(j);
    }
  }
}

MomentNoise MomentNoise::none(std::size_t dimension) {
  MomentNoise noise;
  noise.mean_ = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dimension));
  return noise;
}

double MomentNoise::std_from(const Parts& parts) const {
  if (!has_one_divisor()) throw Error("noise: the columns of this release have divisors of their own");
  if (shared_) {
    // Minkowski: the standard deviation of a sum is at most the sum of the parts' standard deviations,
    // however they depend on each other.
    return (std::sqrt(diagonal_) + std::sqrt(2.0) * v1_) * std::sqrt(parts.norm) +
           std::sqrt(v1_ * parts.mean);
  }
  const double counted = rows_ * parts.count + between_ * parts.trace;
  if (isotropic_) return std::sqrt((diagonal_ + 2 * v1_ * v1_) * parts.norm + v1_ * parts.mean + counted);
  const double off = std::max(0.0, parts.norm - parts.diagonal);
  return std::sqrt(twice_off_ * off + diagonal_ * parts.diagonal + 2 * v1_ * v1_ * parts.norm +
                   v1_ * parts.mean + counted);
}

double MomentNoise::cells_variance(const Eigen::VectorXd& g, const Eigen::MatrixXd& G) const {
  const Eigen::ArrayXd h = g - 2 * (G * mean_);
  const Eigen::ArrayXd by_count = h * mean_.array() + G.diagonal().array() * second_.diagonal().array();
  return G.cwiseAbs2().cwiseProduct(cell_.second).sum() + (h.square() * cell_.v1.array()).sum() +
         (by_count.square() * cell_.count.array()).sum();
}

double MomentNoise::std_of(const Eigen::VectorXd& g, const Eigen::MatrixXd& G) const {
  if (!has_one_divisor()) return std::sqrt(cells_variance(g, G));
  const Eigen::VectorXd h = g - 2 * (G * mean_);
  Parts parts{.norm = G.squaredNorm(),
              .diagonal = G.diagonal().squaredNorm(),
              .trace = square(G.trace()),
              .mean = h.squaredNorm()};
  if (second_.size() > 0) parts.count = square(h.dot(mean_) + G.cwiseProduct(second_).sum());
  return std_from(parts);
}

double MomentNoise::std_of(const Eigen::VectorXd& g, std::span<const Product> products) const {
  if (!has_one_divisor()) {
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(mean_.size(), mean_.size());
    for (const auto& [a, b] : products) G += (a * b.transpose() + b * a.transpose()) / 2;
    return std::sqrt(cells_variance(g, G));
  }
  // G = sum of (ab' + ba')/2, and <(ab' + ba')/2, (cd' + dc')/2> = ((a.c)(b.d) + (a.d)(b.c))/2.
  Parts parts;
  Eigen::VectorXd mean_part = g, diagonal = Eigen::VectorXd::Zero(mean_.size());
  double count = 0, trace = 0;
  for (const auto& [a, b] : products) {
    for (const auto& [c, d] : products) parts.norm += (a.dot(c) * b.dot(d) + a.dot(d) * b.dot(c)) / 2;
    mean_part -= a * b.dot(mean_) + b * a.dot(mean_);
    trace += a.dot(b);
    if (!isotropic_) diagonal += a.cwiseProduct(b);
    if (second_.size() > 0) count += a.dot(second_ * b);
  }
  parts.norm = std::max(0.0, parts.norm);
  parts.diagonal = diagonal.squaredNorm();
  parts.trace = square(trace);
  parts.mean = mean_part.squaredNorm();
  parts.count = square(mean_part.dot(mean_) + count);
  return std_from(parts);
}

double MomentNoise::std_of_pair(Eigen::Index i, Eigen::Index j, const PairGradient& gradient) const {
  const auto& [ii, jj, ij] = gradient;
  if (i == j) {
    const double h = -2 * ii * mean_(i);
    const double count = second_.size() > 0 ? square(h * mean_(i) + ii * second_(i, i)) : 0;
    if (has_one_divisor()) {
      return std_from(
          {.norm = ii * ii, .diagonal = ii * ii, .trace = ii * ii, .mean = h * h, .count = count});
    }
    return std::sqrt(ii * ii * cell_.second(i, i) + h * h * cell_.v1(i) + count * cell_.count(i));
  }
  const double h_i = -2 * (ii * mean_(i) + ij * mean_(j)), h_j = -2 * (jj * mean_(j) + ij * mean_(i));
  double count_i = 0, count_j = 0, count_ij = 0;
  if (second_.size() > 0) {
    count_i = h_i * mean_(i) + ii * second_(i, i);
    count_j = h_j * mean_(j) + jj * second_(j, j);
    count_ij = 2 * ij * second_(i, j);
  }
  if (has_one_divisor()) {
    return std_from({.norm = 2 * ij * ij + ii * ii + jj * jj,
                     .diagonal = ii * ii + jj * jj,
                     .trace = square(ii + jj),
                     .mean = h_i * h_i + h_j * h_j,
                     .count = square(count_i + count_j + count_ij)});
  }
  return std::sqrt(ii * ii * cell_.second(i, i) + jj * jj * cell_.second(j, j) +
                   2 * ij * ij * cell_.second(i, j) + h_i * h_i * cell_.v1(i) + h_j * h_j * cell_.v1(j) +
                   count_i * count_i * cell_.count(i) + count_j * count_j * cell_.count(j));
}

double MomentNoise::std_of_mean(Eigen::Index i) const {
  if (has_one_divisor()) return std::sqrt(v1_ + square(mean_(i)) * rows_);
  return std::sqrt(cell_.v1(i) + square(mean_(i)) * cell_.count(i));
}

double MomentNoise::mean_level() const {
  if (has_one_divisor()) return v1_ + mean_.squaredNorm() * rows_;
  return (cell_.v1.array() + mean_.array().square() * cell_.count.array()).maxCoeff();
}

double MomentNoise::level() const {
  std::vector<Eigen::Index> all(static_cast<std::size_t>(mean_.size()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Eigen::Index>(i);
  return level(all);
}

// For G = uu', h = -2 u (u'm): averages of u_i^2 u_j^2 over the sphere give all of them.
double MomentNoise::level(std::span<const Eigen::Index> columns) const {
  const auto d = static_cast<double>(columns.size());
  const Eigen::VectorXd m = mean_(columns);
  const double whole = m.squaredNorm();
  if (has_one_divisor()) {
    Parts parts{.norm = 1, .diagonal = 3 / (d + 2), .trace = 1, .mean = 4 * whole / d};
    if (second_.size() > 0) {
      // (h'm + <G, S>)^2 = (u'Bu)^2 with B = S - 2mm'.
      const Eigen::MatrixXd b = Eigen::MatrixXd(second_(columns, columns)) - 2 * m * m.transpose();
      parts.count = (square(b.trace()) + 2 * b.squaredNorm()) * sphere(d);
    }
    return std_from(parts);
  }
  double sum = 0;
  for (Eigen::Index i = 0; i < m.size(); ++i) {
    const Eigen::Index at = columns[static_cast<std::size_t>(i)];
    const double squared = square(m(i)), towards = whole + 2 * squared;
    sum += 4 * towards * cell_.v1(at) + 3 * cell_.second(at, at);
    sum += (4 * squared * towards - 12 * squared * second_(at, at) + 3 * square(second_(at, at))) *
           cell_.count(at);
    for (Eigen::Index j = 0; j < m.size(); ++j) {
      if (j != i) sum += cell_.second(at, columns[static_cast<std::size_t>(j)]);
    }
  }
  return std::sqrt(sum * sphere(d));
}

double MomentNoise::squared_level(std::span<const Eigen::Index> columns) const {
  const auto p = static_cast<double>(columns.size());
  const Eigen::VectorXd m = mean_(columns);
  if (has_one_divisor()) {
    // Over all entries (i, j): sum ||G||^2 = p(p+1)/2 and sum ||2Gm||^2 = 2(p+1)|m|^2.
    Parts parts{.norm = p * (p + 1) / 2, .diagonal = p, .trace = p, .mean = 2 * (p + 1) * m.squaredNorm()};
    if (second_.size() > 0) {
      parts.count = (Eigen::MatrixXd(second_(columns, columns)) - 2 * m * m.transpose()).squaredNorm();
    }
    return std::pow(std_from(parts), 2) / p;
  }
  double sum = 0;
  for (const Eigen::Index i : columns) {
    for (const Eigen::Index j : columns) {
      sum += square(std_of_pair(i, j, i == j ? PairGradient{.ii = 1} : PairGradient{.ij = 0.5}));
    }
  }
  return sum / p;
}

EntryVariances MomentNoise::entry_variances() const {
  if (shared_) return {};
  if (has_one_divisor()) {
    // Off the diagonal -m_i e_j - m_j e_i adds v1 (m_i^2 + m_j^2), on it 4 v1 m_i^2; the square of e adds
    // v1^2 and 2 v1^2.
    const double centring = 2 * v1_ * mean_.squaredNorm() / static_cast<double>(mean_.size());
    return {.off = twice_off_ / 2 + centring + v1_ * v1_,
            .diagonal = diagonal_ + 2 * centring + 2 * v1_ * v1_};
  }
  EntryVariances result{.each = models::covariance_noise(*this).cwiseAbs2()};
  std::vector<double> off;
  for (Eigen::Index i = 0; i < mean_.size(); ++i) {
    for (Eigen::Index j = i + 1; j < mean_.size(); ++j) off.push_back(result.each(i, j));
  }
  if (off.empty()) return result;
  const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
  std::nth_element(off.begin(), middle, off.end());
  result.off = *middle;
  return result;
}

}  // namespace jme
