#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <lapacke.h>

#include <jme/base/cancellation.hpp>
#include <jme/base/errors.hpp>
#include <jme/shaping/dense_optimum.hpp>

namespace jme {
namespace {

struct Spectrum {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< columns
};

Spectrum symmetric_spectrum(Eigen::MatrixXd b) {
  const auto n = static_cast<lapack_int>(b.rows());
  Spectrum spectrum{.values = Eigen::VectorXd(n), .vectors = std::move(b)};
  const lapack_int failed =
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, spectrum.vectors.data(), n, spectrum.values.data());
  if (failed != 0) throw Error("dense optimum: the eigenvalue iteration did not converge");
  return spectrum;
}

/// ||A diag(sqrt w)||_* / sqrt(n sum w). The nuclear norm comes from singular values, not from roots of
/// eigenvalues of A'A, whose small ones would carry half the digits; n^2 eps times the largest is subtracted,
/// which is more than LAPACK's backward error can add up to.
double certificate(const Eigen::MatrixXd& a, const Eigen::VectorXd& w) {
  Eigen::MatrixXd weighted = a * w.array().sqrt().matrix().asDiagonal();
  const auto n = static_cast<lapack_int>(a.rows());
  Eigen::VectorXd singular(n);
  const lapack_int failed = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', n, n, weighted.data(), n, singular.data(),
                                           nullptr, 1, nullptr, 1);
  if (failed != 0) throw Error("dense optimum: the singular value iteration did not converge");
  const auto size = static_cast<double>(n);
  const double rounding = size * size * std::numeric_limits<double>::epsilon() * singular(0);
  return std::max(0.0, singular.sum() - rounding) / std::sqrt(size * w.sum());
}

/// B = W^1/2 A'A W^1/2.
Eigen::MatrixXd weighted_gram(const Eigen::MatrixXd& gram, const Eigen::VectorXd& w) {
  const Eigen::VectorXd root = w.array().sqrt();
  return root.asDiagonal() * gram * root.asDiagonal();
}

/// Lower-triangular C with C'C = G: the Cholesky factor of G read from the last row and column to the first.
Eigen::MatrixXd reversed_cholesky(const Eigen::MatrixXd& g) {
  const Eigen::LLT<Eigen::MatrixXd> factor(g.reverse());
  if (factor.info() != Eigen::Success) {
    throw InvalidParameter("workload", "too close to singular for the dense optimum");
  }
  const Eigen::MatrixXd lower = factor.matrixL();
  return lower.reverse().transpose();
}

double rmse_of(const Eigen::MatrixXd& a, const Eigen::MatrixXd& c) {
  const Eigen::MatrixXd shaped =
      c.transpose().triangularView<Eigen::Upper>().solve(a.transpose());  // (A C^-1)'
  return std::sqrt(c.colwise().squaredNorm().maxCoeff() * shaped.squaredNorm() /
                   static_cast<double>(a.rows()));
}

/// Anderson's acceleration of x <- x + residual(x): the combination of the last points whose residuals, to
/// first order, cancel best. Any weights give a valid certificate, so a poor step costs time and cannot make
/// the result wrong.
class Acceleration {
 public:
  Eigen::VectorXd next(const Eigen::VectorXd& x, const Eigen::VectorXd& residual) {
    Eigen::VectorXd result = x + residual;
    if (last_x_.size() > 0) {
      if (steps_.size() == depth) {
        steps_.erase(steps_.begin());
        changes_.erase(changes_.begin());
      }
      steps_.push_back(result - last_x_ - last_residual_);
      changes_.push_back(residual - last_residual_);
      Eigen::MatrixXd change(x.size(), changes_.size());
      for (std::size_t i = 0; i < changes_.size(); ++i)
        change.col(static_cast<Eigen::Index>(i)) = changes_[i];
      const Eigen::VectorXd gamma = change.colPivHouseholderQr().solve(residual);
      last_x_ = x;
      last_residual_ = residual;
      for (std::size_t i = 0; i < steps_.size(); ++i)
        result -= gamma(static_cast<Eigen::Index>(i)) * steps_[i];
      return result;
    }
    last_x_ = x;
    last_residual_ = residual;
    return result;
  }

