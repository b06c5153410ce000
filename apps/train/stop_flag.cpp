#include "stop_flag.hpp"

#include <csignal>
#include <cstdlib>
#include <initializer_list>

namespace jme::train {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) {
  received = signal;
}

}  // namespace

StopFlag::StopFlag() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // background jobs set this
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

StopFlag::~StopFlag() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction current {};
    ::sigaction(signal, nullptr, &current);
    if (current.sa_handler == remember) std::signal(signal, SIG_DFL);
  }
}

bool StopFlag::is_set() const {
  return received != 0;
}

void StopFlag::die() const {
  const int signal = received;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace jme::train
