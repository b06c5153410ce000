#pragma once

#include <nanobind/nanobind.h>

namespace jme::python {

/// jme._core.RowCollector, for iterables of rows.
void bind_collector(nanobind::module_& m);

}  // namespace jme::python
