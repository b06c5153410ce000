#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <jme/columns/bounds.hpp>
#include <jme/columns/missing.hpp>
#include <jme/data/row_reader.hpp>

#include "parse.hpp"
#include "stream_flags.hpp"

namespace jme::cli {

/// Where rows come from and how their columns are read; nothing is opened.
struct Input {
  std::string path;  ///< "-" is standard input
  InputOptions options;
  std::optional<ColumnBounds> bounds{};
  MissingRules missing{};

  /// What the flags alone say about the stream: with bounds the norm bound is sqrt(d).
  [[nodiscard]] StreamFlags::FromColumns from_columns() const;
  /// Whether the input itself says publicly which columns there are: a CSV header or a .npy shape.
  [[nodiscard]] bool has_header() const;
  /// What a record is, where that was a choice (CSV); empty elsewhere.
  [[nodiscard]] std::string records_name() const;

  /// True where columns that nobody named are called 1, 2, ...: no header, no keys.
  [[nodiscard]] bool has_numbered_columns() const;
};

/// From the name of the file (none: standard input) and the settings, checked.
[[nodiscard]] Input read_input(const Text& file, const RunSettings& settings);

}  // namespace jme::cli
