#include <algorithm>
#include <cmath>
#include <string>

#include <jme/base/errors.hpp>

#include "filter/cascade.hpp"
#include "filter/compensated_sum.hpp"
#include "filter/error_norm_recursion.hpp"
#include "filter/lagged_norms.hpp"
#include "filter/norms.hpp"
#include "filter/series.hpp"

namespace jme {
namespace {

constexpr std::size_t max_dense_steps = 4096;

double squared_norm(std::span<const double> values) {
  CompensatedSum sum;
  for (const double value : values) sum.add(value * value);
  return sum.value();
}

bool few_states(const Filter& a, const Filter& c) {
  if (a.is_dense() || c.is_dense()) return false;
  const Toeplitz &first = c.core(), &second = a.core();
  if (!first.lag_taps.empty() || !second.lag_taps.empty()) return false;
  return first.taps.size() + first.modes.size() + second.taps.size() + second.modes.size() <=
         max_cascade_states;
}

// A = diag(row) T_A and C = T_C: row t of A C^-1 is row_t times the first t+1 coefficients of T_A T_C^-1.
std::vector<double> toeplitz_error_norms(const Filter& a, const Filter& c) {
  const std::size_t n = a.steps();
  std::vector<double> inverse = inverse_core_response(c.core(), n);
  // Taps alone see nothing of what ended before them: their response ends, too.
  const bool ends = a.core().modes.empty() && !a.core().inverted && a.core().lag_taps.empty();
  inverse.resize(ends ? std::min(n, inverse.size() + a.core().taps.size()) : n, 0.0);
  std::vector<double> response = apply_core(a.core(), inverse);
  std::vector<double> norms(n);
  CompensatedSum sum;
  ScheduleReader rows;
  for (std::size_t t = 0; t < n; ++t) {
    if (t < response.size()) sum.add(response[t] * response[t]);
    const double row = rows.at(a.row(), t);
    norms[t] = row * row * sum.value();
  }
  if (a.last_mode_weight()) {
    // Only the last row has another weight: its response is the tap's part plus the rescaled part of the
    // mode.
    const double tap = a.core().taps[0];
    const Mode& mode = a.core().modes[0];
    double mode_sum = 0;
    for (std::size_t t = 0; t < n; ++t) {
      response[t] = tap * inverse[t] + *a.last_mode_weight() * mode_sum;
      mode_sum = mode.pole * mode_sum + inverse[t];
      if (std::abs(mode_sum) < negligible) mode_sum = 0;
    }
    norms.back() = squared_norm(response);
  }
  return norms;
}

// A C^-1 = diag(row_A) T_A diag(column_A / column_C) T_C^-1 diag(1 / row_C).
std::vector<double> cascade_error_norms(const Filter& a, const Filter& c) {
  const std::size_t n = a.steps();
  std::vector<double> noise(n), gain(n);
  ScheduleReader row, column, a_row, a_column;
  for (std::size_t t = 0; t < n; ++t) {
    noise[t] = 1 / row.at(c.row(), t);
    gain[t] = a_column.at(a.column(), t) / column.at(c.column(), t);
  }
  std::vector<double> norms =
      output_variances({.first = {.series = &c.core(), .feedback = !c.core().inverted},
                        .noise = noise,
                        .gain = gain,
                        .second = Stage{.series = &a.core(), .feedback = a.core().inverted},
                        .last_mode_weight = a.last_mode_weight()});
  for (std::size_t t = 0; t < n; ++t) {
    const double scale = a_row.at(a.row(), t);
    norms[t] *= scale * scale;
  }
  return norms;
}

std::vector<double> dense_error_norms(const Filter& a, const Filter& c) {
  const std::size_t n = a.steps();
  if (n > max_dense_steps) {
    throw InvalidParameter("steps", static_cast<double>(n),
                           "at most " + std::to_string(max_dense_steps) +
                               " for this pair of workload and shape, whose error needs a dense matrix");
  }
  const Eigen::MatrixXd shape = c.to_dense();
  const Eigen::MatrixXd response =
      shape.triangularView<Eigen::Lower>().solve<Eigen::OnTheRight>(a.to_dense());
  const Eigen::VectorXd norms = response.rowwise().squaredNorm();
  return {norms.begin(), norms.end()};
}

}  // namespace

std::vector<double> squared_error_row_norms(const Filter& a, const Filter& c) {
  if (a.steps() != c.steps())
    throw InvalidParameter("steps", "workload and shape have different numbers of steps");
  if (!c.is_invertible()) throw InvalidParameter("shape", "cannot be inverted: its diagonal has a 0");
  std::vector<double> norms;
  if (const auto recursion = ErrorNormStream::Recursion::of(a, c)) {
    norms.resize(a.steps());
    recursion->next(norms);
    return norms;
  }
  if (has_lagged_error_norms(a, c)) return lagged_error_norms(a, c);
  if (c.is_toeplitz() && !a.is_dense() && a.column().is_one()) {
    norms = toeplitz_error_norms(a, c);
  } else if (few_states(a, c) && !c.last_row()) {
    norms = cascade_error_norms(a, c);
  } else {
    return dense_error_norms(a, c);
  }
  if (a.last_row() && !a.last_mode_weight()) norms.back() = squared_error_row_norm(*a.last_row(), c);
  return norms;
}

double squared_error_row_norm(std::span<const double> weights, const Filter& c) {
  return squared_norm(c.solve_transposed(weights));
}

std::vector<double> squared_inverse_row_norms(const Filter& c) {
  return squared_error_row_norms(Filter::identity(c.steps()), c);
}

}  // namespace jme
