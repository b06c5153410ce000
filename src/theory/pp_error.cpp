#include "theory/pp_error.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <jme/base/errors.hpp>

#include "filter/norms.hpp"
#include "theory/cross_term.hpp"
#include "theory/release_gram.hpp"
#include "theory/squared_noise.hpp"

namespace jme::theory {
namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// A diagonal W with Q <= W as matrices, summed against H: the entrywise product with B'B keeps the order
// (Schur), so tr((B'B o Q) XX') <= sum_t H_tt W_tt for unit rows. C^-1 = D T^-1 L^-1, and two choices of W
// are proven cheaply:
// - W = (||T^-1||^2 / min l^2) D^2, tight for Toeplitz C (symbol bound);
// - W = kappa D^2 L^-2 with kappa >= ||L T^-1 L^-1||^2, for row schedules. kappa is Schur's test: largest row
//   sum times largest column sum of the absolute values, linear where T^-1 has no positive coefficient but
//   the first.
double diagonal_bound(const ReleaseGram& gram, const Filter& c) {
  const std::size_t n = gram.rows();
  std::vector<double> rows(n);
  c.row().fill(0, rows);
  ScheduleReader columns;
  double plain = 0, scaled = 0, least_row = rows[0];
  for (std::size_t t = 0; t < n; ++t) {
    const double d = 1 / columns.at(c.column(), t), l = rows[t], h = gram(t, t) * d * d;
    plain += h;
    scaled += h / (l * l);
    least_row = std::min(least_row, l);
  }
  const std::vector<double> inverse = c.core().inverse_coefficients(n);
  const double by_symbol = squared_symbol_bound(inverse) / (least_row * least_row) * plain;
  const bool negative_tail = std::all_of(inverse.begin() + 1, inverse.end(), [](double x) { return x <= 0; });
  if (c.row().is_one() || !negative_tail) return by_symbol;

  const Filter core = Filter::toeplitz(n, c.core());
  std::vector<double> inverse_rows(n);
  for (std::size_t t = 0; t < n; ++t) inverse_rows[t] = 1 / rows[t];
  const std::vector<double> forward = core.solve(inverse_rows), backward = core.solve_transposed(rows);
  double row_sum = 0, column_sum = 0;
  for (std::size_t t = 0; t < n; ++t) {
    row_sum = std::max(row_sum, 2 * inverse[0] - rows[t] * forward[t]);
    column_sum = std::max(column_sum, 2 * inverse[0] - backward[t] / rows[t]);
  }
  return std::min(by_symbol, row_sum * column_sum * scaled);
}

Interval structured_cross_term(const Workload& workload, const Horizon& horizon, const Filter& c) {
  const double attained = sum(release_row_norms(workload, horizon, alternated(c)));
  return {attained, std::max(attained, diagonal_bound(ReleaseGram(workload, horizon), c))};
}

[[noreturn]] void refuse(const Mechanism& mechanism, std::size_t limit) {
  throw InvalidParameter("rows", static_cast<double>(mechanism.horizon().rows()),
                         "at most " + std::to_string(limit) + " to predict " +
                             std::string(name(mechanism.config().method)) + " with the shape " +
                             mechanism.shape_first().name());
}

}  // namespace

SquareCounts square_counts(SecondMoment second, std::size_t dimension) {
  const auto d = static_cast<double>(dimension);
  switch (second) {
    case SecondMoment::none:
      return {0, 0, 0};
    case SecondMoment::diagonal:
      return {2 * d, 4, d};
    case SecondMoment::full:
      return {d * (d + 1), 2 * (d + 1), d};
  }
  return {0, 0, 0};
}

PpTerms pp_terms(const Mechanism& mechanism, std::size_t dense_limit) {
  const Workload& workload = mechanism.workload_second();
  const Horizon& horizon = mechanism.horizon();
  const Filter& c = mechanism.c1();
  const std::vector<double> bias = release_sums(workload, horizon, squared_inverse_row_norms(c));
  const double squared_bias = std::inner_product(bias.begin(), bias.end(), bias.begin(), 0.0);

  if (is_identity(c)) {
    const double trace = sum(release_row_norms(workload, horizon, c));  // Q = I: all three are row norms of B
    return {.quartic = trace, .cross = {trace, trace}, .bias = squared_bias};
  }
  // Small horizons: one dense M gives the tightest cross term, and the trace with it.
  const bool structured = !c.is_dense() && workload.kind() != Workload::Kind::custom;
  if (horizon.rows() <= (structured ? std::min(dense_limit, quick_dense_rows) : dense_limit)) {
    const Eigen::MatrixXd gram = ReleaseGram(workload, horizon).to_dense();
    const Eigen::MatrixXd q = noise_covariance(c);
    return {.quartic = squared_noise_trace_dense(gram, q),
            .cross = sup_over_unit_rows(gram.cwiseProduct(q), mechanism.config().dimension),
            .bias = squared_bias};
  }
  if (!structured) refuse(mechanism, dense_limit);
  const std::optional<double> quartic = squared_noise_trace(workload, horizon, c);
  if (!quartic) refuse(mechanism, longest_by_lags);
  return {.quartic = *quartic, .cross = structured_cross_term(workload, horizon, c), .bias = squared_bias};
}

Interval pp_second_error(const Mechanism& mechanism, const PpTerms& terms) {
  const SquareCounts counts = square_counts(mechanism.config().second, mechanism.config().dimension);
  const double std_first = mechanism.calibration().std_first;
  const double w = std_first * std_first, zeta = mechanism.config().norm_bound;
  const double bias = mechanism.config().method == Method::pp ? counts.bias * w * w * terms.bias : 0;
  const double fixed = counts.quartic * w * w * terms.quartic + bias;
  const double cross = counts.cross * w * zeta * zeta;
  return {fixed + cross * terms.cross.low, fixed + cross * terms.cross.high};
}

double pp_first_norms(const Mechanism& mechanism) {
  return sum(release_row_norms(mechanism.workload_first(), mechanism.horizon(), mechanism.c1()));
}

double pp_first_error(const Mechanism& mechanism, double norms) {
  const double std_first = mechanism.calibration().std_first;
  return static_cast<double>(mechanism.config().dimension) * std_first * std_first * norms;
}

}  // namespace jme::theory
