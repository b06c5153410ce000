#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <jme/base/errors.hpp>

namespace jme::python {

/// Keeps other threads away from what a call changes without the interpreter's lock. Entered and left with
/// that lock.
class OneThread {
 public:
  /// `what`: what is at work, in messages.
  explicit OneThread(const char* what) : what_(what) {}
  /// Whether another thread is inside.
  [[nodiscard]] bool is_elsewhere() const { return depth_ > 0 && PyThread_get_thread_ident() != thread_; }
  /// The same thread may enter again; true when it was not inside. Throws StateError while another one is.
  bool enter() {
    if (is_elsewhere()) throw StateError(fmt::format("{} at work in another thread", what_));
    thread_ = PyThread_get_thread_ident();
    return depth_++ == 0;
  }
  void leave() { --depth_; }

  class Use {
   public:
    explicit Use(OneThread& thread) : thread_(thread) { thread.enter(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { thread_.leave(); }

   private:
    OneThread& thread_;
  };

 private:
  const char* what_;
  unsigned long thread_ = 0;
  unsigned depth_ = 0;
};

}  // namespace jme::python
