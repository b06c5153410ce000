#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <jme/base/parse.hpp>
#include <jme/base/values.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/workload/workload.hpp>

namespace jme::cli {

/// A flag as the user wrote it; empty where it was not given. Parsed by the library, because the
/// command line's own conversions follow the locale and are less strict.
using Text = std::optional<std::string>;

/// Adds the option `names` ("--rows") that stores its text in `target`; `type` is what help calls the value.
CLI::Option* add_text(CLI::App& app, const std::string& names, Text& target, const std::string& type,
                      const std::string& description);

/// What help says of --shape and --workload.
[[nodiscard]] std::string shape_help();
[[nodiscard]] std::string workload_help();

/// As the library reads them, and "@matrix.npy".
[[nodiscard]] Workload parse_workload(const std::string& text, std::string_view name);
[[nodiscard]] Shape parse_shape(const std::string& text, std::string_view name);

[[nodiscard]] Objective parse_objective(std::string_view text);

}  // namespace jme::cli
