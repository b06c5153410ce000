#pragma once

#include <CLI/CLI.hpp>

#include <jme/base/horizon.hpp>

#include "parse.hpp"

namespace jme::cli {

/// --rows or --steps, and --every: how long the stream may be and when it publishes.
struct HorizonFlags {
  Text rows, steps, every;

  void attach(CLI::App& app);
  /// Throws with an explanation of what a horizon is where neither length was given.
  [[nodiscard]] Horizon horizon() const;
};

}  // namespace jme::cli
