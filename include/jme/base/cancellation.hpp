#pragma once

#include <chrono>
#include <stop_token>

#include <jme/base/errors.hpp>

namespace jme {

/// A computation was stopped because nobody waits for it any more, or because it reached its deadline.
class Cancelled : public Error {
 public:
  using Error::Error;
};

/// While this object lives, long computations of the calling thread end with Cancelled soon after a stop was
/// requested or the deadline has passed:
///
///     const Cancellable scope(stop, std::chrono::steady_clock::now() + std::chrono::seconds(30));
///     const Plan plan = jme::plan(config);
///
/// Scopes may be nested; the innermost one counts.
class Cancellable {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Cancellable(std::stop_token stop, Clock::time_point deadline = Clock::time_point::max());
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;
  ~Cancellable();

 private:
  friend void check_cancelled();
  std::stop_token stop_;
  Clock::time_point deadline_;
  const Cancellable* outer_;
};

/// For loops whose turns take microseconds or more. Throws Cancelled inside a Cancellable scope that was
/// stopped; does nothing elsewhere.
void check_cancelled();

}  // namespace jme
