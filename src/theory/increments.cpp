#include <algorithm>
#include <cmath>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/theory/increments.hpp>

#include "theory/inverse_state.hpp"

namespace jme {

Filter leading_steps(const Filter& filter, std::size_t steps) {
  if (steps == 0 || steps > filter.steps()) {
    throw InvalidParameter("steps", static_cast<double>(steps), "between 1 and those of the filter");
  }
  if (steps == filter.steps()) return filter;
  const auto n = static_cast<Eigen::Index>(steps);
  if (filter.is_dense()) return Filter::dense(filter.matrix().topLeftCorner(n, n));
  Toeplitz core = filter.core();
  // What is longer than the filter has no effect in it.
  if (core.taps.size() > steps && core.modes.empty()) core.taps.resize(steps);
  return Filter::toeplitz(steps, std::move(core), filter.row(), filter.column());
}

double contrast_noise(const Filter& c, std::span<const double> b) {
  double sum = 0;
  for (const double value : leading_steps(c, b.size()).solve_transposed(b)) sum += value * value;
  return std::sqrt(sum);
}

struct IncrementWhitening::Method {
  Method() = default;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;
  virtual void add_series() = 0;
  virtual void next(double v, Eigen::Ref<Eigen::RowVectorXd> values) = 0;

  std::size_t series = 0, step = 0, steps = 0;
};

namespace {

/// Numbers in blocks that are twice as large each time: series are added one by one.
void widen(Eigen::MatrixXd& matrix, std::size_t columns) {
  if (static_cast<std::size_t>(matrix.cols()) >= columns) return;
  const Eigen::Index before = matrix.cols();
  matrix.conservativeResize(Eigen::NoChange, std::max<Eigen::Index>(8, 2 * before));
  matrix.rightCols(matrix.cols() - before).setZero();
}

/// The noise of increment t is d_t (gain u_t + h's_t), s_{t+1} = F s_t + g u_t, u_t = z_t/l_t, because
/// C^-1 = D T^-1 L^-1: a linear system of few states, and its innovations are Kalman's.
class StateFilter final : public IncrementWhitening::Method {
 public:
  StateFilter(const Filter& c, double std)
      : filter_(c), std_(std), state_(c.core()), covariance_(Eigen::MatrixXd::Zero(size(), size())) {
    steps = c.steps();
    means_ = Eigen::MatrixXd::Zero(size(), 0);
  }

  void add_series() override { widen(means_, ++series); }

  void next(double v, Eigen::Ref<Eigen::RowVectorXd> values) override {
    const double l = rows_.at(filter_.row(), step), d = std_ / columns_.at(filter_.column(), step);
    const Eigen::VectorXd out = d * state_.output(), in = state_.input() / l;
    const double direct = d * state_.gain() / l;
    const Eigen::VectorXd seen = covariance_ * out;
    const double variance = out.dot(seen) + direct * direct + v;
    if (!(variance > 0)) throw InvalidParameter("std", "an increment without any variance has no law");
    const Eigen::VectorXd gain = (state_.advance(seen) + in * direct) / variance;
    auto means = means_.leftCols(static_cast<Eigen::Index>(series));
    const Eigen::RowVectorXd innovations = values - out.transpose() * means;
    means = (state_.advance_columns(means) + gain * innovations).eval();
    covariance_ = state_.advance_both(covariance_) + in * in.transpose() - variance * gain * gain.transpose();
    covariance_ = ((covariance_ + covariance_.transpose()) / 2).eval();
    values = innovations / std::sqrt(variance);
    ++step;
  }

 private:
  [[nodiscard]] Eigen::Index size() const { return state_.size(); }
  Filter filter_;
  double std_;
  ScheduleReader rows_, columns_;
  theory::InverseState state_;
  Eigen::MatrixXd covariance_;  ///< of the states, given the increments so far
  Eigen::MatrixXd means_;       ///< one column for each series
};

/// Row t of L follows from the rows before: L_t l = K_t, l_tt^2 = K_tt - |l|^2.
class CholeskyRows final : public IncrementWhitening::Method {
 public:
  CholeskyRows(const Filter& c, double std) : inverse_(c.to_dense()) {
    steps = c.steps();
    const Eigen::Index n = inverse_.rows();
    inverse_ = std * inverse_.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(n, n));
    factor_ = Eigen::MatrixXd::Zero(n, n);
    past_ = Eigen::MatrixXd::Zero(n, 0);
  }

  void add_series() override { widen(past_, ++series); }

  void next(double v, Eigen::Ref<Eigen::RowVectorXd> values) override {
    const auto t = static_cast<Eigen::Index>(step);
    Eigen::VectorXd row = inverse_.topLeftCorner(t + 1, t + 1) * inverse_.row(t).head(t + 1).transpose();
    row(t) += v;
    factor_.topLeftCorner(t, t).triangularView<Eigen::Lower>().solveInPlace(row.head(t));
    const double pivot = row(t) - row.head(t).squaredNorm();
    if (!(pivot > 0)) throw InvalidParameter("std", "an increment without any variance has no law");
    row(t) = std::sqrt(pivot);
    factor_.row(t).head(t + 1) = row.transpose();
    const auto m = static_cast<Eigen::Index>(series);
    values -= row.head(t).transpose() * past_.topLeftCorner(t, m);
    values /= row(t);
    past_.row(t).head(m) = values;
    ++step;
  }

 private:
  Eigen::MatrixXd inverse_;  ///< std C^-1
  Eigen::MatrixXd factor_;   ///< L
  Eigen::MatrixXd past_;     ///< whitened values, one column for each series
};

bool has_few_states(const Filter& c) {
  return !c.is_dense() && !c.last_row() && c.lag_taps().empty() && c.core().inverse_taps.empty() &&
         theory::InverseState::states(c.core()) <= IncrementWhitening::most_states;
}

std::unique_ptr<IncrementWhitening::Method> method_for(const Filter& c, double std) {
  if (!(std >= 0) || !std::isfinite(std)) throw InvalidParameter("std", std, "a finite number of at least 0");
  if (!c.is_invertible()) throw InvalidParameter("shape", "cannot be inverted: its diagonal has a 0");
  if (has_few_states(c)) return std::make_unique<StateFilter>(c, std);
  if (c.steps() > IncrementWhitening::most_dense_steps) {
    throw InvalidParameter("shape",
                           "has too many states for a test of increments beyond 2048 steps: identity, "
                           "banded, blt and scaled-blt have few");
  }
  return std::make_unique<CholeskyRows>(c, std);
}

}  // namespace

IncrementWhitening::IncrementWhitening(const Filter& c, double std) : method_(method_for(c, std)) {}
IncrementWhitening::IncrementWhitening(IncrementWhitening&&) noexcept = default;
IncrementWhitening& IncrementWhitening::operator=(IncrementWhitening&&) noexcept = default;
IncrementWhitening::~IncrementWhitening() = default;

std::size_t IncrementWhitening::add_series() {
  method_->add_series();
  return method_->series - 1;
}

std::size_t IncrementWhitening::series() const {
  return method_->series;
}

std::size_t IncrementWhitening::steps_taken() const {
  return method_->step;
}

void IncrementWhitening::next(double v, std::span<double> values) {
  if (values.size() != method_->series) throw InvalidParameter("values", "must be one for each series");
  if (method_->step >= method_->steps) throw InvalidParameter("values", "lie beyond the last step");
  if (!(v >= 0) || !std::isfinite(v)) throw InvalidParameter("v", v, "a finite number of at least 0");
  method_->next(v, Eigen::Map<Eigen::RowVectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
}

}  // namespace jme
