#include "moments/post_processing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <jme/base/errors.hpp>

#include "filter/norms.hpp"
#include "mechanism/stream_limits.hpp"

namespace jme {
namespace {

// A workload over rows. A custom matrix is over blocks: every row of a block has the weight of its block.
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

// Weights over rows of the release that closes a partial block: the block's weight times the row's weight in
// it.
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
  const Toeplitz& core = c.core();
  if (c.is_toeplitz() && core.taps.size() == 1 && core.modes.empty() && core.lag_taps.empty()) {
    return std::abs(core.inverse_coefficients(1)[0]);
  }
  if (c.is_toeplitz()) {
    const auto inverse = c.core().inverse_coefficients(c.steps());
    return std::accumulate(inverse.begin(), inverse.end(), 0.0,
                           [](double s, double v) { return s + std::abs(v); });
  }
  if (c.steps() > most_rows_of_shaped_pp)
    throw InvalidParameter("shape", "pp with this shape is limited to 4096 rows");
  const Eigen::MatrixXd inverse = c.to_dense().triangularView<Eigen::Lower>().solve(
      Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(c.steps()), static_cast<Eigen::Index>(c.steps())));
  return std::sqrt(inverse.cwiseAbs().rowwise().sum().maxCoeff() *
                   inverse.cwiseAbs().colwise().sum().maxCoeff());
}

}  // namespace

SquaredNoiseBias::SquaredNoiseBias(const Mechanism& mechanism, FilterStream accumulate, double beta)
    : row_variance_(Filter::identity(mechanism.horizon().rows()), mechanism.c1()),
      accumulate_(std::move(accumulate)),
      beta_(beta),
      variance_(mechanism.calibration().std_first * mechanism.calibration().std_first) {}

void SquaredNoiseBias::add_row(std::size_t row) {
  in_block_ = beta_ * in_block_ + row_variance_.at(row);
}

double SquaredNoiseBias::close_block(const std::optional<LastStep>& last) {
  double out = 0;
  if (last) {
    accumulate_.last_step({&in_block_, 1}, {&out, 1}, *last);
  } else {
    accumulate_.step({&in_block_, 1}, {&out, 1});
  }
  in_block_ = 0;
  return out * variance_;
}

RowNoiseLevels::RowNoiseLevels(const Mechanism& mechanism)
    : mechanism_(&mechanism),
      first_(over_rows(mechanism.workload_first(), mechanism.horizon()), mechanism.c1()) {
  if (!mechanism.has_second()) return;
  const Horizon& horizon = mechanism.horizon();
  weights_.emplace(over_rows(mechanism.workload_second(), horizon), Filter::identity(horizon.rows()));
  row_variances_.emplace(Filter::identity(horizon.rows()), mechanism.c1());
  const double bound = absolute_row_sum_bound(mechanism.c1());
  operator_norm_squared_ = bound * bound;
}

double RowNoiseLevels::row_norm(const Workload& workload, const Filter& c, ErrorNormStream& norms,
                                std::size_t step, std::size_t rows_seen) const {
  const Horizon& planned = mechanism_->horizon();
  // Over rows, only a window and a custom matrix depend on the blocks.
  const bool by_blocks =
      workload.kind() == Workload::Kind::window || workload.kind() == Workload::Kind::custom;
  if (rows_seen % planned.every() == 0 || !by_blocks) return norms.at(rows_seen - 1);
  return squared_error_row_norm(weights_over_rows(workload, planned, step, rows_seen), c);
}

NoiseLevel RowNoiseLevels::at(std::size_t step, std::size_t rows_seen) {
  const double variance = mechanism_->calibration().std_first * mechanism_->calibration().std_first;
  const double zeta = mechanism_->config().norm_bound;
  NoiseLevel level{.first = std::sqrt(variance * row_norm(mechanism_->workload_first(), mechanism_->c1(),
                                                          first_, step, rows_seen)),
                   .second = 0};
  if (weights_) {
    for (; rows_compared_ < rows_seen; ++rows_compared_) {
      largest_q_ = std::max(largest_q_, row_variances_->next());
    }
    // Entry (i,i) of sum a_t xhat_t xhat_t': variance 2 w^2 a'(Q o Q)a + 4 w (a o x)' Q (a o x). Q <=
    // ||C^-1||^2 I and Q o Q <= (max Q_ii) ||C^-1||^2 I (Schur): a bound for every stream, attained for C =
    // I.
    const double weights =
        row_norm(mechanism_->workload_second(), Filter::identity(mechanism_->horizon().rows()), *weights_,
                 step, rows_seen);
    level.second = std::sqrt((2 * variance * largest_q_ + 4 * zeta * zeta) * variance *
                             operator_norm_squared_ * weights);
  }
  return level;
}

}  // namespace jme
