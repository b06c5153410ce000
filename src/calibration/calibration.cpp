#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/calibration/calibration.hpp>

namespace jme {
namespace {

void require_positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value)) throw InvalidParameter(name, value, "a finite number above 0");
}

bool is_joint(Method method) {
  return method == Method::jme || method == Method::lambda_jme;
}

void check(const CalibrationRequest& request) {
  require_positive("sigma", request.sigma);
  if (request.lambda) require_positive("lambda", *request.lambda);
  if (request.tau) require_positive("tau", *request.tau);
  if (!(request.alpha > 0 && request.alpha < 1)) throw InvalidParameter("alpha", request.alpha, "in (0, 1)");
  for (const double slack :
       {request.slack.first, request.slack.second, request.slack.count, request.slack.trace}) {
    if (!(slack >= 0) || !std::isfinite(slack)) {
      throw InvalidParameter("rounding slack", slack, "a finite number of at least 0");
    }
  }
  if (is_joint(request.method)) return;
  if (request.rows.geometry != Geometry::ball) {
    throw InvalidParameter("geometry", name(request.rows.geometry),
                           "ball for this method; ball-trace and box are for jme and lambda-jme");
  }
  if (request.rows.presence != Presence::complete || request.rows.counts_rows) {
    throw InvalidParameter("method", name(request.method),
                           "jme or lambda-jme where rows or cells are counted in private");
  }
}

/// A standard deviation may come out too large, never too small: this covers the column norms, which the
/// filter room knows to 1e-12 (its GUARANTEES), and the few roundings made here.
double rounded_up(double value) {
  return value * (1 + 2e-12);
}

/// The length of what rounding does to one block: `entries` and `counts` are the sums of the weights of what
/// it moves by `entry` and by `count`.
double moved(double entry, double entries, double count, double counts) {
  const double length = entry * std::sqrt(entries);
  return count > 0 && counts > 0 ? std::hypot(length, count * std::sqrt(counts)) : length;
}

/// How far rounding to the lattice moves a channel's noise-free value, the second one at weight 1 of its
/// diagonal. The root of the largest Gram sum of a pattern bounds
/// ||C v|| for values v of norm 1 in every block a person touches, and is at most ||C|| times the blocks
/// touched.
double first_slack(const CalibrationRequest& request) {
  const auto d = static_cast<double>(request.rows.dimension);
  const EntryWeights weights = entry_weights(request.rows);
  return moved(request.slack.first, d, request.slack.count, weights.cells * d + weights.row) *
         first_column_norm(request.exposure);
}
double second_slack(const CalibrationRequest& request) {
  const auto d = static_cast<double>(request.rows.dimension);
  const double pairs = d * (d - 1) / 2;
  const EntryWeights weights = entry_weights(request.rows);
  const double entries = moved(request.slack.second, d + weights.off_diagonal * pairs, request.slack.count,
                               weights.pairs * pairs);
  return moved(entries, 1, request.slack.trace, weights.trace) * second_column_norm(request.exposure);
}

/// One moment only: the first channel gets the whole budget. This is also PP, which makes its second moment
/// from the first release.
Calibration first_alone(const CalibrationRequest& request) {
  const double sensitivity = first_sensitivity(request.rows, request.exposure) + first_slack(request);
  return {.std_first = rounded_up(request.sigma * sensitivity),
          .std_second = 0,
          .lambda = 0,
          .sensitivity = sensitivity};
}

/// Both channels as one vector (first, sqrt(weight) second) of this sensitivity, one Gaussian mechanism on
/// it.
Calibration joined(const CalibrationRequest& request, double weight, double data_sensitivity) {
  const double root = std::sqrt(weight);
  const double sensitivity = data_sensitivity + first_slack(request) + root * second_slack(request);
  return {.std_first = rounded_up(request.sigma * sensitivity),
          .std_second = rounded_up(request.sigma * sensitivity / root),
          .lambda = weight,
          .sensitivity = sensitivity};
}

/// nu = 1: both channels' noise reaches the same level in units of their own bounds. That is twice what is
/// free for vectors in the ball, and so it is taken in the box.
double balanced_lambda(const CalibrationRequest& request) {
  const double first = first_column_norm(request.exposure);
  if (request.rows.geometry == Geometry::box) {
    const double ratio = first / second_column_norm(request.exposure);
    return 2 * free_diagonal_weight(request.rows) * ratio * ratio;
  }
  const double second = request.rows.norm_bound * second_column_norm(request.exposure);
  return first * first / (second * second);
}

