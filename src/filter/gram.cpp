#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <jme/base/cancellation.hpp>
#include <jme/base/errors.hpp>

#include "filter/compensated_sum.hpp"
#include "filter/correlation.hpp"
#include "filter/inverse_modes.hpp"
#include "filter/norms.hpp"
#include "filter/scheduled_maxima.hpp"
#include "filter/scheduled_products.hpp"

namespace jme {
namespace {

constexpr std::size_t max_exact_steps = 4096;
constexpr std::size_t max_recursion_taps = 64;  // more are quicker as a dense matrix

// largest[l] = max over pairs exactly l apart -> max over pairs at least lag apart, for every lag asked for.
std::vector<double> at_least(std::vector<double> largest, std::span<const std::size_t> lags) {
  for (std::size_t l = largest.size(); l-- > 1;) largest[l - 1] = std::max(largest[l - 1], largest[l]);
  std::vector<double> bounds;
  for (const std::size_t lag : lags) bounds.push_back(lag < largest.size() ? largest[lag] : 0.0);
  return bounds;
}

std::vector<double> dense_bounds(const Eigen::MatrixXd& matrix, std::span<const std::size_t> lags) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(matrix.rows(), matrix.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(matrix.transpose());
  std::vector<double> largest;
  for (Eigen::Index l = 0; l < gram.rows(); ++l) largest.push_back(gram.diagonal(-l).cwiseAbs().maxCoeff());
  return at_least(std::move(largest), lags);
}

// For a non-negative non-increasing sequence e the Gram entries of its Toeplitz matrix fall with the lag and
// along each diagonal, so the first column's product with the one `lag` later is the largest of all. Any
// other sequence is bounded in modulus by its envelope e_k = max over m >= k of |c_m|, and so are its
// products.
std::vector<double> envelope_of(const Toeplitz& core, std::size_t n) {
  std::vector<double> envelope = core.coefficients(n);
  double largest = 0;
  for (std::size_t k = n; k-- > 0;) envelope[k] = largest = std::max(largest, std::abs(envelope[k]));
  return envelope;
}

std::vector<double> envelope_bounds(const Toeplitz& core, std::size_t n, std::span<const std::size_t> lags) {
  const std::vector<double> envelope = envelope_of(core, n);
  return correlation_bounds(envelope, envelope, lags);
}

// Every diagonal of the Gram matrix where rows have no schedule: (C'C)_{j-l,j} = d_{j-l} d_j times the first
// n - j terms of sum_k c_k c_{k+l}.
std::vector<double> exact_column_bounds(const Filter& c, std::span<const std::size_t> lags) {
  const std::size_t n = c.steps();
  const std::vector<double> series = c.core().coefficients(n);
  std::vector<double> columns(n), largest(n, 0.0);
  c.column().fill(0, columns);
  for (std::size_t l = 0; l < n; ++l) {
    check_cancelled();
    CompensatedSum product;
    for (std::size_t j = n; j-- > l;) {
      product.add(series[n - 1 - j] * series[n - 1 - j + l]);
      largest[l] = std::max(largest[l], std::abs(columns[j - l] * columns[j] * product.value()));
    }
  }
  return at_least(std::move(largest), lags);
}

struct Scheduled {
  Toeplitz series;
  std::vector<double> squared_rows, columns;
};

// Every diagonal of the Gram matrix: (C'C)_{j-l,j} = d_{j-l} d_j U_l(j).
std::vector<double> exact_scheduled_bounds(const Scheduled& c, std::span<const std::size_t> lags) {
  const std::size_t n = c.columns.size();
  std::vector<double> largest(n, 0.0);
  for (std::size_t l = 0; l < n; ++l) {
    check_cancelled();
    const std::vector<double> products = scheduled_products(c.series, c.squared_rows, l);
    for (std::size_t j = l; j < n; ++j) {
      largest[l] = std::max(largest[l], std::abs(c.columns[j - l] * c.columns[j] * products[j]));
    }
  }
  return at_least(std::move(largest), lags);
}

bool falls_and_is_positive(const Toeplitz& series, std::size_t n) {
  const std::vector<double> c = series.coefficients(n);
  return c.back() >= 0 && std::is_sorted(c.rbegin(), c.rend());
}

// For coefficients that are non-negative and do not increase, c_{t-i} <= c_{t-j+lag} wherever i <= j - lag,
// so
//     (C'C)_ij = d_i d_j sum_t l_t^2 c_{t-i} c_{t-j} <= d_j U_lag(j) max_{i <= j-lag} d_i,
// which is exact for column schedules that do not decrease (the mean's).
std::vector<double> monotone_scheduled_bounds(const Scheduled& c, std::span<const std::size_t> lags) {
  ScheduledMaxima maxima(c.series, c.squared_rows, c.columns);
  std::vector<double> bounds;
  for (const std::size_t lag : lags) {
    check_cancelled();
    bounds.push_back(maxima.at(lag));
  }
  return bounds;
}

// The same for any coefficients, by their envelope, where rows have no schedule: U_lag(j) is a running sum.
// Among columns that are scaled no more than the first one, the earliest pair has the largest product.
std::vector<double> envelope_scheduled_bounds(const Filter& c, std::span<const std::size_t> lags) {
  const std::size_t n = c.steps();
  const std::vector<double> envelope = envelope_of(c.core(), n);
  std::vector<double> columns(n);
  c.column().fill(0, columns);
  std::vector<double> largest_before(columns);  // the largest scale of a column and those before it
  for (std::size_t j = 1; j < n; ++j) largest_before[j] = std::max(largest_before[j], largest_before[j - 1]);
  std::size_t even = 0;  // columns before the first that is scaled up more than the first of all
  while (even < n && largest_before[even] == columns[0]) ++even;
  const std::vector<double> whole = correlation_bounds(envelope, envelope, lags);
  // Two columns of norm 1 have no larger product.
  const double limit = c.has_unit_columns() ? 1.0 : std::numeric_limits<double>::infinity();
  std::vector<double> bounds;
  for (std::size_t i = 0; i < lags.size(); ++i) {
    check_cancelled();
    const std::size_t lag = lags[i];
    double bound = lag < even ? columns[0] * columns[0] * whole[i] : 0.0;
    CompensatedSum product;
    for (std::size_t j = n; j-- > std::max(lag, even) && bound < limit;) {
      product.add(envelope[n - 1 - j] * envelope[std::min(n - 1 - j + lag, n - 1)]);
      bound = std::max(bound, largest_before[j - lag] * columns[j] * product.value());
    }
    bounds.push_back(std::min(bound, limit));
  }
  return bounds;
}

// Columns without end, of norm 1, under a row schedule that never rises. With c as above and c_0 > sum_i w_i
// / p_i the coefficients are moments of a positive measure, so that c_{m+lag} / c_m rises with m. For i <= j
// - lag
//     (C'C)_ij <= sum_m l_{j+m}^2 c_m c_{m+lag} / sum_m l_{j+m}^2 c_m^2,
// because d_i >= d_j: an average of c_{m+lag} / c_m, which is largest where l does not fall at all.
std::vector<double> endless_bounds(const Toeplitz& core, std::span<const std::size_t> lags) {
  if (!inverse_modes(core))
    return std::vector<double>(lags.size(), 1.0);  // no two columns of norm 1 have a larger product
  const double norm = endless_column_norm(core);
  std::vector<double> bounds;
  for (const std::size_t lag : lags) {
    double product = lag == 0 ? core.taps[0] * core.taps[0] : 0.0;
    for (const Mode& x : core.modes) {
      const double power = std::pow(x.pole, static_cast<double>(lag));
      if (lag > 0) product += core.taps[0] * x.weight * power / x.pole;
      for (const Mode& y : core.modes) {
        const double gap = (1 - x.pole) + (1 - y.pole) - (1 - x.pole) * (1 - y.pole);
        product += x.weight * y.weight * power / gap;
      }
    }
    bounds.push_back(std::min(1.0, product / (norm * norm) * (1 + 0x1p-40)));
  }
  return bounds;
}

}  // namespace

std::vector<double> gram_lag_bounds(const Filter& c, std::span<const std::size_t> lags) {
  const std::size_t n = c.steps();
  if (c.is_dense()) return dense_bounds(c.matrix(), lags);
  if (c.is_endless()) return endless_bounds(c.core(), lags);
  if (c.is_toeplitz()) return envelope_bounds(c.core(), n, lags);
  const bool regular = !c.core().inverted && !c.last_row() && c.lag_taps().empty();
  const bool few_taps = regular && c.core().taps.size() <= max_recursion_taps;
  const bool only_columns = c.row().is_one() && !c.last_row();
  if (n <= max_exact_steps && only_columns) return exact_column_bounds(c, lags);
  if (n <= max_exact_steps && !few_taps) return dense_bounds(c.to_dense(), lags);
  if (!c.lag_taps().empty() && c.row().is_one()) return envelope_scheduled_bounds(c, lags);
  Scheduled scheduled{.series = c.core(), .squared_rows = {}, .columns = {}};
  scheduled.squared_rows.resize(n);
  scheduled.columns.resize(n);
  c.row().fill(0, scheduled.squared_rows);
  c.column().fill(0, scheduled.columns);
  for (double& row : scheduled.squared_rows) row *= row;
  if (n <= max_exact_steps) return exact_scheduled_bounds(scheduled, lags);
  if (regular && falls_and_is_positive(c.core(), n)) return monotone_scheduled_bounds(scheduled, lags);
  throw InvalidParameter("steps", static_cast<double>(n),
                         "at most " + std::to_string(max_exact_steps) +
                             " for several participations with this shape, or a shape whose coefficients are "
                             "positive and fall");
}

}  // namespace jme
