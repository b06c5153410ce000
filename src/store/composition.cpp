#include <cmath>
#include <limits>

#include <jme/base/values.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/store/ledger.hpp>

namespace jme {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// All streams as ideal Gaussian mechanisms, then each with its own sampler (store/GUARANTEES.md): with
/// e = sum of the samplers' epsilons and d of their deltas,
///     epsilon(delta) = gaussian_epsilon(mu, (delta - (1 + exp(e/2 + epsilon)) d) exp(-e/2)) + e.
double by_gdp(double mu, double e, double d, double delta) {
  if (!std::isfinite(e)) return infinity;
  // The delta that is left for the Gaussians depends on their epsilon, and hardly: climb to the least epsilon
  // that is enough for the delta it leaves.
  double granted = gaussian_epsilon(1 / mu, delta);
  for (int round = 0; round < 200; ++round) {
    const double left = std::exp(-e / 2) * (delta - (1 + std::exp(e / 2 + granted)) * d);
    if (!(left > 0)) break;
    const double epsilon = gaussian_epsilon(1 / mu, left);
    if (epsilon <= granted) return epsilon + e;
    granted = epsilon * (1 + 1e-6) + 1e-9;
  }
  return infinity;
}

}  // namespace

double composed_epsilon(const std::vector<LedgerEntry>& streams, double delta) {
  const double checked = Delta(delta);
  double squares = 0, e = 0, d = 0, plain_epsilon = 0, plain_delta = 0;
  for (const LedgerEntry& stream : streams) {
    squares += stream.mu * stream.mu;
    e += stream.sampler.epsilon;
    d += stream.sampler.delta;
    // What each promises by itself adds up as well.
    plain_epsilon += stream.epsilon.value_or(infinity);
    plain_delta += stream.delta.value_or(1);
  }
  if (squares == 0) return 0;
  const double gdp = by_gdp(std::sqrt(squares), e, d, checked);
  return plain_delta <= checked ? std::min(gdp, plain_epsilon) : gdp;
}

}  // namespace jme