double jme_lambda(const CalibrationRequest& request) {
  if (request.lambda) return *request.lambda;
  if (request.method == Method::lambda_jme) return balanced_lambda(request);
  if (request.rows.geometry == Geometry::box) {
    // Nothing is free under add-remove, but all weights have natural ratios: those of replace-one.
    RowModel rows = request.rows;
    rows.adjacency = Adjacency::replace_one;
    return largest_free_lambda(rows, request.exposure);
  }
  if (request.rows.adjacency == Adjacency::add_remove) {
    throw InvalidParameter(
        "lambda",
        "must be given for jme under add-remove, because there no second moment is free: "
        "any lambda above 0 takes from the first moment (1/norm-bound^2 weighs both alike; method "
        "lambda-jme, balance balanced or second none need none)");
  }
  return largest_free_lambda(request.rows, request.exposure);
}

/// tau-CS clips nothing further: the vector (x, sqrt(tau) xx') lies in a ball, and the ball's diameter is
/// used.
Calibration concatenated(const CalibrationRequest& request) {
  const double zeta2 = request.rows.norm_bound * request.rows.norm_bound;
  const double tau = request.tau.value_or(1 / zeta2);
  const double moves = request.rows.adjacency == Adjacency::replace_one ? 2 : 1;
  // The method assumes C1 = C2; the larger of the two keeps it private for others.
  double column = 0;
  for (const auto& pattern : request.exposure.patterns) {
    double sum = 0;
    for (const ColumnGain& gain : pattern) sum += std::max(gain.first, gain.second);
    column = std::max(column, sum);
  }
  return joined(request, tau, moves * std::sqrt(zeta2 * (1 + tau * zeta2) * column));
}

/// alpha-IME: two mechanisms side by side, with shares alpha and 1 - alpha of 1/sigma^2. The paper draws the
/// second one with the whole of 1/sigma^2
/// (docs/errata.md#3-p-ime-draws-the-second-noise-with-the-whole-budget).
Calibration independent(const CalibrationRequest& request) {
  const double first = first_sensitivity(request.rows, request.exposure) + first_slack(request);
  const double second = second_sensitivity(request.rows, request.exposure) + second_slack(request);
  return {.std_first = rounded_up(request.sigma / std::sqrt(request.alpha) * first),
          .std_second = rounded_up(request.sigma / std::sqrt(1 - request.alpha) * second),
          .lambda = 0,
          .sensitivity = first};
}

Calibration calibrate_moments(const CalibrationRequest& request) {
  if (request.second == SecondMoment::none || squares_noisy_rows(request.method)) return first_alone(request);
  (void)first_sensitivity(request.rows, request.exposure);  // checks both before they are used as divisors
  if (!(second_column_norm(request.exposure) > 0) || !(first_column_norm(request.exposure) > 0)) {
    throw InvalidParameter("shape", "must have columns above 0 in both channels");
  }
  switch (request.method) {
    case Method::ime:
      return independent(request);
    case Method::cs:
      return concatenated(request);
    default:
      break;
  }
  const double lambda = jme_lambda(request);
  return joined(request, lambda, joint_sensitivity(request.rows, request.exposure, lambda));
}

}  // namespace

double Calibration::std_diagonal() const {
  return trace_share > 0 ? std_second * std::sqrt(1 - trace_share) : std_second;
}

Calibration calibrate(const CalibrationRequest& asked) {
  CalibrationRequest request = asked;
  request.rows.second = request.second;
  check(request);
  Calibration result = calibrate_moments(request);
  const EntryWeights weights = entry_weights(request.rows);
  const auto at_weight = [](double std, double weight) {
    return weight > 0 ? std * std::sqrt(1 / weight) : 0.0;
  };
  result.std_off_diagonal = at_weight(result.std_second, weights.off_diagonal);
  result.std_pair_count = at_weight(result.std_second, weights.pairs);
  result.std_count = at_weight(result.std_first, weights.cells);
  result.std_rows = at_weight(result.std_first, weights.row);
  if (result.std_second > 0) {
    result.std_trace = at_weight(result.std_second, weights.trace);
    result.trace_share = trace_share(weights, request.rows.dimension);
  }
  return result;
}

}  // namespace jme
