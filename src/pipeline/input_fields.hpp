#pragma once

#include <vector>

#include <jme/pipeline/run_fields.hpp>

namespace jme::pipeline {

// Parts of run_fields(): how rows are read.
[[nodiscard]] std::vector<RunField> input_fields();
[[nodiscard]] std::vector<RunField> clock_fields();
[[nodiscard]] std::vector<RunField> search_fields();

}  // namespace jme::pipeline
