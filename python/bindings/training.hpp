#pragma once

#include <nanobind/nanobind.h>

namespace jme::python {

/// BatchMechanism, BatchSampler, ClippedSums and the figures that belong to them.
void bind_training(nanobind::module_& m);
/// Adam.
void bind_adam(nanobind::module_& m);

}  // namespace jme::python
