#pragma once

#include <jme/mechanism/stream_config.hpp>
#include <jme/theory/plan_cost.hpp>

namespace jme::service {

/// Before anything is computed: throws InvalidParameter, with the figures, where the stream's plan would take
/// more than this.
void check_plan_cost(const StreamConfig& config, const PlanCost& most);

}  // namespace jme::service
