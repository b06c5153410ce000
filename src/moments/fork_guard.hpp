#pragma once

#include <atomic>

namespace jme {

/// Knows whether the process is a child that was forked after the guard was made: in such a child, a stream
/// would add its parent's noise to other rows.
class ForkGuard {
 public:
  ForkGuard();
  /// Throws StateError in such a child.
  void check() const {
    if (forks_.load(std::memory_order_relaxed) != born_) refuse();
  }

 private:
  [[noreturn]] static void refuse();
  static std::atomic<unsigned> forks_;  // how many forks this process is away from the first one
  unsigned born_;
};

}  // namespace jme
