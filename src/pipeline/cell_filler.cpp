#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Cholesky>

#include <jme/models/running_moments.hpp>
#include <jme/pipeline/cell_filler.hpp>

namespace jme {

CellFiller::CellFiller(MissingCells cells, double norm_bound, bool bounded)
    : cells_(std::move(cells)), norm_bound_(norm_bound), bounded_(bounded) {
  const auto d = static_cast<Eigen::Index>(cells_.rules().size());
  mean_ = Eigen::VectorXd::Zero(d);
  precision_ = Eigen::MatrixXd::Identity(d, d);
}

void CellFiller::learn(const Release& release) {
  if (release.steps() == steps_) return;
  steps_ = release.steps();
  const bool uses_model = cells_.uses(MissingCells::From::model);
  if (!uses_model && !cells_.uses(MissingCells::From::mean)) return;
  if (!(release.weight_first() > 0)) return;
  const auto d = static_cast<double>(release.dimension());
  // Where the number of rows is private and not known yet, means are NaN, and the centre is used.
  const Divisors divisors(release);
  for (Eigen::Index i = 0; i < mean_.size(); ++i) {
    const double n = divisors.first(static_cast<std::size_t>(i));
    const double noise = release.std_first() / n;
    // Early means are mostly noise. They are weighed with a prior that knows only that a column is about as
    // large as the norm bound allows: variance zeta^2 / d around the centre.
    const double trust = 1 / (1 + noise * noise * d / (norm_bound_ * norm_bound_));
    mean_(i) = inside(trust * release.first()[static_cast<std::size_t>(i)] / n);
  }
  if (!uses_model) return;
  // The noise level is added to every variance: slopes that may come from noise shrink, and the fill moves to
  // the mean.
  const RunningMoments moments(release, Units::identity(release.dimension()), Bias::removed, divisors,
                               Estimator::raw);
  if (!moments.is_known()) return;
  Eigen::MatrixXd covariance = moments.definite_covariance();
  covariance.diagonal().array() += moments.noise().level();
  precision_ = covariance.llt().solve(Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols()));
}

// No cell of a row is larger once the row is clamped or clipped. Where releases overflow, the centre is used.
double CellFiller::inside(double value) const {
  const double limit = bounded_ ? 1.0 : norm_bound_;
  return std::isfinite(value) ? std::clamp(value, -limit, limit) : 0.0;
}

// Without bounds a cell may be as large as any double. The missing cells are predicted from the other cells
// as they count: with the row shortened to the norm bound.
void CellFiller::shorten(std::span<double> row) const {
  if (bounded_) return;
  double largest = 0, squares = 0;
  for (const double value : row) largest = std::max(largest, std::abs(value));
  if (largest == 0) return;
  // Relative to the largest cell, nothing overflows.
  for (const double value : row) squares += (value / largest) * (value / largest);
  const double limit = norm_bound_ / std::sqrt(squares);
  if (largest <= limit) return;
  for (double& value : row) value = value / largest * limit;
}

// E[x_M | x_O] = m_M - P_MM^-1 P_MO (x_O - m_O) for a Gaussian with precision P.
Eigen::VectorXd CellFiller::expected(std::span<const double> row,
                                     std::span<const std::size_t> missing) const {
  std::vector<Eigen::Index> at;
  for (const std::size_t i : missing) at.push_back(static_cast<Eigen::Index>(i));
  const auto count = static_cast<Eigen::Index>(at.size());
  Eigen::VectorXd away = Eigen::Map<const Eigen::VectorXd>(row.data(), mean_.size()) - mean_;
  for (const Eigen::Index i : at) away(i) = 0;
  Eigen::MatrixXd block(count, count);
  Eigen::VectorXd mean(count), pull(count);
  for (Eigen::Index r = 0; r < count; ++r) {
    const Eigen::Index i = at[static_cast<std::size_t>(r)];
    mean(r) = mean_(i);
    pull(r) = precision_.col(i).dot(away);  // symmetric
    for (Eigen::Index c = 0; c < count; ++c) block(r, c) = precision_(i, at[static_cast<std::size_t>(c)]);
  }
  return mean - block.llt().solve(pull);
}

void CellFiller::fill(std::span<double> row, std::span<const std::size_t> missing) const {
  Eigen::VectorXd model;
  if (cells_.uses(MissingCells::From::model)) {
    for (const std::size_t i : missing) row[i] = 0;
    shorten(row);
    model = expected(row, missing);
  }
  for (std::size_t k = 0; k < missing.size(); ++k) {
    const std::size_t i = missing[k];
    switch (cells_.from(i)) {
      case MissingCells::From::value:
        row[i] = cells_.value(i);
        break;
      case MissingCells::From::mean:
        row[i] = mean_(static_cast<Eigen::Index>(i));
        break;
      case MissingCells::From::model:
        row[i] = inside(model(static_cast<Eigen::Index>(k)));
        break;
      case MissingCells::From::nowhere:
        row[i] = std::numeric_limits<double>::quiet_NaN();
        break;
    }
  }
}

}  // namespace jme
