#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include <jme/pipeline/configure.hpp>

namespace jme::python {

/// Finds the numbers of workloads and shapes that are written "@name" among arrays by their names.
[[nodiscard]] MatrixReader matrix_reader(const nanobind::dict& matrices);

void bind_settings(nanobind::module_& m);

}  // namespace jme::python
