#pragma once

#include <nanobind/nanobind.h>

namespace jme::python {

/// Durable streams that take sums of rows under ids, as the server has them, inside this process.
void bind_service(nanobind::module_& m);

}  // namespace jme::python
