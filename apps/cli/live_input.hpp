#pragma once

#include <jme/data/row_reader.hpp>
#include <jme/pipeline/running_stream.hpp>

#include "stop_signals.hpp"

namespace jme::cli {

/// Where rows come from while they may have to be waited for: commits what is due meanwhile, and notices
/// when the process shall end.
class LiveInput {
 public:
  /// For InputOptions::before_read.
  [[nodiscard]] BeforeRead before_read();
  /// The stream whose commits may come due; it outlives the reading.
  void watch(RunningStream& stream) { stream_ = &stream; }
  /// Throws Stopped where the process shall end.
  void check() const { signals_.check(); }

 private:
  void wait_for(int descriptor);
  StopSignals signals_;
  RunningStream* stream_ = nullptr;
};

}  // namespace jme::cli
