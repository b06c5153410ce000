#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <jme/base/errors.hpp>
#include <jme/privacy/allocation.hpp>
#include <jme/privacy/gaussian.hpp>

#include "privacy/composition.hpp"
#include "privacy/epoch_law.hpp"
#include "privacy/least_root.hpp"
#include "privacy/loss_cumulants.hpp"
#include "privacy/loss_distribution.hpp"
#include "privacy/subsampled_checks.hpp"

namespace jme {
namespace privacy {
namespace {

constexpr double most_turns = 0x1p20, most_epochs = 0x1p20;
// Of delta, what every part of an epoch that is left out may cost.
constexpr double left_out_share = 1e-6;

void check_allocation(const Allocation& mechanism) {
  const auto turns = static_cast<double>(mechanism.turns), epochs = static_cast<double>(mechanism.epochs);
  if (!(turns >= 1 && turns <= most_turns)) throw InvalidParameter("turns", turns, "from 1 to 2^20");
  if (!(epochs >= 1 && epochs <= most_epochs)) throw InvalidParameter("epochs", epochs, "from 1 to 2^20");
  if (!(mechanism.sigma >= least_sigma && mechanism.sigma <= largest_sigma))
    throw InvalidParameter("sigma", mechanism.sigma, "from 0.05 to 1e9");
}

/// Without chance in the turns, all epochs together are one Gaussian mechanism; drawing turns only helps,
/// because the divergence of mixtures is at most the mean of the divergences.
double in_fixed_order(const Allocation& mechanism) {
  return mechanism.sigma / std::sqrt(static_cast<double>(mechanism.epochs)) *
         (1 - 4 * std::numeric_limits<double>::epsilon());
}

/// For choosing tilts: neighbouring losses as one.
LossCumulants cumulants_of(const EpochLaw& law) {
  constexpr std::size_t bins = 4096;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const EpochLaw::Atom& atom : law.atoms) {
    low = std::min(low, atom.loss);
    high = std::max(high, atom.loss);
  }
  std::vector<double> masses(bins, 0.0), sums(bins, 0.0);
  for (const EpochLaw::Atom& atom : law.atoms) {
    const double place = high > low ? (atom.loss - low) / (high - low) * (bins - 1) : 0;
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(place));
    masses[bin] += atom.mass;
    sums[bin] += atom.mass * atom.loss;
  }
  std::vector<double> losses, log_masses;
  for (std::size_t i = 0; i < bins; ++i) {
    if (!(masses[i] > 1e-290)) continue;
    losses.push_back(sums[i] / masses[i]);
    log_masses.push_back(std::log(masses[i]));
  }
  return LossCumulants(std::move(losses), std::move(log_masses));
}

}  // namespace

double allocation_in_direction(const Allocation& mechanism, Direction direction, double delta) {
  const auto epochs = static_cast<double>(mechanism.epochs);
  const EpochLaw law = epoch_law(mechanism, direction, left_out_share * delta / epochs);
  const double left = delta - epochs * law.infinite;
  if (!(left > 0) || law.atoms.size() < 2) return std::numeric_limits<double>::infinity();
  const LossCumulants cumulants = cumulants_of(law);
  Window window = window_for_delta(cumulants, epochs, delta);
  double spacing = affordable_spacing(window, epochs, window.centre);
  double epsilon = DeltaCurve(discretise(law, spacing), epochs, window).epsilon(delta);
  // The saddle point may be far off where few epochs decide: look again from the epsilon found.
  for (int pass = 0; pass < 4 && std::isfinite(epsilon) && epsilon > 0; ++pass) {
    const bool fine = spacing <= 1.5 * wanted_spacing(window, epochs, epsilon);
    const bool central = std::abs(window.centre - epsilon) <= epsilon / 4;
    if (fine && central) break;
    const double before = epsilon;
    window = window_for_epsilon(cumulants, epochs, epsilon);
    spacing = affordable_spacing(window, epochs, epsilon);
    epsilon = std::min(epsilon, DeltaCurve(discretise(law, spacing), epochs, window).epsilon(delta));
    if (epsilon > before * (1 - grid_tolerance)) break;
  }
  return epsilon;
}

}  // namespace privacy

AllocationEpsilons allocation_epsilons(const Allocation& mechanism, Delta delta) {
  privacy::check_allocation(mechanism);
  const double fixed = gaussian_epsilon(privacy::in_fixed_order(mechanism), delta);
  if (mechanism.turns == 1) return {.remove = fixed, .add = fixed};
  const auto in = [&](privacy::Direction direction) {
    return std::min(fixed, privacy::allocation_in_direction(mechanism, direction, delta));
  };
  return {.remove = in(privacy::Direction::remove), .add = in(privacy::Direction::add)};
}

double allocation_epsilon(const Allocation& mechanism, Delta delta) {
  const AllocationEpsilons both = allocation_epsilons(mechanism, delta);
  return std::max(both.remove, both.add);
}

double allocation_noise_multiplier(const Allocation& mechanism, ApproxDp budget) {
  Allocation candidate = mechanism;
  candidate.sigma = 1;
  privacy::check_allocation(candidate);
  const double fixed = noise_multiplier(budget) * std::sqrt(static_cast<double>(candidate.epochs)) *
                       (1 + 4 * std::numeric_limits<double>::epsilon());
  if (candidate.turns == 1) return fixed;
  const double goal = budget.epsilon;
  // log of epsilon over the goal: nearly linear in log sigma.
  const auto excess = [&](double sigma) {
    candidate.sigma = sigma;
    return std::log(std::max(allocation_epsilon(candidate, budget.delta), 1e-3 * goal) / goal);
  };
  privacy::Tried high{}, low{.at = fixed, .value = std::min(0.0, excess(fixed))};  // enough in any order
  do {
    high = low;
    low.at = high.at / 1.5;
    if (low.at < privacy::least_sigma) return high.at;
    low.value = excess(low.at);
  } while (low.value <= 0);
  return privacy::least_root(excess, low, high, 1e-5);
}

}  // namespace jme
