#include <algorithm>

#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/base/values.hpp>
#include <jme/inquiry/questions.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/sampled_steps.hpp>

namespace jme {

nlohmann::ordered_json answer(const CalibrateQuestion& question) {
  const auto& [asked_epsilon, asked_delta, asked_sigma] = question;
  const int given =
      int{asked_epsilon.has_value()} + int{asked_delta.has_value()} + int{asked_sigma.has_value()};
  if (given != 2)
    throw InvalidParameter("epsilon, delta, sigma", "give exactly two of them, the third is computed");
  double epsilon = 0, delta = 0, sigma = 0;
  if (asked_epsilon) epsilon = Epsilon(parse_real("epsilon", *asked_epsilon));
  if (asked_delta) delta = Delta(parse_real("delta", *asked_delta));
  if (asked_sigma) sigma = parse_positive("sigma", *asked_sigma);
  if (!asked_sigma) {
    sigma = noise_multiplier({.epsilon = epsilon, .delta = delta});
  } else if (!asked_epsilon) {
    epsilon = gaussian_epsilon(sigma, delta);
  } else {
    delta = gaussian_delta(sigma, epsilon);
  }
  return {{"epsilon", epsilon},
          {"delta", delta},
          {"sigma", sigma},
          {"mu", gdp_mu(sigma)},
          {"rho", zcdp_rho(sigma)}};
}

namespace {

std::uint64_t steps_of(const AccountQuestion& question, double sampling_rate) {
  if (question.steps.has_value() == question.epochs.has_value())
    throw InvalidParameter("steps, epochs",
                           "give one of them: how many batches, or passes over the rows, in all");
  if (question.steps) return parse_count("steps", *question.steps);
  return steps_of_epochs(sampling_rate, parse_positive("epochs", *question.epochs));
}

SampledSteps steps_asked(const AccountQuestion& question) {
  if (!question.sampling_rate)
    throw InvalidParameter("sampling-rate", "must be given: the expected batch size over the number of rows");
  const double rate = parse_real("sampling-rate", *question.sampling_rate);
  SampledSteps run{.sampling_rate = rate, .steps = steps_of(question, rate)};
  if (question.sampling) run.sampling = parse_sampling(*question.sampling);
  if (question.bands) run.bands = parse_count("bands", *question.bands);
  if (question.adjacency) run.adjacency = parse_adjacency(*question.adjacency);
  return run;
}

/// What an accountant for this sampling knows.
nlohmann::ordered_json epsilons(const SampledSteps& run, Delta delta) {
  if (run.sampling == Sampling::allocation) {
    const Allocation mechanism = as_allocation(run);
    const AllocationEpsilons both = allocation_epsilons(mechanism, delta);
    return {{"epsilon_pld", std::max(both.remove, both.add)},
            {"epsilon_remove", both.remove},
            {"epsilon_add", both.add},
            {"turns", mechanism.turns},
            {"epochs", mechanism.epochs}};
  }
  const SubsampledGaussian mechanism = as_fresh_steps(run);
  const RenyiBound by_rdp = rdp_epsilon(mechanism, delta);
  return {{"epsilon_pld", pld_epsilon(mechanism, delta)},
          {"epsilon_rdp", by_rdp.epsilon},
          {"rdp_order", by_rdp.order}};
}

}  // namespace

nlohmann::ordered_json answer(const AccountQuestion& question) {
  SampledSteps run = steps_asked(question);
  if (!question.delta)
    throw InvalidParameter("delta", "must be given: the slack of the guarantee, in (0, 1)");
  if (question.sigma.has_value() == question.epsilon.has_value())
    throw InvalidParameter("sigma, epsilon", "give exactly one of them, the other is computed");
  const Delta delta(parse_real("delta", *question.delta));
  if (question.sigma) {
    run.sigma = parse_real("sigma", *question.sigma);
  } else {
    const Epsilon epsilon(parse_real("epsilon", *question.epsilon));
    run.sigma = sampled_noise_multiplier(run, {.epsilon = epsilon, .delta = delta});
  }
  nlohmann::ordered_json result = epsilons(run, delta);
  result["sigma"] = run.sigma;
  return result;
}

}  // namespace jme
