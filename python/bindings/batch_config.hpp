#pragma once

#include <nanobind/nanobind.h>

#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/training/clipped_sums.hpp>

namespace jme::python {

/// What is public before the first batch, from a dictionary whose keys are the members' names (budget,
/// participation and square_clip flattened).
[[nodiscard]] BatchConfig batch_config_of(const nanobind::dict& settings);

/// How a mechanism's batches must be clipped.
[[nodiscard]] Clipping clipping_of(const BatchMechanism& mechanism);

}  // namespace jme::python
