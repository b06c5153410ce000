#include "shaping/series.hpp"

#include <cmath>

#include <jme/base/errors.hpp>

namespace jme::shaping {
namespace {

/// Coefficients of (1 - ratio x)^power: each is the one before times ratio (k - 1 - power) / k.
std::vector<double> binomial_series(double power, double ratio, std::size_t count) {
  std::vector<double> series(count);
  double coefficient = 1;
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) coefficient *= ratio * (static_cast<double>(k) - 1 - power) / static_cast<double>(k);
    series[k] = coefficient;
  }
  return series;
}

/// Coefficients of F = (1 - x^length)^power (1 - x)^-power. The logarithmic derivative
///     F'/F = power (1/(1-x) - length x^(length-1) / (1-x^length)),
/// multiplied out by (1-x)(1-x^length), gives four terms per coefficient. A rounding error made at
/// coefficient j is a source of the same differential equation; solving it shows that errors grow at most
/// linearly in the index, relative to the largest coefficients there. Extended precision keeps that below one
/// ulp of a double to n = 1e5 and harmless at 1e7.
std::vector<double> window_power(double power, std::size_t length, std::size_t count) {
  using Extended = long double;
  std::vector<Extended> f(count);
  if (count == 0) return {};
  f[0] = 1;
  const auto k = static_cast<Extended>(length);
  const auto exponent = static_cast<Extended>(power);
  for (std::size_t m = 1; m < count; ++m) {
    const auto index = static_cast<Extended>(m);
    Extended scaled = (index - 1 + exponent) * f[m - 1];
    if (m >= length) scaled += (index - k * (1 + exponent)) * f[m - length];
    if (m > length) scaled -= (index - 1 + exponent - k * (1 + exponent)) * f[m - length - 1];
    f[m] = scaled / index;
  }
  return {f.begin(), f.end()};
}

[[noreturn]] void no_root() {
  throw InvalidParameter("shape",
                         "square roots (sqrt, banded, banded-inverse) exist in closed form for prefix, mean, "
                         "decay and window only; for a custom workload use identity, dense or a matrix");
}

}  // namespace

std::vector<double> geometric_root(double ratio, std::size_t count) {
  return binomial_series(-0.5, ratio, count);
}

std::vector<double> geometric_root_inverse(double ratio, std::size_t count) {
  return binomial_series(0.5, ratio, count);
}

std::vector<double> window_root(std::size_t length, std::size_t count) {
  return window_power(0.5, length, count);
}

std::vector<double> window_root_inverse(std::size_t length, std::size_t count) {
  return window_power(-0.5, length, count);
}

double decay_per_step(const Workload& workload, const Horizon& horizon) {
  if (workload.kind() != Workload::Kind::decay) return 1;
  return std::pow(workload.beta(), static_cast<double>(horizon.every()));
}

std::size_t steps_in_window(const Workload& workload, const Horizon& horizon) {
  const Filter checked = workload.filter(horizon);  // throws where the window does not fit the horizon
  return workload.window_rows() / horizon.every();
}

std::vector<double> root_coefficients(const Workload& workload, const Horizon& horizon, std::size_t count) {
  switch (workload.kind()) {
    case Workload::Kind::prefix:
    case Workload::Kind::mean:
    case Workload::Kind::decay:
      return geometric_root(decay_per_step(workload, horizon), count);
    case Workload::Kind::window:
      return window_root(steps_in_window(workload, horizon), count);
    case Workload::Kind::custom:
      break;
  }
  no_root();
}

std::vector<double> inverse_root_coefficients(const Workload& workload, const Horizon& horizon,
                                              std::size_t count) {
  switch (workload.kind()) {
    case Workload::Kind::prefix:
    case Workload::Kind::mean:
    case Workload::Kind::decay:
      return geometric_root_inverse(decay_per_step(workload, horizon), count);
    case Workload::Kind::window:
      return window_root_inverse(steps_in_window(workload, horizon), count);
    case Workload::Kind::custom:
      break;
  }
  no_root();
}

}  // namespace jme::shaping
