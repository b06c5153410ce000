#include "moments/noise_levels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <jme/base/errors.hpp>
#include <jme/filter/norms.hpp>

namespace jme {
namespace {

// A workload over rows. A custom matrix speaks of blocks: every row of a block weighs what its block does.
Filter over_rows(const Workload& workload, const Horizon& horizon) {
  if (workload.kind() != Workload::Kind::custom || horizon.every() == 1)
    return workload.filter(horizon.by_row());
  const Eigen::MatrixXd blocks = workload.filter(horizon).to_dense();
  const auto n = static_cast<Eigen::Index>(horizon.rows());
  const auto k = static_cast<Eigen::Index>(horizon.every());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index t = 0; t < n; ++t) {
    for (Eigen::Index i = 0; i <= t; ++i) rows(t, i) = blocks(t / k, i / k);
  }
  return Filter::dense(std::move(rows), workload.name());
}

// Weights over rows of the release that closes a partial block: what the block weighs times the row's weight
// in it.
std::vector<double> weights_over_rows(const Workload& workload, const Horizon& planned, std::size_t step,
                                      std::size_t rows_seen) {
  const bool over_blocks = workload.kind() == Workload::Kind::custom;
  const Horizon seen(over_blocks ? planned.rows() : std::max(rows_seen, workload.window_rows()),
                     planned.every());
  const std::vector<double> blocks = workload.filter(seen).row_weights(step);
  std::vector<double> weights(planned.rows(), 0.0);
  for (std::size_t i = 0; i < rows_seen; ++i) {
    const std::size_t block_end = std::min((i / planned.every() + 1) * planned.every(), rows_seen);
    const double inside = planned.every() == 1 ? 1 : workload.weight_in_block(block_end - 1 - i);
    weights[i] = blocks[i / planned.every()] * inside;
  }
  return weights;
}

double absolute_row_sum_bound(const Filter& c) {
  // ||C^-1||_2 <= sqrt(largest absolute row sum * largest absolute column sum).
  if (c.is_toeplitz()) {
    const auto inverse = c.core().inverse_coefficients(c.steps());
    return std::accumulate(inverse.begin(), inverse.end(), 0.0,
                           [](double s, double v) { return s + std::abs(v); });
  }
  if (c.steps() > 4096) throw InvalidParameter("shape", "pp with this shape is limited to 4096 rows");
  const Eigen::MatrixXd inverse = c.to_dense().triangularView<Eigen::Lower>().solve(
      Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(c.steps()), static_cast<Eigen::Index>(c.steps())));
  return std::sqrt(inverse.cwiseAbs().rowwise().sum().maxCoeff() *
                   inverse.cwiseAbs().colwise().sum().maxCoeff());
}

}  // namespace

NoiseLevels::NoiseLevels(const Mechanism& mechanism) : mechanism_(&mechanism) {
  const Horizon& horizon = mechanism.horizon();
  if (!squares_noisy_rows(mechanism.config().method)) {
    first_ = squared_error_row_norms(mechanism.a1(), mechanism.c1());
    if (mechanism.has_second()) second_ = squared_error_row_norms(mechanism.a2(), mechanism.c2());
    return;
  }
  first_ = squared_error_row_norms(over_rows(mechanism.workload_first(), horizon), mechanism.c1());
  if (!mechanism.has_second()) return;
  const Filter a2 = over_rows(mechanism.workload_second(), horizon);
  weights_ = squared_error_row_norms(a2, Filter::identity(horizon.rows()));
  largest_q_ = squared_inverse_row_norms(mechanism.c1());
  for (std::size_t t = 1; t < largest_q_.size(); ++t)
    largest_q_[t] = std::max(largest_q_[t], largest_q_[t - 1]);
  const double bound = absolute_row_sum_bound(mechanism.c1());
  operator_norm_squared_ = bound * bound;
}

NoiseLevels::Level NoiseLevels::at(std::size_t step, std::size_t rows_seen) const {
  return squares_noisy_rows(mechanism_->config().method) ? of_row_noise(step, rows_seen)
                                                         : of_block_noise(step, rows_seen);
}

NoiseLevels::Level NoiseLevels::of_block_noise(std::size_t step, std::size_t rows_seen) const {
  const Horizon& planned = mechanism_->horizon();
  const Calibration& noise = mechanism_->calibration();
  const auto level = [&](const Workload& workload, const Filter& c, const std::vector<double>& norms,
                         double std) {
    if (norms.empty()) return 0.0;
    if (rows_seen == planned.rows_through(step)) return std * std::sqrt(norms[step]);
    // The stream ended inside a block: this release has the weights of a horizon that ends here.
    const bool over_blocks = workload.kind() == Workload::Kind::custom;
    const Filter a = workload.filter(
        over_blocks ? planned : Horizon(std::max(rows_seen, workload.window_rows()), planned.every()));
    std::vector<double> weights = a.row_weights(step);
    weights.resize(c.steps(), 0.0);
    return std * std::sqrt(squared_error_row_norm(weights, c));
  };
  return {.first = level(mechanism_->workload_first(), mechanism_->c1(), first_, noise.std_first),
          .second = level(mechanism_->workload_second(), mechanism_->c2(), second_, noise.std_second)};
}

NoiseLevels::Level NoiseLevels::of_row_noise(std::size_t step, std::size_t rows_seen) const {
  const std::size_t t = rows_seen - 1;
  const Horizon& planned = mechanism_->horizon();
  const bool partial = rows_seen % planned.every() != 0;
  const auto norm = [&](const Workload& workload, const Filter& c, const std::vector<double>& norms) {
    return partial ? squared_error_row_norm(weights_over_rows(workload, planned, step, rows_seen), c)
                   : norms[t];
  };
  const double variance = mechanism_->calibration().std_first * mechanism_->calibration().std_first;
  const double zeta = mechanism_->config().norm_bound;
  Level level{.first = std::sqrt(variance * norm(mechanism_->workload_first(), mechanism_->c1(), first_)),
              .second = 0};
  if (!weights_.empty()) {
    // Entry (i,i) of sum a_t xhat_t xhat_t': variance 2 w^2 a'(Q o Q)a + 4 w (a o x)' Q (a o x). Q <=
    // ||C^-1||^2 I and Q o Q <= (max Q_ii) ||C^-1||^2 I (Schur): a bound for every stream, attained for C =
    // I.
    const double weights = norm(mechanism_->workload_second(), Filter::identity(planned.rows()), weights_);
    level.second = std::sqrt((2 * variance * largest_q_[t] + 4 * zeta * zeta) * variance *
                             operator_norm_squared_ * weights);
  }
  return level;
}

}  // namespace jme
