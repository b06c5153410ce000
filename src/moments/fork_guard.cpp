#include "moments/fork_guard.hpp"

#include <pthread.h>

#include <jme/base/errors.hpp>

namespace jme {

std::atomic<unsigned> ForkGuard::forks_{0};

ForkGuard::ForkGuard() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forks_.fetch_add(1, std::memory_order_relaxed); });
  if (registered != 0) throw Error("the system cannot say when a process forks");
  born_ = forks_.load(std::memory_order_relaxed);
}

void ForkGuard::refuse() {
  throw StateError(
      "the stream belongs to the process that this one was forked from: its noise would be used twice");
}

}  // namespace jme
