#pragma once

#include <optional>

#include <CLI/CLI.hpp>

#include <jme/store/durable_stream.hpp>

#include "parse.hpp"

namespace jme::cli {

/// --state and what belongs to it.
struct StateFlags {
  Text state, source, stream, commit_interval, max_mu;
  bool leave_open = false;

  void attach(CLI::App& app);
  /// The flags, checked; none without --state.
  [[nodiscard]] std::optional<DurableOptions> options() const;
};

}  // namespace jme::cli
