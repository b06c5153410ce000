#pragma once

namespace jme::train {

/// While it lives, the first SIGINT or SIGTERM is remembered, so that a training can be saved before it ends;
/// a second one ends the process at once.
class StopFlag {
 public:
  StopFlag();
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;
  ~StopFlag();

  [[nodiscard]] bool is_set() const;
  /// Ends the process as if the signal had no handler, so that a shell sees what happened.
  [[noreturn]] void die() const;
};

}  // namespace jme::train
