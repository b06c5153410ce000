#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <jme/data/input_options.hpp>
#include <jme/pipeline/run_settings.hpp>

#include "parse.hpp"

namespace jme::cli {

/// Where rows come from and how they are read; nothing is opened.
struct Input {
  std::string path;  ///< "-" is standard input
  InputOptions options;

  /// Whether the input itself says publicly which columns there are: a CSV header or a .npy shape.
  [[nodiscard]] bool has_header() const;
  /// What a record is, where that was a choice (CSV); empty elsewhere.
  [[nodiscard]] std::string records_name() const;

  /// True where columns that nobody named are called 1, 2, ...: no header, no keys.
  [[nodiscard]] bool has_numbered_columns() const;
};

/// How many threads read; as many as there are processors unless somebody says so.
[[nodiscard]] std::size_t reading_threads(std::optional<unsigned> asked);

/// Says on stderr that rows are read from the terminal, where they are: nothing else would show that it
/// waits.
void tell_terminal(const Input& input);

/// From the name of the file (none: standard input) and the settings, checked.
[[nodiscard]] Input read_input(const Text& file, const RunSettings& settings);

}  // namespace jme::cli
