#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include <jme/base/horizon.hpp>
#include <jme/mechanism/stream_config.hpp>
#include <jme/pipeline/run_settings.hpp>
#include <jme/theory/plan.hpp>

#include "parse.hpp"

namespace jme::cli {

/// --rows or --steps, and --every: how long the stream may be and when it publishes.
struct HorizonFlags {
  Text rows, steps, every;

  void attach(CLI::App& app);
  /// Throws with an explanation of what a horizon is where neither length was given.
  [[nodiscard]] Horizon horizon() const;
  [[nodiscard]] bool is_unbounded() const;
};

/// The settings that `plan` and `run` share: everything that is public before the first row.
class StreamFlags {
 public:
  static void attach(CLI::App& app, RunSettings& given);

  /// `typed`: what stands on the command line, for notes about flags that change nothing; `settings` may have
  /// more from a file. Both outlive this.
  StreamFlags(const RunSettings& settings, const RunSettings& typed) : settings_(settings), typed_(typed) {}

  /// What the columns and their bounds say about a stream, where they say it.
  struct FromColumns {
    std::optional<std::size_t> dimension;
    std::optional<double> norm_bound;
  };
  /// Throws InvalidParameter for whatever can be told without the data.
  [[nodiscard]] StreamConfig config(const FromColumns& columns = {}) const;
  /// What `plan` shall compare: only what was named.
  [[nodiscard]] PlanScope scope(const StreamConfig& config) const;
  /// These flags with the method and shapes of a candidate, as they are typed.
  [[nodiscard]] std::string with_choice(const PlanCandidate& candidate) const;

 private:
  [[nodiscard]] const Text& text(std::string_view field) const { return settings_[field]; }
  [[nodiscard]] bool typed(std::string_view field) const { return typed_[field].has_value(); }
  [[nodiscard]] HorizonFlags horizon() const;
  [[nodiscard]] std::optional<std::size_t> given_dimension() const;
  [[nodiscard]] Budget budget() const;
  void set_balance(StreamConfig& config) const;
  void note_unused(const StreamConfig& config) const;
  const RunSettings& settings_;
  const RunSettings& typed_;
};

}  // namespace jme::cli
