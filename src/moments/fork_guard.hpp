#pragma once

#include <atomic>

namespace jme {

/// Knows whether the process is a child that was forked after the guard was made: a stream there would add
/// its parent's noise to other rows.
class ForkGuard {
 public:
  ForkGuard();
  [[nodiscard]] bool is_in_child() const { return forks_.load(std::memory_order_relaxed) != born_; }

 private:
  static std::atomic<unsigned> forks_;  // that this process is away from the first one
  unsigned born_;
};

}  // namespace jme