 private:
  static constexpr std::size_t depth = 4;
  std::vector<Eigen::VectorXd> steps_, changes_;
  Eigen::VectorXd last_x_, last_residual_;
};

void check_workload(const Eigen::MatrixXd& a) {
  if (a.rows() == 0 || a.rows() != a.cols() || !a.allFinite()) {
    throw InvalidParameter("workload", "the dense optimum needs a square matrix of finite numbers");
  }
  if ((a.colwise().squaredNorm().array() == 0).any()) {
    throw InvalidParameter("workload", "the dense optimum needs every row of data to enter some release");
  }
}

}  // namespace

DenseOptimum dense_optimum(const Eigen::MatrixXd& a, double gap) {
  check_workload(a);
  const Eigen::Index n = a.rows();
  const Eigen::MatrixXd gram = a.transpose() * a;
  constexpr int max_iterations = 60;
  Acceleration acceleration;
  double last_gap = std::numeric_limits<double>::infinity();
  Eigen::VectorXd w = Eigen::VectorXd::Ones(n);
  for (int iteration = 1;; ++iteration) {
    check_cancelled();
    const Spectrum spectrum = symmetric_spectrum(weighted_gram(gram, w));
    const Eigen::ArrayXd roots =
        spectrum.values.array().max(std::numeric_limits<double>::epsilon() * spectrum.values(n - 1)).sqrt();
    // diag(B^1/2), and G^-1 = W^1/2 B^-1/2 W^1/2 for G = C'C = W^-1/2 B^1/2 W^-1/2, diag(G) = next / w.
    const Eigen::VectorXd next = spectrum.vectors.array().square().matrix() * roots.matrix();
    const Eigen::VectorXd scale = next.array().sqrt();  // W^1/2 diag(G)^1/2: normalises the columns of C
    const Eigen::MatrixXd scaled = scale.asDiagonal() * spectrum.vectors;
    const Eigen::ArrayXd mode_error = (gram * scaled).cwiseProduct(scaled).colwise().sum().transpose();
    const double rmse = std::sqrt((mode_error / roots).sum() / static_cast<double>(n));
    const double bound = roots.sum() / std::sqrt(static_cast<double>(n) * w.sum());
    if (rmse <= bound * (1 + gap) || iteration == max_iterations) {
      const Eigen::MatrixXd half =
          scale.cwiseInverse().asDiagonal() * spectrum.vectors * roots.sqrt().matrix().asDiagonal();
      Eigen::MatrixXd c = reversed_cholesky(half * half.transpose());
      c = c * c.colwise().norm().cwiseInverse().asDiagonal();
      c.triangularView<Eigen::StrictlyUpper>().setZero();
      const double reached = rmse_of(a, c);
      return {.c = std::move(c), .rmse = reached, .lower_bound = certificate(a, w)};
    }
    if (rmse / bound - 1 > 2 * last_gap)
      acceleration = {};  // overshot: forget the past and take a plain step
    last_gap = rmse / bound - 1;
    const Eigen::VectorXd log_w = w.array().log();
    w = acceleration.next(log_w, next.array().log().matrix() - log_w).array().exp();
  }
}

double rmse_lower_bound(const Eigen::MatrixXd& a, const Eigen::VectorXd& w) {
  check_workload(a);
  if (w.size() != a.cols() || !(w.array() > 0).all() || !w.allFinite()) {
    throw InvalidParameter("weights", "one positive number per step is needed");
  }
  return certificate(a, w);
}

double rmse_lower_bound(const Filter& a, const Filter& c) {
  if (a.steps() != c.steps()) throw InvalidParameter("steps", "workload and shape differ in length");
  Eigen::VectorXd w(static_cast<Eigen::Index>(c.steps()));
  for (std::size_t j = 0; j < c.steps(); ++j) {
    std::vector<double> unit(c.steps(), 0.0);
    unit[j] = 1;
    double sum = 0;
    for (const double entry : a.apply(c.solve(c.solve_transposed(unit)))) sum += entry * entry;
    w(static_cast<Eigen::Index>(j)) = sum;
  }
  return rmse_lower_bound(a.to_dense(), w);
}

}  // namespace jme
