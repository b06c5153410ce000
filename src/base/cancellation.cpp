#include <utility>

#include <jme/base/cancellation.hpp>

namespace jme {

namespace {

thread_local const Cancellable* innermost = nullptr;

}  // namespace

Cancellable::Cancellable(std::stop_token stop, Clock::time_point deadline)
    : stop_(std::move(stop)), deadline_(deadline), outer_(std::exchange(innermost, this)) {}

Cancellable::~Cancellable() {
  innermost = outer_;
}

void check_cancelled() {
  if (innermost == nullptr) return;
  if (innermost->stop_.stop_requested()) throw Cancelled("the computation was stopped");
  if (Cancellable::Clock::now() >= innermost->deadline_) {
    throw Cancelled("the computation took too long and was stopped");
  }
}

}  // namespace jme
