#pragma once

#include <jme/mechanism/stream_config.hpp>

namespace jme {

/// What it takes to make a mechanism, before anything is computed.
struct PlanCost {
  double seconds;  ///< on one core of 2.5 GHz or more with nothing else on it
  double bytes;    ///< of memory, at the peak
};

/// An upper estimate for one Mechanism with this configuration, and the errors that a plan predicts for it.
/// It follows from sizes alone: steps, shapes, and rows of a person. Its constants were measured
/// (theory/GUARANTEES.md). Throws InvalidParameter where the horizon is not one.
[[nodiscard]] PlanCost plan_cost(const StreamConfig& config);

}  // namespace jme
