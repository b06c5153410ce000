#pragma once

#include <nanobind/nanobind.h>

namespace jme::python {

/// Questions that need no data, answered as the JSON that the command prints.
void bind_answers(nanobind::module_& m);

}  // namespace jme::python
