#pragma once

#include <cstddef>
#include <optional>

#include <CLI/CLI.hpp>

#include <jme/base/horizon.hpp>
#include <jme/mechanism/stream_config.hpp>
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

/// The flags that `plan` and `run` share: everything that is public before the first row.
struct StreamFlags {
  Text epsilon, delta, sigma, dimension, norm_bound;
  HorizonFlags horizon;
  Text workload, workload2, second, method, shape, shape2, lambda, alpha, tau, balance;
  Text adjacency, participations, separation, objective, max_state_vectors, threads;

  void attach(CLI::App& app);

  /// What the columns and their bounds say about a stream, where they say it.
  struct FromColumns {
    std::optional<std::size_t> dimension;
    std::optional<double> norm_bound;
  };
  /// Throws InvalidParameter for whatever can be told without the data.
  [[nodiscard]] StreamConfig config(const FromColumns& columns = {}) const;
  /// --dimension, where given.
  [[nodiscard]] std::optional<std::size_t> given_dimension() const;
  /// What `plan` shall compare: only what was named.
  [[nodiscard]] PlanScope scope(const StreamConfig& config) const;

 private:
  [[nodiscard]] Budget budget() const;
  void set_balance(StreamConfig& config) const;
  void note_unused(const StreamConfig& config) const;
};

}  // namespace jme::cli
