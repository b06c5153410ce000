#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <jme/base/values.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/workload/workload.hpp>

namespace jme::cli {

/// A flag as the user wrote it; empty where it was not given. Parsed by the functions below, because the
/// command line's own conversions follow the locale and are less strict.
using Text = std::optional<std::string>;

/// Adds the option `names` ("--rows") that stores its text in `target`; `type` is what help calls the value.
CLI::Option* add_text(CLI::App& app, const std::string& names, Text& target, const std::string& type,
                      const std::string& description);

/// All of `text` as a number in the C locale; NaN and infinity pass, for the range check to name.
[[nodiscard]] double parse_real(std::string_view name, std::string_view text);
/// A finite number above 0.
[[nodiscard]] double parse_positive(std::string_view name, std::string_view text);
/// A whole number: "1000000" or exactly "1e6".
[[nodiscard]] std::size_t parse_count(std::string_view name, std::string_view text, std::size_t minimum = 1);
/// "a,b,c"; every part non-empty and no part twice.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view name, std::string_view text);

/// What help says of --shape and --workload.
inline constexpr const char* shape_help =
    "auto (default), identity, sqrt, banded:16, banded-inverse:16, blt:4, scaled-blt:4, dense or @matrix.npy";
inline constexpr const char* workload_help = "prefix, mean (default), decay:0.99, window:100 or @matrix.npy";

/// As the library reads them, and "@matrix.npy".
[[nodiscard]] Workload parse_workload(const std::string& text, std::string_view name);
[[nodiscard]] Shape parse_shape(const std::string& text, std::string_view name);

[[nodiscard]] SecondMoment parse_second(std::string_view text);
[[nodiscard]] std::string_view name(SecondMoment second);
[[nodiscard]] Objective parse_objective(std::string_view text);

}  // namespace jme::cli
