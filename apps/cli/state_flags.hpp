#pragma once

#include <optional>

#include <CLI/CLI.hpp>

#include <jme/data/row_reader.hpp>
#include <jme/output/metadata.hpp>
#include <jme/store/durable_stream.hpp>

#include "parse.hpp"
#include "running_stream.hpp"
#include "stop_signals.hpp"

namespace jme::cli {

/// --state and what belongs to it.
struct StateFlags {
  Text state, source, stream, commit_interval, max_mu;
  bool leave_open = false;

  void attach(CLI::App& app);
  /// The flags, checked; none without --state.
  [[nodiscard]] std::optional<DurableOptions> options() const;
};

/// Where rows come from while they may have to be waited for: commits what is due meanwhile, and notices
/// when the process shall end.
class LiveInput {
 public:
  /// For InputOptions::before_read.
  [[nodiscard]] BeforeRead before_read();

 private:
  friend class DurableRun;
  StopSignals signals_;
  class DurableRun* run_ = nullptr;
};

/// A run whose stream survives the process.
class DurableRun final : public RunningStream {
 public:
  DurableRun(const RunDescription& run, const std::vector<std::string>& columns, DurableOptions options,
             bool leave_open, LiveInput& input, Publish publish);
  DurableRun(const DurableRun&) = delete;
  DurableRun& operator=(const DurableRun&) = delete;
  ~DurableRun() override;

  void push(std::span<const double> row, std::span<const double> as_read) override;
  void end_input() override;
  void flush() override;
  void stop() override;
  [[nodiscard]] const Release* newest() const override { return stream_.newest(); }
  [[nodiscard]] std::size_t rows() const override { return stream_.rows(); }

 private:
  friend class LiveInput;
  void wait_for(int descriptor);
  void drain();
  DurableStream stream_;
  bool leave_open_;
  LiveInput& input_;
  Publish publish_;
};

}  // namespace jme::cli
