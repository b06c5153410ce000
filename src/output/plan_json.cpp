#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <jme/output/plan_json.hpp>

#include "output/noise_json.hpp"

namespace jme {

namespace {

nlohmann::ordered_json candidate_json(const PlanCandidate& candidate) {
  nlohmann::ordered_json object{{"method", name(candidate.method)}, {"shape", candidate.shape.name()}};
  if (candidate.shape_second) object["shape2"] = candidate.shape_second->name();
  object["lambda"] = candidate.lambda;
  object["geometry"] = name(candidate.geometry);
  add_noise(object, candidate.noise);
  object["std_second"] = candidate.noise.std_second;
  object["error_first"] = candidate.error_first;
  object["error_second"] = candidate.error_second.high;
  if (candidate.error_second.low != candidate.error_second.high) {
    object["error_second_at_least"] = candidate.error_second.low;
  }
  object["rmse_first"] = candidate.rmse_first;
  object["rmse_second"] = candidate.rmse_second;
  if (candidate.rmse_late) object["rmse_late"] = *candidate.rmse_late;
  object["state_vectors"] = candidate.state_vectors;
  object["note"] = candidate.note;
  return object;
}

nlohmann::ordered_json balance_json(std::string_view balance, const PlanCandidate& candidate) {
  return {{"balance", balance},
          {"lambda", candidate.lambda},
          {"rmse_first", candidate.rmse_first},
          {"rmse_second", candidate.rmse_second}};
}

}  // namespace

std::optional<PlanBalances> plan_balances(const Plan& plan) {
  const PlanCandidate& best = plan.candidates.at(plan.recommended);
  const auto find = [&](Method method) -> const PlanCandidate* {
    for (const PlanCandidate& c : plan.candidates) {
      const bool same_second = c.shape_second.has_value() == best.shape_second.has_value() &&
                               (!c.shape_second || c.shape_second->name() == best.shape_second->name());
      if (c.method == method && c.shape.name() == best.shape.name() && same_second) return &c;
    }
    return nullptr;
  };
  const PlanBalances found{.free = find(Method::jme), .balanced = find(Method::lambda_jme)};
  if (found.free == nullptr || found.balanced == nullptr) return std::nullopt;
  if (found.free->lambda == found.balanced->lambda) return std::nullopt;
  return found;
}

nlohmann::ordered_json plan_json(const Plan& plan) {
  nlohmann::ordered_json candidates = nlohmann::ordered_json::array();
  for (const PlanCandidate& candidate : plan.candidates) candidates.push_back(candidate_json(candidate));
  nlohmann::ordered_json recommended = candidates.at(plan.recommended);
  recommended["index"] = plan.recommended;
  nlohmann::ordered_json result{{"candidates", std::move(candidates)},
                                {"recommended", std::move(recommended)},
                                {"left_out", plan.left_out}};
  if (const std::optional<PlanBalances> both = plan_balances(plan)) {
    result["balances"] = {balance_json("free", *both->free), balance_json("balanced", *both->balanced)};
  }
  return result;
}

}  // namespace jme
