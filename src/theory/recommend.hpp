#pragma once

#include <cstddef>
#include <vector>

#include <jme/theory/plan.hpp>

namespace jme::theory {

/// Index of the candidate to recommend, by the rule in plan.hpp. `candidates` must not be empty.
[[nodiscard]] std::size_t recommend(const std::vector<PlanCandidate>& candidates, const StreamConfig& config);

}  // namespace jme::theory
