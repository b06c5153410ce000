#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <jme/base/parse.hpp>
#include <jme/base/values.hpp>

namespace jme::cli {

/// A flag as the user wrote it; empty where it was not given. Parsed by the library, because the
/// command line's own conversions follow the locale and are less strict.
using Text = std::optional<std::string>;

/// Adds the option `names` ("--rows") that stores its text in `target`; `type` is the name of the value in
/// help.
CLI::Option* add_text(CLI::App& app, const std::string& names, Text& target, const std::string& type,
                      const std::string& description);

/// What help says of --shape and --workload.
[[nodiscard]] std::string shape_help();
[[nodiscard]] std::string workload_help();

}  // namespace jme::cli
