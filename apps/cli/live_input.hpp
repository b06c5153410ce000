#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <jme/data/input_options.hpp>
#include <jme/pipeline/running_stream.hpp>

#include "stop_signals.hpp"

namespace jme::cli {

/// Input that may make us wait for rows: meanwhile it does what is due, and it notices when the process is to
/// end.
class LiveInput {
 public:
  using Due = std::optional<std::chrono::steady_clock::time_point>;
  /// Does what is due, and says when something is due again. May throw to end the reading.
  using Work = std::function<Due()>;

  /// For InputOptions::before_read.
  [[nodiscard]] BeforeRead before_read();
  /// The stream whose commits may come due; it outlives the reading.
  void watch(RunningStream& stream);
  /// The same for other work.
  void meanwhile(Work work) { work_ = std::move(work); }
  /// Work that is done beside either of these.
  void also(Work work) { more_work_ = std::move(work); }
  /// Throws Stopped where the process is to end.
  void check() const { signals_.check(); }
  /// Does what is due for a while.
  void pause();

 private:
  void wait_for(int descriptor);
  [[nodiscard]] Due do_work() const;
  StopSignals signals_;
  Work work_, more_work_;
};

}  // namespace jme::cli
