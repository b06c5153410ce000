#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>

#include <jme/base/errors.hpp>
#include <jme/privacy/gaussian.hpp>

#include "privacy/mills_ratio.hpp"

namespace jme {
namespace {

using privacy::mills_drop;
using privacy::mills_ratio;

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

void require_positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value)) throw InvalidParameter(name, value, "a finite number above 0");
}

/// Upper bound on log delta(sigma, epsilon), where with mu = 1/sigma
///     delta = Q(x) - e^epsilon Q(y),   x = epsilon/mu - mu/2,  y = x + mu        (Balle & Wang 2018, Theorem
///     8).
/// Since e^epsilon phi(y) = phi(x), this is phi(x) (R(x) - R(y)) with Mills' ratio R: no large factors, and
/// the difference is taken where it does not cancel. The bound is the computed value plus its own rounding
/// error.
double log_delta_upper(double sigma, double epsilon) {
  const double mu = 1 / sigma;
  const double centre = epsilon * sigma;
  const double x = centre - mu / 2;
  const double y = centre + mu / 2;
  if (x > 1e8) return -infinity;  // delta < e^(-5e15), below every double
  if (x < -40) return 0;          // delta > 1 - e^(-800), the nearest double is 1

  // Every rounding of x or of x^2/2 moves the exponent by |x| times that rounding.
  const double argument_error = std::abs(x) * (centre + mu) + x * x;
  if (mu > 1 && x < 0) {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    const double delta = std::erfc(x / std::numbers::sqrt2) / 2 - density * mills_ratio(y);
    // The density is below 0.4 and falls faster than its exponent's error grows.
    return std::fmin(0.0, std::log(delta) + 32 * unit * (1 + density * argument_error) / delta);
  }
  const double drop = mu > 1 ? mills_ratio(x) - mills_ratio(y) : mills_drop(x, mu);
  const double cancellation = mu > 1 ? mills_ratio(x) / drop : 8;
  const double log_delta = std::log(drop) - x * x / 2 - std::log(2 * std::numbers::pi) / 2;
  const double relative_error =
      32 * unit * (1 + cancellation + std::abs(log_delta)) + 2 * unit * argument_error;
  return std::fmin(0.0, log_delta + relative_error);
}

/// The least value in (0, infinity) for which `enough` holds, where it holds from some point on. What is
/// returned was itself tested, so an error of the search can only make it larger. Infinity where no double is
/// enough.
double least_enough(double start, std::predicate<double> auto enough) {
  double low = start;
  double high = start;
  if (enough(start)) {
    while (low > 0 && enough(low)) {
      high = low;
      low /= 2;
    }
  } else {
    while (!enough(high)) {
      low = high;
      high *= 2;
      if (high == infinity) return infinity;
    }
  }
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return high;
    (enough(middle) ? high : low) = middle;
  }
}

}  // namespace

double noise_multiplier(ApproxDp budget) {
  const double log_delta = std::nextafter(std::log(budget.delta), -infinity);
  const double sigma = least_enough(
      1, [&](double candidate) { return log_delta_upper(candidate, budget.epsilon) <= log_delta; });
  if (sigma == infinity)
    throw InvalidParameter("epsilon", budget.epsilon, "large enough for a finite noise multiplier");
  return sigma;
}

double gaussian_epsilon(double sigma, Delta delta) {
  require_positive("sigma", sigma);
  const double log_delta = std::nextafter(std::log(delta), -infinity);
  const auto enough = [&](double epsilon) { return log_delta_upper(sigma, epsilon) <= log_delta; };
  if (enough(0)) return 0;
  return least_enough(1, enough);
}

double gaussian_delta(double sigma, double epsilon) {
  require_positive("sigma", sigma);
  if (!(epsilon >= 0) || !std::isfinite(epsilon))
    throw InvalidParameter("epsilon", epsilon, "a finite number of at least 0");
  // exp rounds its value and its argument; below the normal range the spacing of doubles is absolute.
  const double log_delta = log_delta_upper(sigma, epsilon);
  const double delta = std::exp(log_delta) * (1 + 4 * unit * (1 + std::fmin(-log_delta, 1000.0)));
  return std::fmin(1.0, std::nextafter(delta, infinity));
}

double gdp_epsilon(double mu, Delta delta, double bad) {
  require_positive("mu", mu);
  // What is left of delta depends on epsilon, but only a little: raise epsilon until it is enough for the
  // delta that it leaves.
  double granted = gaussian_epsilon(1 / mu, delta);
  for (int round = 0; round < 200; ++round) {
    const double left = delta - (1 + std::exp(granted)) * bad;
    if (!(left > 0)) break;
    const double epsilon = gaussian_epsilon(1 / mu, left);
    if (epsilon <= granted) return granted;
    granted = epsilon * (1 + 1e-9);
  }
  return infinity;
}

double gdp_budget(ApproxDp budget, double bad) {
  const double lost = (1 + std::exp(budget.epsilon)) * bad;
  const double left = budget.delta - lost;
  if (!(lost < 1)) {
    throw InvalidParameter(
        "epsilon", budget.epsilon,
        "smaller: so little noise protects nobody, and what is proved of it does not reach "
        "this far, whatever delta is");
  }
  if (!(left > 0)) {
    throw InvalidParameter("delta", budget.delta,
                           "larger: so many draws leave the range that is proved with more probability");
  }
  return (1 - unit) / noise_multiplier({.epsilon = budget.epsilon, .delta = left});
}

double gdp_mu(double sigma) {
  require_positive("sigma", sigma);
  return 1 / sigma;
}

double zcdp_rho(double sigma) {
  require_positive("sigma", sigma);
  return 1 / (2 * sigma * sigma);
}

}  // namespace jme
