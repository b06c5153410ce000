#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/random/sampler_distance.hpp>

// Letters as in GUARANTEES.md, section 3.
namespace jme {

namespace {

constexpr double u = 0x1p-53;
constexpr double c = 10;      // relative error of a draw in units of u: 9.1 proved, and its finite bits
constexpr double reach = 10;  // radius within which everything is bounded; a pair passes it with 2^-72
constexpr double x = 60;      // exponent granted to each concentration of a sum of squares

// The part of delta that is granted to the likelihood ratio's concentration, before the factor 1 + e^epsilon
// with which it comes back.
constexpr double tail_share = 0x1p-10;

/// What is left of `delta` for an ideal mechanism of this epsilon.
double ideal_delta(double delta, double epsilon, const SamplerDistance& distance) {
  const double s = distance.epsilon / 2;
  return std::exp(-s) * (delta - (1 + std::exp(s + epsilon)) * distance.delta);
}

}  // namespace

SamplerDistance sampler_distance(const SamplerUse& use, double tail) {
  if (!(tail > 0 && tail < 1)) throw InvalidParameter("delta", tail, "in (0, 1)");
  const double infinity = std::numeric_limits<double>::infinity();
  const double slack = use.row_sum / (2 * use.smallest_fresh_std);
  if (!(use.smallest_fresh_std >= 64) || !(slack <= 0.05)) return {infinity, 1};

  const double g = std::exp((reach + 2) / use.smallest_fresh_std);
  const auto kappa = [&](double runs) { return 1 + 2 * std::sqrt(x / runs) + 2 * x / runs; };
  const double steps = use.draws / use.width;
  // Of a fresh value, over its standard deviation; the past is read back from cells, twice (GUARANTEES).
  const double error = u * (c + use.roundings * (1 + 4 * slack));
  const double eta = g * (2 * error * use.largest_fresh_std + use.drift);
  const double total = g * (2 * error * std::sqrt(use.fresh_variance) + use.drift * std::sqrt(use.draws));
  const double runs = use.fresh_variance / (use.largest_fresh_std * use.largest_fresh_std * use.memory);
  const double variance = 2 * kappa(runs) * total * total;
  const double largest = 2 * 1.4 * (2 * reach + 2) * eta;
  const double spread = use.largest_fresh_std / use.smallest_fresh_std;
  // Only what lies below the diagonal of a column is carried into later steps.
  const double below = std::sqrt(std::max(0.0, use.column_ratio * use.column_ratio - 1));
  const double shift = g * (9 * error * spread + 2 * use.drift) * below *
                       (1 + steps * use.column_ratio / (2 * use.smallest_fresh_std)) * use.draws *
                       kappa(use.width);
  const double linear = shift + use.draws * 0x1p-71;

  // Every order a + 1 > 1 gives a bound; take the best of a fine grid.
  double s = infinity;
  for (double a = 1e-3; a < 1e15; a *= 1.05) {
    const double growth = 2 * (a + 3) * largest;
    if (growth > 1) break;
    // In the reverse order the first-order terms come with a + 1.
    s = std::min(s, linear * (a + 1) / a + 0.5 * (a + 1) * variance * std::exp(growth) - std::log(tail) / a);
  }
  const double beyond =
      use.draws * (0x1p-71 + (1 + use.states) * 0x1p-75) + (use.roundings + 3) * 2 * std::exp(-x);
  return {2 * s, tail + beyond};
}

ApproxDp ideal_budget(const ApproxDp& target, const SamplerUse& use) {
  const double epsilon = target.epsilon;
  const double delta = target.delta;
  const SamplerDistance distance = sampler_distance(use, tail_share * delta / (1 + std::exp(epsilon)));
  const double left = epsilon - distance.epsilon;
  const double left_delta = ideal_delta(delta, left, distance);
  if (!(left > 0) || !(left_delta > 0)) {
    throw InvalidParameter(
        "epsilon",
        fmt::format("{}, delta {}: the noise generator's own error over {} draws is ({:.2g}, {:.2g})",
                    epsilon, delta, use.draws, distance.epsilon, distance.delta));
  }
  return {.epsilon = left, .delta = left_delta};
}

double epsilon_with_sampler(const SamplerUse& use, double delta, const std::function<double(double)>& ideal) {
  // The delta left for the ideal mechanism depends on its epsilon: assume one a little above what it would
  // be, until it is enough.
  double assumed = ideal(delta);
  for (int pass = 0; pass < 8; ++pass) {
    assumed *= 1 + 1e-3;
    const double tail = tail_share * delta / (1 + std::exp(assumed));
    if (!(tail > 0)) break;
    const SamplerDistance distance = sampler_distance(use, tail);
    const double left = ideal_delta(delta, assumed, distance);
    if (!(left > 0)) break;
    const double epsilon = ideal(left);
    if (epsilon <= assumed) return epsilon + distance.epsilon;
    assumed = epsilon;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace jme
