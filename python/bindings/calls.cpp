#include "bindings/calls.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <pthread.h>
#include <unistd.h>

namespace nb = nanobind;

namespace jme::python {

namespace {

/// A stride takes milliseconds, a commit to a slow disk may take seconds.
constexpr std::chrono::seconds longest_wait{10};

std::atomic<int> threads_inside = 0;
std::atomic<bool> is_ending = false;
pthread_t ending_thread;  // set before is_ending
thread_local int depth = 0;

[[noreturn]] void sleep_to_the_end() {
  if (depth > 0) --threads_inside;
  PyEval_SaveThread();
  for (;;) pause();
}

void wait_for_other_threads() {
  ending_thread = pthread_self();
  is_ending = true;
  const int own = depth > 0 ? 1 : 0;
  const nb::gil_scoped_release released;
  const auto begin = std::chrono::steady_clock::now();
  while (threads_inside > own && std::chrono::steady_clock::now() - begin < longest_wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Call::Call() {
  if (depth++ == 0) ++threads_inside;
  if (is_ending && pthread_equal(pthread_self(), ending_thread) == 0) sleep_to_the_end();
}

Call::~Call() {
  if (--depth == 0) --threads_inside;
}

void watch_the_end() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(wait_for_other_threads));
  // A child has one thread.
  pthread_atfork(nullptr, nullptr, [] { threads_inside = depth > 0 ? 1 : 0; });
}

}  // namespace jme::python
