#include "service/plan_limit.hpp"

#include <fmt/format.h>

#include <jme/base/errors.hpp>

namespace jme::service {

namespace {

/// A stream is computed where it is prepared, opened and planned.
constexpr double times_computed = 3;

}  // namespace

void check_plan_cost(const StreamConfig& config, const PlanCost& most) {
  const PlanCost cost = plan_cost(config);
  const double seconds = times_computed * cost.seconds;
  if (seconds <= most.seconds && cost.bytes <= most.bytes) return;
  throw InvalidParameter(
      config.shape.kind() == Shape::Kind::dense ? "shape" : "rows",
      fmt::format("the plan would take about {:.1f} s and {:.0f} MB, and this server spends at most {:g} s "
                  "and {:g} MB on one: fewer steps (a larger every), rows per person or another shape "
                  "take less",
                  seconds, cost.bytes / 1e6, most.seconds, most.bytes / 1e6));
}

}  // namespace jme::service
