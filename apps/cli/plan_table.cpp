#include "plan_table.hpp"

#include <optional>
#include <string_view>

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

/// jme is the balance `free`, lambda-jme `balanced`: the two of them with the recommended shape, where both
/// were compared and differ.
struct Balances {
  const PlanCandidate *free, *balanced;
};
std::optional<Balances> balances(const Plan& plan) {
  const PlanCandidate& best = plan.candidates.at(plan.recommended);
  const auto find = [&](Method method) -> const PlanCandidate* {
    for (const PlanCandidate& c : plan.candidates) {
      const bool same_second = c.shape_second.has_value() == best.shape_second.has_value() &&
                               (!c.shape_second || c.shape_second->name() == best.shape_second->name());
      if (c.method == method && c.shape.name() == best.shape.name() && same_second) return &c;
    }
    return nullptr;
  };
  const Balances found{.free = find(Method::jme), .balanced = find(Method::lambda_jme)};
  if (found.free == nullptr || found.balanced == nullptr) return std::nullopt;
  if (found.free->lambda == found.balanced->lambda) return std::nullopt;
  return found;
}

std::string balance_line(const Balances& both) {
  const double first = 100 * (both.balanced->rmse_first / both.free->rmse_first - 1);
  const double second = 100 * (1 - both.balanced->rmse_second / both.free->rmse_second);
  return fmt::format(
      "Balance with {}: free (jme) takes nothing from the first moment; balanced (lambda-jme) costs it "
      "{:.1f}% "
      "and takes {:.1f}% off the second moment's error; any other: --balance WEIGHT\n",
      both.free->shape.name(), first, second);
}

nlohmann::ordered_json balance_json(std::string_view balance, const PlanCandidate& candidate) {
  return {{"balance", balance},
          {"lambda", candidate.lambda},
          {"rmse_first", candidate.rmse_first},
          {"rmse_second", candidate.rmse_second}};
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
  nlohmann::ordered_json result{{"candidates", std::move(candidates)},
                                {"recommended", std::move(recommended)},
                                {"left_out", plan.left_out}};
  if (const std::optional<Balances> both = balances(plan)) {
    result["balances"] = {balance_json("free", *both->free), balance_json("balanced", *both->balanced)};
  }
  return result;
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
  if (const std::optional<Balances> both = balances(plan)) text += balance_line(*both);
  return text;
}

}  // namespace jme::cli
