#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/base/parse.hpp>
#include <jme/base/values.hpp>
#include <jme/inquiry/questions.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/subsampled.hpp>

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

nlohmann::ordered_json answer(const AccountQuestion& question) {
  if (!question.sampling_rate)
    throw InvalidParameter("sampling-rate", "must be given: the probability that a row enters a batch");
  if (!question.steps) throw InvalidParameter("steps", "must be given: how many batches there are in all");
  if (!question.delta)
    throw InvalidParameter("delta", "must be given: the slack of the guarantee, in (0, 1)");
  if (question.sigma.has_value() == question.epsilon.has_value())
    throw InvalidParameter("sigma, epsilon", "give exactly one of them, the other is computed");

  SubsampledGaussian mechanism{.sampling_rate = parse_real("sampling-rate", *question.sampling_rate),
                               .steps = parse_count("steps", *question.steps)};
  const Delta delta(parse_real("delta", *question.delta));
  if (question.adjacency) mechanism.adjacency = parse_adjacency(*question.adjacency);
  if (question.sigma) {
    mechanism.sigma = parse_real("sigma", *question.sigma);
  } else {
    const Epsilon epsilon(parse_real("epsilon", *question.epsilon));
    mechanism.sigma = subsampled_noise_multiplier(mechanism, {.epsilon = epsilon, .delta = delta});
  }
  const double by_pld = pld_epsilon(mechanism, delta);
  const RenyiBound by_rdp = rdp_epsilon(mechanism, delta);
  return {{"epsilon_pld", by_pld},
          {"epsilon_rdp", by_rdp.epsilon},
          {"rdp_order", by_rdp.order},
          {"sigma", mechanism.sigma}};
}

}  // namespace jme
