#include <cmath>
#include <limits>

#include <jme/base/values.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/store/ledger.hpp>

namespace jme {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Old streams were ideal Gaussian mechanisms up to e in all (store/GUARANTEES.md):
///     epsilon(delta) = gdp_epsilon(mu, exp(-e/2) delta, exp(e/2) bad) + e.
double with_old_samplers(double mu, double e, double bad, double delta) {
  if (!std::isfinite(e)) return infinity;
  return gdp_epsilon(mu, std::exp(-e / 2) * delta, std::exp(e / 2) * bad) + e;
}

}  // namespace

double composed_epsilon(const std::vector<LedgerEntry>& streams, double delta) {
  const double checked = Delta(delta);
  double squares = 0, e = 0, bad = 0, plain_epsilon = 0, plain_delta = 0;
  for (const LedgerEntry& stream : streams) {
    squares += stream.mu * stream.mu;
    e += stream.old_sampler_epsilon;
    bad += stream.bad_past;
    // What each stream promises by itself adds up as well. What an old stream promised did not always hold.
    plain_epsilon += stream.is_old ? infinity : stream.epsilon.value_or(infinity);
    plain_delta += stream.delta.value_or(1);
  }
  if (squares == 0) return 0;
  const double gdp = with_old_samplers(std::sqrt(squares), e, bad, checked);
  return plain_delta <= checked ? std::min(gdp, plain_epsilon) : gdp;
}

}  // namespace jme
