#include "theory/release_gram.hpp"

#include <algorithm>
#include <cmath>

#include "filter/norms.hpp"

namespace jme::theory {
namespace {

// Weights of the rows of one release of a workload that weighs whole blocks.
std::vector<double> spread_over_rows(const std::vector<double>& step_weights, const Horizon& horizon) {
  std::vector<double> weights(horizon.rows());
  for (std::size_t row = 0; row < weights.size(); ++row) weights[row] = step_weights[row / horizon.every()];
  return weights;
}

// A workload that is given by blocks differs from the row-level one at a release that closes a partial block:
// custom matrices are over steps, and a window then covers fewer rows than its length.
bool weighs_blocks(const Workload& workload, const Horizon& horizon) {
  return workload.kind() == Workload::Kind::custom ||
         (workload.kind() == Workload::Kind::window && horizon.rows() % horizon.every() != 0);
}

// Of one number per row, those of the rows at which a block ends.
std::vector<double> at_releases(std::vector<double> per_row, const Horizon& horizon) {
  for (std::size_t step = 0; step < horizon.steps(); ++step) {
    per_row[step] = per_row[horizon.rows_through(step) - 1];
  }
  per_row.resize(horizon.steps());
  return per_row;
}

}  // namespace

ReleaseGram::ReleaseGram(const Workload& workload, const Horizon& horizon)
    : workload_(workload), horizon_(horizon) {
  const std::size_t steps = horizon.steps();
  switch (workload.kind()) {
    case Workload::Kind::custom: {
      const Eigen::MatrixXd a = workload.filter(horizon).to_dense();
      step_gram_ = a.transpose() * a;
      return;
    }
    case Workload::Kind::window:
      return;
    case Workload::Kind::prefix:
    case Workload::Kind::mean:
    case Workload::Kind::decay:
      break;
  }
  if (workload.kind() == Workload::Kind::decay) {
    powers_.resize(horizon.rows() + 2 * std::min(horizon.every(), horizon.rows()));
    for (std::size_t k = 0; k < powers_.size(); ++k)
      powers_[k] = std::pow(workload.beta(), static_cast<double>(k));
  }
  from_step_.assign(steps, 0);
  double sum = 0;
  for (std::size_t step = steps; step-- > 0;) {
    switch (workload.kind()) {
      case Workload::Kind::prefix:
        sum += 1;
        break;
      case Workload::Kind::mean: {
        const auto count = static_cast<double>(horizon.rows_through(step));
        sum += 1 / (count * count);
        break;
      }
      default: {
        const double gap = step + 1 < steps ? static_cast<double>(horizon.rows_in_step(step + 1)) : 0.0;
        sum = 1 + std::pow(workload.beta(), 2 * gap) * sum;
      }
    }
    from_step_[step] = sum;
  }
}

double ReleaseGram::operator()(std::size_t earlier, std::size_t later) const {
  const std::size_t step = later / horizon_.every();
  switch (workload_.kind()) {
    case Workload::Kind::prefix:
    case Workload::Kind::mean:
      return from_step_[step];
    case Workload::Kind::decay: {
      const std::size_t end = horizon_.rows_through(step) - 1;
      return powers_[(later - earlier) + 2 * (end - later)] * from_step_[step];
    }
    case Workload::Kind::window: {
      // A window covers whole blocks, the last one perhaps partial: steps from later's block on, as long as
      // earlier's block is among the last window/every.
      const std::size_t blocks = workload_.window_rows() / horizon_.every();
      const std::size_t past_last = std::min(earlier / horizon_.every() + blocks, horizon_.steps());
      if (past_last <= step) return 0;
      const auto length = static_cast<double>(workload_.window_rows());
      return static_cast<double>(past_last - step) / (length * length);
    }
    case Workload::Kind::custom:
      return step_gram_(static_cast<Eigen::Index>(earlier / horizon_.every()),
                        static_cast<Eigen::Index>(step));
  }
  return 0;
}

Eigen::MatrixXd ReleaseGram::to_dense() const {
  const auto n = static_cast<Eigen::Index>(rows());
  Eigen::MatrixXd h(n, n);
  for (Eigen::Index s = 0; s < n; ++s)
    for (Eigen::Index t = 0; t <= s; ++t)
      h(t, s) = h(s, t) = (*this)(static_cast<std::size_t>(t), static_cast<std::size_t>(s));
  return h;
}

std::vector<double> release_sums(const Workload& workload, const Horizon& horizon,
                                 std::span<const double> per_row) {
  if (weighs_blocks(workload, horizon)) {
    std::vector<double> blocks(horizon.steps(), 0.0);
    for (std::size_t row = 0; row < per_row.size(); ++row) blocks[row / horizon.every()] += per_row[row];
    return workload.filter(horizon).apply(blocks);
  }
  return at_releases(workload.filter(horizon.by_row()).apply(per_row), horizon);
}

Eigen::MatrixXd release_matrix(const Workload& workload, const Horizon& horizon) {
  const auto steps = static_cast<Eigen::Index>(horizon.steps());
  const auto rows = static_cast<Eigen::Index>(horizon.rows());
  Eigen::MatrixXd b(steps, rows);
  if (weighs_blocks(workload, horizon)) {
    const Eigen::MatrixXd a = workload.filter(horizon).to_dense();
    for (Eigen::Index row = 0; row < rows; ++row)
      b.col(row) = a.col(row / static_cast<Eigen::Index>(horizon.every()));
    return b;
  }
  const Eigen::MatrixXd a = workload.filter(horizon.by_row()).to_dense();
  for (Eigen::Index step = 0; step < steps; ++step)
    b.row(step) = a.row(static_cast<Eigen::Index>(horizon.rows_through(static_cast<std::size_t>(step)) - 1));
  return b;
}

std::vector<double> release_row_norms(const Workload& workload, const Horizon& horizon, const Filter& c) {
  if (workload.kind() == Workload::Kind::custom) {
    std::vector<double> norms;
    const Filter a = workload.filter(horizon);
    for (std::size_t step = 0; step < horizon.steps(); ++step)
      norms.push_back(squared_error_row_norm(spread_over_rows(a.row_weights(step), horizon), c));
    return norms;
  }
  std::vector<double> norms =
      at_releases(squared_error_row_norms(workload.filter(horizon.by_row()), c), horizon);
  if (weighs_blocks(workload, horizon)) {
    const std::size_t last = horizon.steps() - 1;
    norms.back() =
        squared_error_row_norm(spread_over_rows(workload.filter(horizon).row_weights(last), horizon), c);
  }
  return norms;
}

}  // namespace jme::theory
