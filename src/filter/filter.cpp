#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/filter/filter.hpp>

#include "filter/lagged_norms.hpp"
#include "filter/series.hpp"

namespace jme {
namespace {

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

void check_series(const Toeplitz& core, std::size_t steps) {
  if (core.taps.empty()) throw InvalidParameter("filter", "needs at least one tap");
  const bool modes_finite = std::all_of(core.modes.begin(), core.modes.end(), [](const Mode& mode) {
    return std::isfinite(mode.weight) && std::isfinite(mode.pole);
  });
  if (!all_finite(core.taps) || !all_finite(core.inverse_taps) || !modes_finite) {
    throw InvalidParameter("filter", "all coefficients must be finite");
  }
  if (core.inverted && core.taps[0] == 0) {
    throw InvalidParameter("filter", "cannot be inverted: its first coefficient is 0");
  }
  for (const LagTap& tap : core.lag_taps) {
    if (core.inverted || !core.inverse_taps.empty() || tap.lag == 0 || !std::isfinite(tap.weight)) {
      throw InvalidParameter("filter", "lag taps need a series as core, lags of at least 1, finite weights");
    }
  }
  if (!core.inverse_taps.empty() && core.inverse_taps.size() < steps) {
    throw InvalidParameter("filter", "has fewer inverse coefficients than steps");
  }
}

void check_length(std::size_t got, std::size_t steps) {
  if (got != steps) {
    throw InvalidParameter(
        "filter", "needs a vector of " + std::to_string(steps) + " steps, got " + std::to_string(got));
  }
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void multiply(std::vector<double>& values, const Schedule& schedule) {
  ScheduleReader numbers;
  for (std::size_t t = 0; t < values.size(); ++t) values[t] *= numbers.at(schedule, t);
}

void divide(std::vector<double>& values, const Schedule& schedule) {
  ScheduleReader numbers;
  for (std::size_t t = 0; t < values.size(); ++t) values[t] /= numbers.at(schedule, t);
}

std::vector<double> copy(std::span<const double> values) {
  return {values.begin(), values.end()};
}

std::vector<double> to_std(const Eigen::VectorXd& vector) {
  return {vector.begin(), vector.end()};
}

Eigen::Map<const Eigen::VectorXd> to_eigen(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

Filter::Filter(std::size_t steps, Toeplitz core, Schedule row, Schedule column)
    : steps_(steps), core_(std::move(core)), row_(std::move(row)), column_(std::move(column)) {
  if (steps == 0) throw InvalidParameter("steps", 0, "a whole number of at least 1");
  check_series(core_, steps);
  if (row_.steps() < steps || column_.steps() < steps) {
    throw InvalidParameter("schedule", "is shorter than the filter");
  }
}

Filter Filter::identity(std::size_t steps) {
  return {steps, Toeplitz{}, {}, {}};
}

Filter Filter::toeplitz(std::size_t steps, Toeplitz core, Schedule row, Schedule column) {
  return {steps, std::move(core), std::move(row), std::move(column)};
}

Filter Filter::column_normalised(std::size_t steps, Toeplitz core, Schedule row) {
  Schedule column;
  if (core.lag_taps.empty()) {
    column = Schedule::inverse_column_norms(row, core, steps);
  } else if (row.is_one()) {
    column = lagged_inverse_column_norms(core, steps);
  } else {
    throw InvalidParameter("filter", "norms of columns with lag taps need a row schedule that is 1");
  }
  Filter filter(steps, std::move(core), std::move(row), std::move(column));
  filter.unit_columns_ = true;
  return filter;
}

Filter Filter::endless_column_normalised(std::size_t steps, Toeplitz core, Schedule row) {
  Schedule column = Schedule::inverse_endless_column_norms(row, core, steps);
  Filter filter(steps, std::move(core), std::move(row), std::move(column));
  filter.unit_columns_ = filter.endless_ = true;
  return filter;
}

Filter Filter::dense(Eigen::MatrixXd lower, std::string_view name) {
  if (lower.rows() != lower.cols() || lower.rows() == 0) {
    throw InvalidParameter(name, "must be a square matrix, is " + std::to_string(lower.rows()) + " x " +
                                     std::to_string(lower.cols()));
  }
  if (!lower.allFinite()) throw InvalidParameter(name, "every entry must be finite");
  for (Eigen::Index j = 1; j < lower.cols(); ++j) {
    if ((lower.col(j).head(j).array() != 0).any()) {
      throw InvalidParameter(name, "must be lower triangular (zero above the diagonal)");
    }
  }
  Filter filter = identity(static_cast<std::size_t>(lower.rows()));
  filter.matrix_ = std::move(lower);
  return filter;
}

Filter Filter::with_last_row(std::vector<double> weights) const {
  check_length(weights.size(), steps_);
  if (!all_finite(weights)) throw InvalidParameter("last row", "every entry must be finite");
  Filter filter = *this;
  filter.last_mode_weight_.reset();
  filter.unit_columns_ = filter.endless_ = false;
  if (filter.matrix_) {
    filter.matrix_->row(filter.matrix_->rows() - 1) = to_eigen(weights).transpose();
  } else {
    filter.last_row_ = std::move(weights);
  }
  return filter;
}

Filter Filter::with_last_mode_weight(double weight) const {
  if (!is_toeplitz() || core_.inverted || !core_.lag_taps.empty() || core_.taps.size() != 1 ||
      core_.modes.size() != 1) {
    throw InvalidParameter("filter", "must be one tap and one mode to change the last mode's weight");
  }
  Toeplitz last = core_;
  last.modes[0].weight = weight;
  std::vector<double> weights = last.coefficients(steps_);
  std::reverse(weights.begin(), weights.end());
  Filter filter = with_last_row(std::move(weights));
  filter.last_mode_weight_ = weight;
  return filter;
}

Filter Filter::with_lag_taps(std::vector<LagTap> taps) const {
  if (matrix_ || last_row_) throw InvalidParameter("filter", "lag taps need a filter that is a series");
  Toeplitz core = core_;
  core.lag_taps = std::move(taps);
  return {steps_, std::move(core), row_, column_};
}

bool Filter::is_toeplitz() const {
  return !matrix_ && !last_row_ && row_.is_one() && column_.is_one();
}

bool Filter::is_invertible() const {
  if (matrix_) return (matrix_->diagonal().array() != 0).all();
  if (last_row_ && last_row_->back() == 0) return false;
  return core_.taps[0] != 0;
}

std::vector<double> Filter::apply(std::span<const double> x) const {
  check_length(x.size(), steps_);
  if (matrix_) return to_std(matrix_->triangularView<Eigen::Lower>() * to_eigen(x));
  std::vector<double> scaled = copy(x);
  multiply(scaled, column_);
  std::vector<double> y = apply_core(core_, scaled);
  multiply(y, row_);
  if (last_row_) y.back() = dot(*last_row_, x);
  return y;
}

std::vector<double> Filter::solve(std::span<const double> y) const {
  check_length(y.size(), steps_);
  if (!is_invertible()) throw InvalidParameter("filter", "cannot be inverted: its diagonal has a 0");
  if (matrix_) return to_std(matrix_->triangularView<Eigen::Lower>().solve(to_eigen(y)));
  std::vector<double> scaled = copy(y);
  divide(scaled, row_);
  std::vector<double> x = solve_core(core_, scaled);
  divide(x, column_);
  if (last_row_) {
    const std::span<const double> weights = *last_row_;
    const std::size_t before = steps_ - 1;
    x.back() = (y.back() - dot(weights.first(before), std::span(x).first(before))) / weights.back();
  }
  return x;
}

std::vector<double> Filter::solve_transposed(std::span<const double> y) const {
  check_length(y.size(), steps_);
  if (!is_invertible()) throw InvalidParameter("filter", "cannot be inverted: its diagonal has a 0");
  if (matrix_) return to_std(matrix_->transpose().triangularView<Eigen::Upper>().solve(to_eigen(y)));
  std::vector<double> rest = copy(y);
  double last = 0;
  if (last_row_) {
    // F' = [B' r; 0 r_n]: solve for the last unknown first, then for the leading block B without its row.
    last = rest.back() / last_row_->back();
    rest.pop_back();
    for (std::size_t t = 0; t < rest.size(); ++t) rest[t] -= (*last_row_)[t] * last;
  }
  divide(rest, column_);
  // A Toeplitz matrix is its own transpose read backwards.
  std::reverse(rest.begin(), rest.end());
  std::vector<double> x = solve_core(core_, rest);
  std::reverse(x.begin(), x.end());
  divide(x, row_);
  if (last_row_) x.push_back(last);
  return x;
}

std::vector<double> Filter::row_weights(std::size_t step) const {
  if (step >= steps_) throw InvalidParameter("step", static_cast<double>(step), "below the filter's steps");
  if (matrix_) return to_std(matrix_->row(static_cast<Eigen::Index>(step)).transpose());
  if (last_row_ && step + 1 == steps_) return *last_row_;
  std::vector<double> weights = core_.coefficients(step + 1);
  std::reverse(weights.begin(), weights.end());
  multiply(weights, column_);
  for (double& weight : weights) weight *= row_(step);
  weights.resize(steps_, 0.0);
  return weights;
}

Eigen::MatrixXd Filter::to_dense() const {
  if (matrix_) return *matrix_;
  const auto n = static_cast<Eigen::Index>(steps_);
  const std::vector<double> c = core_.coefficients(steps_);
  std::vector<double> rows(steps_, 1.0), columns(steps_, 1.0);
  multiply(rows, row_);
  multiply(columns, column_);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    dense.col(j).tail(n - j) = to_eigen(c).head(n - j).cwiseProduct(to_eigen(rows).tail(n - j));
    dense.col(j) *= columns[static_cast<std::size_t>(j)];
  }
  if (last_row_) dense.row(n - 1) = to_eigen(*last_row_).transpose();
  return dense;
}

std::size_t Filter::inverse_state_vectors() const {
  const std::size_t history = steps_ - 1;
  if (matrix_ || (last_row_ && !last_mode_weight_)) return history;
  if (core_.taps.size() >= steps_) return history;
  std::size_t lags = 0;
  for (const LagTap& tap : core_.lag_taps) lags = std::max(lags, tap.lag);
  return core_.taps.size() - 1 + core_.modes.size() + std::min(lags, steps_);
}

}  // namespace jme
