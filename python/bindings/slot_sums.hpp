#pragma once

#include <nanobind/nanobind.h>

namespace jme::python {

/// Sums of rows with times of their own, by slots of time.
void bind_slot_sums(nanobind::module_& m);

}  // namespace jme::python
