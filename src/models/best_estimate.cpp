#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <jme/models/best_estimate.hpp>

#include "models/shrinkage.hpp"
#include "models/smooth_minimum.hpp"
#include "models/spectrum.hpp"

namespace jme {
namespace {

// In the ball the noise is alike in all directions: 2 off = diagonal. In the box of two or more columns it is
// at least four times that.
bool is_isotropic(const EntryVariances& noise) {
  return noise.each.size() == 0 && 2 * noise.off <= 1.5 * noise.diagonal;
}

Eigen::MatrixXd without_negative(const models::Spectrum& parts) {
  return models::rebuilt(parts, parts.values.cwiseMax(0.0));
}

// The projection in units in which the least weight of an entry is 1: minimise sum_ij w_ij (X - A)_ij^2 / 2
// over semidefinite X, with w_ij = 1 + r_ij. With a multiplier Y_ij for every entry of which r_ij > 0 the
// dual problem is smooth (docs/theory/estimates.md#projection):
//
//     minimise |(A + Y)_+|^2/2 - <A, Y> + sum_ij Y_ij^2/(2 r_ij),     X = (A + Y)_+.
//
// The vector of multipliers z has Y scaled so that the dual's second derivatives are at most 1.
class Projection {
 public:
  Projection(const Eigen::MatrixXd& symmetric, const EntryVariances& noise) {
    const Eigen::Index d = symmetric.rows();
    const auto weight = [&](Eigen::Index i, Eigen::Index j) {
      if (noise.each.size() == 0) return i == j ? 2 / noise.diagonal : 1 / noise.off;
      return (i == j ? 2 : 1) / noise.each(i, j);
    };
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = i; j < d; ++j) least = std::min(least, weight(i, j));
    }
    unit_ = 1 / std::sqrt(least);
    a_ = symmetric / unit_;
    for (Eigen::Index i = 0; i < d; ++i) {
      for (Eigen::Index j = i; j < d; ++j) {
        const double w = weight(i, j) / least, r = w - 1;
        if (!(r > negligible)) continue;
        // Both (i, j) and (j, i) are moved.
        entries_.push_back({.row = i,
                            .column = j,
                            .per_z = std::sqrt(r / w / (i == j ? 1 : 2)),
                            .inverse = 1 / r,
                            .copies = i == j ? 1.0 : 2.0,
                            .root_weight = std::sqrt(w)});
      }
    }
  }

  [[nodiscard]] BestEstimate solve(const BestOptions& options) const {
    const auto size = static_cast<Eigen::Index>(entries_.size());
    if (size == 0) return {.matrix = unit_ * without_negative(models::spectrum(a_)), .multipliers = {}};
    // What rounding leaves of a gradient.
    const double floor = 64 * std::numeric_limits<double>::epsilon() * a_.cwiseAbs().maxCoeff();
    const double tolerance = options.tolerance;
    const auto is_small = [&](const Eigen::VectorXd& gradient) {
      for (Eigen::Index k = 0; k < size; ++k) {
        const Entry& at = entries_[static_cast<std::size_t>(k)];
        // How far this entry of X is from where Y wants it, in deviations of its noise.
        const double off = std::abs(gradient(k)) / (at.copies * at.per_z);
        if (off * at.root_weight > tolerance && off > floor) return false;
      }
      return true;
    };
    Eigen::VectorXd start = Eigen::VectorXd::Zero(size);
    if (options.start != nullptr && options.start->size() == size) start = *options.start;
    Eigen::VectorXd z = models::smooth_minimum([&](const Eigen::VectorXd& at) { return dual(at); },
                                               std::move(start), is_small);
    return {.matrix = unit_ * without_negative(models::spectrum(moved(z))), .multipliers = std::move(z)};
  }

 private:
  static constexpr double negligible = 1e-9;
  struct Entry {
    Eigen::Index row, column;
    double per_z, inverse, copies, root_weight;  // Y_ij / z, 1/r_ij, entries it stands for, sqrt w_ij
  };

  [[nodiscard]] Eigen::MatrixXd moved(const Eigen::VectorXd& z) const {
    Eigen::MatrixXd result = a_;
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const Entry& at = entries_[k];
      const double y = at.per_z * z(static_cast<Eigen::Index>(k));
      result(at.row, at.column) += y;
      if (at.row != at.column) result(at.column, at.row) += y;
    }
    return result;
  }

  [[nodiscard]] models::Slope dual(const Eigen::VectorXd& z) const {
    const models::Spectrum parts = models::spectrum(moved(z));
    const Eigen::VectorXd positive = parts.values.cwiseMax(0.0);
    const bool diagonal_only =
        std::all_of(entries_.begin(), entries_.end(), [](const Entry& at) { return at.row == at.column; });
    Eigen::MatrixXd x;
    Eigen::VectorXd x_diagonal;
    if (diagonal_only) {
      x_diagonal = parts.vectors.cwiseAbs2() * positive;
    } else {
      x = models::rebuilt(parts, positive);
    }
    models::Slope result{.value = positive.squaredNorm() / 2, .gradient = Eigen::VectorXd(z.size())};
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const Entry& at = entries_[k];
      const auto i = static_cast<Eigen::Index>(k);
      const double y = at.per_z * z(i), a = a_(at.row, at.column);
      const double entry = diagonal_only ? x_diagonal(at.row) : x(at.row, at.column);
      result.value += at.copies * y * (at.inverse * y / 2 - a);
      result.gradient(i) = at.copies * at.per_z * (entry - a + at.inverse * y);
    }
    return result;
  }

  Eigen::MatrixXd a_;
  double unit_ = 1;
  std::vector<Entry> entries_;
};

double trace_above_zero(const Eigen::MatrixXd& matrix) {
  return std::max(0.0, matrix.trace());
}

}  // namespace

BestEstimate nearest_in_noise(const Eigen::MatrixXd& symmetric, const EntryVariances& noise,
                              const BestOptions& options) {
  const bool has_noise =
      noise.each.size() > 0 ? noise.each.minCoeff() > 0 : noise.off > 0 && noise.diagonal > 0;
  if (!has_noise || symmetric.rows() < 2) {
    return {.matrix = without_negative(models::spectrum(symmetric)), .multipliers = {}};
  }
  return Projection(symmetric, noise).solve(options);
}

BestEstimate best_estimate(const Eigen::MatrixXd& noisy, const EntryVariances& noise,
                           const BestOptions& options) {
  if (noisy.rows() < 2 || !(noise.off > 0)) return nearest_in_noise(noisy, noise, options);
  models::Spectrum parts = models::spectrum(noisy);
  parts.values = models::shrunk(parts.values, noise.off);
  if (is_isotropic(noise)) {
    const Eigen::VectorXd values = models::on_simplex(parts.values, trace_above_zero(noisy));
    return {.matrix = models::rebuilt(parts, values), .multipliers = {}};
  }
  Eigen::MatrixXd restored = models::rebuilt(parts, parts.values);
  restored.diagonal() = noisy.diagonal().cwiseMax(0.0);
  return nearest_in_noise(restored, noise, options);
}

}  // namespace jme
