#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

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

double composed_mu(const std::vector<LedgerEntry>& streams) {
  // A single row is in the search or in the streams after it. A person with several rows may be in both, as
  // may one whose rows are limited by ids in each.
  const auto is_of_single_rows = [](const LedgerEntry& entry) {
    return value_of(entry.settings, "participations") == "1" &&
           value_of(entry.settings, "rows-per-person").empty();
  };
  double squares = 0;
  std::map<std::pair<std::string, std::string>, double> searches, after;
  for (const LedgerEntry& entry : streams) {
    if (entry.is_search && is_of_single_rows(entry))
      searches[{entry.source, entry.stream}] += entry.mu * entry.mu;
  }
  for (const LedgerEntry& entry : streams) {
    if (entry.is_search && is_of_single_rows(entry)) continue;
    const std::pair search{entry.source, entry.leaves_out};
    const bool leaves_one_out =
        !entry.leaves_out.empty() && is_of_single_rows(entry) && searches.contains(search);
    (leaves_one_out ? after[search] : squares) += entry.mu * entry.mu;
  }
  for (const auto& [search, square] : searches) squares += std::max(square, after[search]);
  return std::sqrt(squares);
}

double composed_epsilon(const std::vector<LedgerEntry>& streams, double delta) {
  const double checked = Delta(delta);
  const double mu = composed_mu(streams);
  double e = 0, bad = 0, plain_epsilon = 0, plain_delta = 0;
  for (const LedgerEntry& stream : streams) {
    e += stream.old_sampler_epsilon;
    bad += stream.bad_past;
    // What each stream promises by itself adds up as well. What an old stream promised did not always hold.
    plain_epsilon += stream.is_old ? infinity : stream.epsilon.value_or(infinity);
    plain_delta += stream.delta.value_or(1);
  }
  if (mu == 0) return 0;
  const double gdp = with_old_samplers(mu, e, bad, checked);
  return plain_delta <= checked ? std::min(gdp, plain_epsilon) : gdp;
}

}  // namespace jme
