#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include <jme/theory/plan.hpp>

namespace jme {

/// Candidates, the recommended one and what was left out, each number under its name.
[[nodiscard]] nlohmann::ordered_json plan_json(const Plan& plan);

/// jme is the balance `free`, lambda-jme `balanced`.
struct PlanBalances {
  const PlanCandidate *free, *balanced;
};
/// Both methods with the recommended shape, where both were compared and differ.
[[nodiscard]] std::optional<PlanBalances> plan_balances(const Plan& plan);

}  // namespace jme
