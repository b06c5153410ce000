#include <algorithm>
#include <cmath>

#include <jme/base/errors.hpp>
#include <jme/privacy/sampled_steps.hpp>

namespace jme {
namespace {

std::uint64_t divided_up(std::uint64_t count, std::uint64_t by) {
  return (count + by - 1) / by;
}

void check(const SampledSteps& run) {
  if (!(run.sampling_rate > 0 && run.sampling_rate <= 1))
    throw InvalidParameter("sampling-rate", run.sampling_rate, "in (0, 1]");
  if (run.steps < 1) throw InvalidParameter("steps", 0.0, "at least 1");
  if (run.bands < 1) throw InvalidParameter("bands", 0.0, "at least 1");
  if (run.sampling == Sampling::poisson && run.bands > 1)
    throw InvalidParameter("bands", static_cast<double>(run.bands),
                           "1 with Poisson sampling: shaped noise needs cyclic-poisson or allocation");
}

std::uint64_t steps_of_epoch(double sampling_rate) {
  const double steps = std::round(1 / sampling_rate);
  if (!(std::abs(steps * sampling_rate - 1) <= 1e-9))
    throw InvalidParameter("sampling-rate", sampling_rate,
                           "1 over a whole number of steps, where epochs are counted");
  return static_cast<std::uint64_t>(steps);
}

}  // namespace

Sampling parse_sampling(std::string_view text) {
  for (const Sampling sampling : {Sampling::poisson, Sampling::cyclic_poisson, Sampling::allocation}) {
    if (text == name(sampling)) return sampling;
  }
  throw InvalidParameter("sampling", text, "poisson, cyclic-poisson or allocation");
}

std::string_view name(Sampling sampling) {
  switch (sampling) {
    case Sampling::poisson:
      return "poisson";
    case Sampling::cyclic_poisson:
      return "cyclic-poisson";
    case Sampling::allocation:
      break;
  }
  return "allocation";
}

std::uint64_t steps_of_epochs(double sampling_rate, double epochs) {
  const double steps = std::ceil(epochs * static_cast<double>(steps_of_epoch(sampling_rate)) * (1 - 1e-12));
  if (!(steps >= 1 && steps <= 0x1p40)) throw InvalidParameter("epochs", epochs, "1 to 2^40 steps");
  return static_cast<std::uint64_t>(steps);
}

SubsampledGaussian as_fresh_steps(const SampledSteps& run) {
  check(run);
  if (run.sampling == Sampling::allocation)
    throw InvalidParameter("sampling", name(run.sampling), "poisson or cyclic-poisson");
  const double rate = run.sampling_rate * static_cast<double>(run.bands);
  if (!(rate <= 1 + 1e-12))
    throw InvalidParameter("bands", static_cast<double>(run.bands), "at most 1/sampling-rate");
  return {.sampling_rate = std::min(1.0, rate),
          .steps = divided_up(run.steps, run.bands),
          .sigma = run.sigma,
          .adjacency = run.adjacency};
}

Allocation as_allocation(const SampledSteps& run) {
  check(run);
  if (run.adjacency != Adjacency::add_remove)
    throw InvalidParameter("adjacency", name(run.adjacency), "add-remove with allocation");
  const std::uint64_t steps = steps_of_epoch(run.sampling_rate);
  if (steps % run.bands != 0)
    throw InvalidParameter("bands", static_cast<double>(run.bands),
                           "a divisor of the steps of an epoch, 1/sampling-rate");
  const std::uint64_t turns = steps / run.bands;
  return {.turns = turns, .epochs = divided_up(divided_up(run.steps, run.bands), turns), .sigma = run.sigma};
}

double sampled_epsilon(const SampledSteps& run, Delta delta) {
  if (run.sampling == Sampling::allocation) return allocation_epsilon(as_allocation(run), delta);
  return pld_epsilon(as_fresh_steps(run), delta);
}

double sampled_noise_multiplier(const SampledSteps& run, ApproxDp budget) {
  if (run.sampling == Sampling::allocation) return allocation_noise_multiplier(as_allocation(run), budget);
  return subsampled_noise_multiplier(as_fresh_steps(run), budget);
}

}  // namespace jme
