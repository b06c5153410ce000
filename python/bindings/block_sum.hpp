#pragma once

#include <nanobind/nanobind.h>

namespace jme::python {

/// jme._core.BlockSum: sums of rows that are made in another place than their stream.
void bind_block_sum(nanobind::module_& m);

}  // namespace jme::python
