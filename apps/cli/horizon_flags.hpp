#pragma once

#include <CLI/CLI.hpp>

#include "parse.hpp"

namespace jme::cli {

/// --rows or --steps, and --every: how long the stream may be and when it publishes.
struct HorizonFlags {
  Text rows, steps, every;

  void attach(CLI::App& app);
};

}  // namespace jme::cli
