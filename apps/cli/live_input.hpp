#pragma once

#include <jme/data/row_reader.hpp>
#include <jme/pipeline/running_stream.hpp>

#include "stop_signals.hpp"

namespace jme::cli {

/// Input that may make us wait for rows: meanwhile it commits what is due, and it notices when the process is
/// to end.
class LiveInput {
 public:
  /// For InputOptions::before_read.
  [[nodiscard]] BeforeRead before_read();
  /// The stream whose commits may come due; it outlives the reading.
  void watch(RunningStream& stream) { stream_ = &stream; }
  /// Throws Stopped where the process is to end.
  void check() const { signals_.check(); }

 private:
  void wait_for(int descriptor);
  StopSignals signals_;
  RunningStream* stream_ = nullptr;
};

}  // namespace jme::cli
