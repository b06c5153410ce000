#include "stop_signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <jme/base/errors.hpp>

namespace jme::cli {

namespace {

constexpr std::array signals{SIGINT, SIGTERM};

// A signal handler may touch only these: a flag, and a pipe that wakes a poll.
volatile std::sig_atomic_t received = 0;
std::array<int, 2> wake{-1, -1};
std::array<struct sigaction, signals.size()> before{};

void remember(int signal) {
  const int error = errno;
  received = signal;
  const char byte = 0;
  static_cast<void>(!::write(wake[1], &byte, 1));
  errno = error;
}

}  // namespace

StopSignals::StopSignals() {
  if (::pipe2(wake.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw Error("no pipe for signals");
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_IGN) continue;  // nohup and background jobs set this
    struct sigaction action {};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before[i], nullptr);
  for (int& end : wake) {
    ::close(end);
    end = -1;
  }
}

void StopSignals::check() const {
  if (received != 0) throw Stopped(received);
}

bool StopSignals::wait_readable(int descriptor,
                                std::optional<std::chrono::steady_clock::time_point> until) const {
  using std::chrono::milliseconds;
  for (;;) {
    check();
    int timeout = -1;
    if (until) {
      const auto left = std::chrono::ceil<milliseconds>(*until - std::chrono::steady_clock::now()).count();
      timeout = static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
    }
    std::array<pollfd, 2> waiting{{{descriptor, POLLIN, 0}, {wake[0], POLLIN, 0}}};
    const int ready = ::poll(waiting.data(), waiting.size(), timeout);
    if (ready < 0 && errno != EINTR) throw Error("waiting for input failed");
    check();
    if (ready > 0 && waiting[0].revents != 0) return true;  // the read will report an error
    if (ready == 0) return false;
  }
}

void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace jme::cli
