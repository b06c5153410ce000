#pragma once

#include <chrono>
#include <exception>
#include <optional>

namespace jme::cli {

/// The user or the system asked the process to end (SIGINT, SIGTERM), and it has reached a point where it can
/// do so.
class Stopped : public std::exception {
 public:
  explicit Stopped(int signal) : signal_(signal) {}
  [[nodiscard]] int signal() const { return signal_; }
  [[nodiscard]] const char* what() const noexcept override { return "stopped by a signal"; }

 private:
  int signal_;
};

/// While it lives, the first SIGINT or SIGTERM is kept for check(); a second one ends the process at once.
/// Only one such object may exist at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// Throws Stopped where a signal came.
  void check() const;
  /// Waits until `descriptor` can be read (true) or the time has come (false). Throws Stopped.
  [[nodiscard]] bool wait_readable(int descriptor,
                                   std::optional<std::chrono::steady_clock::time_point> until) const;
};

/// Ends the process as if the signal had no handler, so that a shell sees what happened.
[[noreturn]] void die_of(int signal);

}  // namespace jme::cli
