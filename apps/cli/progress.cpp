#include "progress.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace jme::cli {

namespace {

constexpr int bar_width = 30;
constexpr auto redraw_after = std::chrono::milliseconds(100);

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

void wipe_line() {
  std::fputs(("\r" + std::string(79, ' ') + "\r").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(bool quiet, std::size_t horizon_rows)
    : shown_(!quiet && ::isatty(STDERR_FILENO) == 1),
      colour_(wants_colour()),
      horizon_rows_(horizon_rows),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (drawn_) wipe_line();
}

bool Progress::is_due() {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - last_ < redraw_after) return false;
  last_ = now;
  drawn_ = true;
  return true;
}

std::string Progress::bar(double part) const {
  const int filled = static_cast<int>(part * bar_width);
  return fmt::format("{}{}{}{}", colour_ ? "\x1b[32m" : "",
                     std::string(static_cast<std::size_t>(filled), '#'), colour_ ? "\x1b[0m" : "",
                     std::string(static_cast<std::size_t>(bar_width - filled), '.'));
}

void Progress::update_fraction(double fraction) {
  if (!is_due()) return;
  const double part = std::clamp(fraction, 0.0, 1.0);
  fmt::print(stderr, "\r[{}] {:3.0f}%  read   ", bar(part), 100 * part);
  std::fflush(stderr);
}

void Progress::update(std::size_t rows, std::optional<double> fraction) {
  if (!is_due()) return;
  const double part =
      std::clamp(fraction.value_or(static_cast<double>(rows) /
                                   static_cast<double>(std::max<std::size_t>(horizon_rows_, 1))),
                 0.0, 1.0);
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  fmt::print(stderr, "\r[{}] {:3.0f}%  {} rows  {:.3g} rows/s   ", bar(part), 100 * part, rows,
             static_cast<double>(rows) / seconds);
  std::fflush(stderr);
}

Preparing::Preparing(std::string what) : what_(std::move(what)) {
  if (::isatty(STDERR_FILENO) != 1) return;
  // Only the thread that does the work receives signals.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  teller_ = std::thread(&Preparing::tell, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Preparing::~Preparing() {
  if (!teller_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
  }
  finished_.notify_one();
  teller_.join();
}

void Preparing::tell() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!finished_.wait_for(lock, 1s, [this] { return is_finished_; })) {
    fmt::print(stderr, "\r{} ... {} s ", what_, ++seconds);
    std::fflush(stderr);
  }
  if (seconds > 0) wipe_line();
}

}  // namespace jme::cli
