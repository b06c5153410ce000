#include "plan_table.hpp"

#include <fmt/format.h>

#include "table.hpp"

namespace jme::cli {

namespace {

nlohmann::ordered_json candidate_json(const PlanCandidate& candidate) {
  nlohmann::ordered_json object{{"method", name(candidate.method)}, {"shape", candidate.shape.name()}};
  if (candidate.shape_second) object["shape2"] = candidate.shape_second->name();
  object["lambda"] = candidate.lambda;
  object["std_first"] = candidate.std_first;
  object["std_second"] = candidate.std_second;
  object["error_first"] = candidate.error_first;
  object["error_second"] = candidate.error_second.high;
  if (candidate.error_second.low != candidate.error_second.high) {
    object["error_second_at_least"] = candidate.error_second.low;
  }
  object["rmse_first"] = candidate.rmse_first;
  object["rmse_second"] = candidate.rmse_second;
  object["state_vectors"] = candidate.state_vectors;
  object["note"] = candidate.note;
  return object;
}

std::string figure(double value) {
  return fmt::format("{:.5g}", value);
}

}  // namespace

nlohmann::ordered_json plan_json(const Plan& plan) {
  nlohmann::ordered_json candidates = nlohmann::ordered_json::array();
  for (const PlanCandidate& candidate : plan.candidates) candidates.push_back(candidate_json(candidate));
  nlohmann::ordered_json recommended = candidates.at(plan.recommended);
  recommended["index"] = plan.recommended;
  return {{"candidates", std::move(candidates)},
          {"recommended", std::move(recommended)},
          {"left_out", plan.left_out}};
}

std::string plan_table(const Plan& plan) {
  std::vector<std::vector<std::string>> rows{{"", "method", "shape", "std_first", "std_second", "rmse_first",
                                              "rmse_second", "error_first", "error_second", "state", "note"}};
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const PlanCandidate& c = plan.candidates[i];
    rows.push_back({i == plan.recommended ? "*" : "", std::string(name(c.method)),
                    c.shape_second ? c.shape.name() + " / " + c.shape_second->name() : c.shape.name(),
                    figure(c.std_first), figure(c.std_second), figure(c.rmse_first), figure(c.rmse_second),
                    figure(c.error_first), figure(c.error_second.high), fmt::format("{}", c.state_vectors),
                    c.note});
  }
  using enum Align;
  std::string text = aligned(rows, {left, left, left, right, right, right, right, right, right, right, left});
  for (const std::string& reason : plan.left_out) text += "not compared: " + reason + '\n';
  return text;
}

}  // namespace jme::cli
