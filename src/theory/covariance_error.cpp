#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include <jme/base/errors.hpp>
#include <jme/theory/expected_error.hpp>

#include "theory/cross_term.hpp"
#include "theory/pp_error.hpp"
#include "theory/release_gram.hpp"
#include "theory/squared_noise.hpp"

namespace jme {
namespace {

// PP's covariance is (X+G)'K(X+G) with K = diag(v) - vv', v the release's normalised row weights: the
// terms of docs/theory/errors.md#squared-noisy-rows with K in place of a diagonal matrix of weights (see
// SquareCounts), here summed over releases for std1 = zeta = 1.
struct CovarianceTerms {
  double quartic = 0;  // tr((KQ)^2)
  Interval cross{0, 0};
  double bias = 0;  // tr(KQ)^2
};

// Identity shape, m equal weights 1/m: K^2 = (I - 11'/m) / m^2. In one dimension tr(K^2 XX') is convex in
// each row, so largest at rows of +-1, whose sum is odd where m is: the alternating stream is the worst at
// every release at once.
CovarianceTerms equal_weights(std::size_t rows, std::size_t dimension) {
  const auto m = static_cast<double>(rows);
  const double odd = rows % 2 == 1 ? 1 / (m * m * m) : 0;  // the alternating stream's sum is 0 or 1
  const double attained = 1 / m - odd;
  return {.quartic = 1 / m - 1 / (m * m),
          .cross = {attained, dimension == 1 ? attained
                              : rows == 1    ? 0.0
                                             : 1 / m},
          .bias = (1 - 1 / m) * (1 - 1 / m)};
}

// Identity shape, weights v_a = c beta^a, a < k. With u = v o v and s_p = sum v^p,
//   K^2 = diag(u) - vu' - uv' + s_2 vv' = diag(u) + s_2 (v - u/s_2)(v - u/s_2)' - uu'/s_2,
// so ||KX||^2 <= s_2 + s_2 (sum |v - u/s_2|)^2. Also, since |x_t - xbar| <= 2 (1 - v_t),
//   ||KX||^2 = sum v_t^2 |x_t - xbar|^2 <= 4 sum v_t^2 (1 - v_t)^2.
CovarianceTerms geometric_weights(double beta, std::size_t rows) {
  const auto k = static_cast<double>(rows);
  // 1 - beta^k without cancellation for beta near 1.
  const double log_beta = std::log(beta);
  const auto one_minus_power = [&](double exponent) { return -std::expm1(exponent * log_beta); };
  const double c = one_minus_power(1) / one_minus_power(k);
  const auto power_sum = [&](double p) {
    return std::pow(c, p) * one_minus_power(p * k) / one_minus_power(p);
  };
  const double s2 = power_sum(2), s3 = power_sum(3), s4 = power_sum(4);
  const double sign = rows % 2 == 0 ? 1 : -1;  // (-1)^k
  const double mean = c * (1 - sign * std::pow(beta, k)) / (1 + beta);
  const double pull = c * c * (1 - sign * std::pow(beta, 2 * k)) / (1 + beta * beta);
  // v > s_2 for the first j rows; there u/s_2 > v. The differences sum to zero, so twice one side is the sum.
  const double j = std::clamp(std::ceil(std::log(s2 / c) / log_beta), 0.0, k);
  const double head_v = c * one_minus_power(j) / one_minus_power(1);
  const double head_u = c * c * one_minus_power(2 * j) / one_minus_power(2);
  const double spread = 2 * std::abs(head_u / s2 - head_v);
  const double by_square = s2 + s2 * spread * spread;
  const double by_distance = 4 * std::max(0.0, s2 - 2 * s3 + s4);
  const double low = s2 - 2 * pull * mean + s2 * mean * mean;
  return {.quartic = std::max(0.0, s2 - 2 * s3 + s2 * s2),
          .cross = {std::max(0.0, low), std::max(low, std::min(by_square, by_distance))},
          .bias = (1 - s2) * (1 - s2)};
}

CovarianceTerms identity_terms(const Workload& workload, const Horizon& horizon, std::size_t dimension) {
  CovarianceTerms sum;
  for (std::size_t step = 0; step < horizon.steps(); ++step) {
    std::size_t rows = horizon.rows_through(step);
    if (workload.kind() == Workload::Kind::window) {
      // Whole blocks, the last one perhaps partial.
      const std::size_t missing = (step + 1) * horizon.every() - rows;
      rows = std::min(rows, workload.window_rows() - missing);
    }
    const CovarianceTerms one = workload.kind() == Workload::Kind::decay
                                    ? geometric_weights(workload.beta(), rows)
                                    : equal_weights(rows, dimension);
    sum.quartic += one.quartic;
    sum.cross.low += one.cross.low;
    sum.cross.high += one.cross.high;
    sum.bias += one.bias;
  }
  return sum;
}

// sum_B K_B Q K_B = (V'V) o Q - V'E - E'V + V' diag(b) V, rows of E: v o Qv, b = v'Qv.
CovarianceTerms dense_terms(const Eigen::MatrixXd& v, const Filter& c, std::size_t dimension) {
  const Eigen::MatrixXd q = theory::noise_covariance(c);
  const Eigen::MatrixXd gram = v.transpose() * v;
  const Eigen::MatrixXd vq = v * q;
  const Eigen::MatrixXd e = v.cwiseProduct(vq);
  const Eigen::VectorXd b = e.rowwise().sum();
  const Eigen::MatrixXd ve = v.transpose() * e;
  const Eigen::MatrixXd m = gram.cwiseProduct(q) - ve - ve.transpose() + v.transpose() * b.asDiagonal() * v;
  return {
      .quartic = theory::squared_noise_trace_dense(gram, q) - 2 * e.cwiseProduct(vq).sum() + b.squaredNorm(),
      .cross = theory::sup_over_unit_rows(m, dimension),
      .bias = (v * q.diagonal() - b).squaredNorm()};
}

Eigen::MatrixXd normalised_weights(const Mechanism& mechanism) {
  const Horizon& horizon = mechanism.horizon();
  Eigen::MatrixXd v = theory::release_matrix(mechanism.workload_first(), horizon);
  for (Eigen::Index step = 0; step < v.rows(); ++step) v.row(step) /= v.row(step).sum();
  return v;
}

CovarianceTerms pp_covariance_terms(const Mechanism& mechanism) {
  const std::size_t rows = mechanism.horizon().rows();
  const Workload& workload = mechanism.workload_first();
  const bool closed_form = theory::is_identity(mechanism.c1()) && workload.kind() != Workload::Kind::custom;
  if (closed_form) return identity_terms(workload, mechanism.horizon(), mechanism.config().dimension);
  if (rows > theory::quick_dense_rows) {
    throw InvalidParameter("rows", static_cast<double>(rows),
                           "at most " + std::to_string(theory::quick_dense_rows) +
                               " to predict the covariance of " +
                               std::string(name(mechanism.config().method)) + " with the shape " +
                               mechanism.shape_first().name());
  }
  return dense_terms(normalised_weights(mechanism), mechanism.c1(), mechanism.config().dimension);
}

void check(const Mechanism& mechanism) {
  if (!mechanism.has_second()) throw InvalidParameter("second", "none", "full or diagonal for a covariance");
  const Workload &first = mechanism.workload_first(), &second = mechanism.workload_second();
  const bool custom = first.kind() == Workload::Kind::custom;
  const bool same =
      first.kind() == second.kind() &&
      (custom ? mechanism.a1().to_dense() == mechanism.a2().to_dense() : first.name() == second.name());
  if (!same)
    throw InvalidParameter("workload2", second.name(), "the first channel's workload for a covariance");
  for (std::size_t step = 0; custom && step < mechanism.horizon().steps(); ++step) {
    if (!(first.weight_sum(step, mechanism.horizon().rows_through(step), mechanism.horizon()) > 0)) {
      throw InvalidParameter("workload", first.name(), "a matrix with positive row sums for a covariance");
    }
  }
}

// Largest |sum_t v_t x_t|^2 over unit rows: 1, and more where a custom workload has negative weights.
double squared_mean_bound(const Mechanism& mechanism, std::size_t step, double weight_sum) {
  if (mechanism.workload_first().kind() != Workload::Kind::custom) return 1;
  const std::vector<double> weights = mechanism.a1().row_weights(step);
  double absolute = 0;
  for (std::size_t b = 0; b <= step; ++b) {
    absolute += std::abs(weights[b]) * static_cast<double>(mechanism.horizon().rows_in_step(b));
  }
  return std::max(1.0, (absolute / weight_sum) * (absolute / weight_sum));
}

}  // namespace

Interval covariance_error_bounds(const Mechanism& mechanism, bool debiased, Count count) {
  check(mechanism);
  const StreamConfig& config = mechanism.config();
  const theory::SquareCounts counts = theory::square_counts(config.second, config.dimension);
  const double squared_bound = config.norm_bound * config.norm_bound;
  if (squares_noisy_rows(config.method)) {
    const CovarianceTerms terms = pp_covariance_terms(mechanism);
    const double w = mechanism.calibration().std_first * mechanism.calibration().std_first;
    const double fixed = w * w * (counts.quartic * terms.quartic + (debiased ? 0 : counts.bias * terms.bias));
    const double cross = counts.cross * w * squared_bound;
    return {fixed + cross * terms.cross.low, fixed + cross * terms.cross.high};
  }
  const ReleaseVariance variance = release_variance(mechanism);
  const double n = counted_coordinates(mechanism, count);
  const double quartic = counts.quartic + (debiased ? 0 : counts.bias);
  Interval error{0, 0};
  for (std::size_t step = 0; step < variance.first.size(); ++step) {
    const double weight = mechanism.workload_first().weight_sum(step, mechanism.horizon().rows_through(step),
                                                                mechanism.horizon());
    const double v1 = variance.first[step] / (weight * weight),
                 v2 = variance.second[step] / (weight * weight);
    const double fixed = n * v2 + quartic * v1 * v1, cross = counts.cross * squared_bound * v1;
    error.low += fixed + cross;  // attained by x_t = zeta e1 at all releases at once
    error.high += fixed + cross * squared_mean_bound(mechanism, step, weight);
  }
  return error;
}

double covariance_error(const Mechanism& mechanism, bool debiased, Count count) {
  return covariance_error_bounds(mechanism, debiased, count).high;
}

}  // namespace jme
