#pragma once

#include <CLI/CLI.hpp>

#include <jme/base/field.hpp>
#include <jme/pipeline/run_settings.hpp>

namespace jme::cli {

/// Adds the flags of the settings that a command has: Field::runs or Field::searches. What is given on the
/// command line is stored in `given`.
void add_fields(CLI::App& app, RunSettings& given, Field::Front front);

}  // namespace jme::cli
