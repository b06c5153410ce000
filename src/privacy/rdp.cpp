#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <jme/base/errors.hpp>
#include <jme/privacy/subsampled.hpp>

#include "privacy/loss_pair.hpp"
#include "privacy/subsampled_checks.hpp"

namespace jme {
namespace privacy {

void check(const SubsampledGaussian& mechanism) {
  if (!(mechanism.sampling_rate > 0 && mechanism.sampling_rate <= 1))
    throw InvalidParameter("sampling-rate", mechanism.sampling_rate, "in (0, 1]");
  if (mechanism.steps < 1 || mechanism.steps > std::uint64_t{1} << 40)
    throw InvalidParameter("steps", static_cast<double>(mechanism.steps), "a whole number from 1 to 2^40");
  if (mechanism.sampling_rate < 1 && !(mechanism.sigma >= least_sigma && mechanism.sigma <= largest_sigma))
    throw InvalidParameter("sigma", mechanism.sigma, "between 0.05 and 1e9 where rows are sampled");
  if (!(mechanism.sigma > 0) || !std::isfinite(mechanism.sigma))
    throw InvalidParameter("sigma", mechanism.sigma, "a finite number above 0");
}

namespace {

constexpr double unit = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// log of e^(a l) - 1 - a (e^l - 1) >= 0, a > 1: what a loss l contributes beyond its mean.
double log_convex_excess(double order, double loss) {
  const double power = order * loss;
  if (power > 30) return power + std::log1p((order - 1) * std::exp(-power) - order * std::exp(loss - power));
  if (std::abs(power) > 0.25) return std::log(std::expm1(power) - order * std::expm1(loss));
  // sum over k >= 2 of (a^k - a) l^k / k!: no cancellation where both exponentials are near 1.
  double term = order * loss, sum = 0;  // a l^k / k!
  for (int k = 2; k < 24; ++k) {
    term *= loss / k;
    sum += term * std::expm1((k - 1) * std::log(order));
  }
  return sum > 0 ? std::log(sum) : -infinity;
}

/// Upper bound on the Renyi divergence D_order(P || Q) of one step. Its exponential is 1 + I with
///     I = E_Q [ e^(a l) - 1 - a (e^l - 1) ],  as E_Q e^l = 1,
/// an integral of positive terms, so that even a divergence of 1e-18 keeps its digits. The trapezoidal rule
/// on an analytic integrand converges like e^(-2 pi strip/spacing) (Trefethen & Weideman 2014, Theorem 5.1).
double one_step(const LossPair& pair, double order) {
  // In the strip |Im x| <= a the mixtures 1 - q + q e^y turn by at most a shift = theta <= 1. Then their
  // modulus is at most their value on the real line and at least cos(theta) times it: powers grow by at most
  // cos(theta)^-order < e^(0.62 order theta^2) <= e^50, the normal density by e^(a^2/2) <= e^18. With
  // 2 pi a / spacing = 170 the rule's error is below e^-100 (E + order).
  constexpr double digits = 170;
  const double theta = std::min(1.0, std::sqrt(80 / order));
  const double strip = std::min(6.0, theta / pair.shift());
  const double spacing = 2 * std::numbers::pi * strip / digits;
  // The reference has mass at 0 and, for replaced rows, at -shift: fourteen deviations below both.
  const double first = -14 - pair.shift(), last = order * pair.shift() + 14;
  const auto points = static_cast<std::size_t>((last - first) / spacing) + 1;
  double largest = -infinity, sum = 0, largest_loss = 0;
  for (std::size_t i = 0; i <= points; ++i) {
    const double x = first + spacing * static_cast<double>(i);
    const double loss = pair.loss(x);
    const double exponent = pair.log_reference(x) + log_convex_excess(order, loss);
    largest_loss = std::max(largest_loss, std::abs(loss));
    if (exponent <= largest) {
      sum += std::exp(exponent - largest);
    } else {
      sum = sum * std::exp(largest - exponent) + 1;
      largest = exponent;
    }
  }
  const double log_integral = largest + std::log(sum * spacing);
  const double rounding = 64 * unit * (16 + order * largest_loss + last * last + static_cast<double>(points));
  // log(1 + e^L), and the rule's own error beside it: e^-90 (1 + order) of 1 + I.
  const double log_moment =
      log_integral > 30 ? log_integral + std::exp(-log_integral) : std::log1p(std::exp(log_integral));
  const double relative = log_integral > 0 ? rounding : rounding * log_moment * 2;
  return (log_moment + relative + std::exp(-90.0) * (1 + order)) / (order - 1);
}

}  // namespace
}  // namespace privacy

double renyi_divergence(const SubsampledGaussian& mechanism, double order) {
  privacy::check(mechanism);
  if (!(order > 1) || !std::isfinite(order))
    throw InvalidParameter("order", order, "a finite number above 1");
  const auto steps = static_cast<double>(mechanism.steps);
  const double shift = 1 / mechanism.sigma;
  if (mechanism.sampling_rate == 1) return steps * order * shift * shift / 2 * (1 + 8 * privacy::unit);
  // Of add and remove, remove is never the smaller one (Mironov, Talwar & Zhang 2019, Theorem 5).
  const auto direction = mechanism.adjacency == Adjacency::replace_one ? privacy::Direction::replace
                                                                       : privacy::Direction::remove;
  return steps * privacy::one_step(privacy::LossPair(mechanism, direction), order) * (1 + 4 * privacy::unit);
}

RenyiBound rdp_epsilon(const SubsampledGaussian& mechanism, Delta delta) {
  privacy::check(mechanism);
  const double log_delta = std::log(delta);
  // Any order gives a valid epsilon, so the search may stop anywhere.
  const auto bound = [&](double log_excess) {
    const double order = 1 + std::exp(log_excess);
    const double divergence = renyi_divergence(mechanism, order);
    const double epsilon = divergence + std::log1p(-1 / order) - (log_delta + std::log(order)) / (order - 1);
    return RenyiBound{.epsilon = privacy::at_least_zero(epsilon + 16 * privacy::unit * std::abs(epsilon)),
                      .order = order};
  };
  // Beyond this order the divergence is that of the unsampled mechanism within a constant, and rising.
  const double last = std::log(1e3 * std::max(1.0, mechanism.sigma));
  constexpr double step = 0.25;
  constexpr double first = -6;
  double best_at = first;
  RenyiBound best = bound(best_at);
  int worse = 0;
  for (int i = 1; first + i * step <= last && worse < 8; ++i) {
    const double t = first + i * step;
    const RenyiBound here = bound(t);
    worse = here.epsilon > best.epsilon ? worse + 1 : 0;
    if (here.epsilon < best.epsilon) best = here, best_at = t;
  }
  constexpr double golden = 0.6180339887498949;
  double low = best_at - step, high = best_at + step;
  for (int i = 0; i < 24 && best.epsilon > 0; ++i) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    const RenyiBound at_a = bound(a), at_b = bound(b);
    if (at_a.epsilon < best.epsilon) best = at_a;
    if (at_b.epsilon < best.epsilon) best = at_b;
    (at_a.epsilon < at_b.epsilon ? high : low) = at_a.epsilon < at_b.epsilon ? b : a;
  }
  return best;
}

}  // namespace jme
