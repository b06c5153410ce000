#pragma once

#include <string_view>

#include <CLI/CLI.hpp>

#include <jme/pipeline/run_settings.hpp>

namespace jme::cli {

/// Adds the flag of one field of the table; what is given on the command line is stored in `given`.
void add_field(CLI::App& app, RunSettings& given, std::string_view name);
/// Adds the flags of a group of them ("Privacy").
void add_fields(CLI::App& app, RunSettings& given, std::string_view group);

}  // namespace jme::cli
