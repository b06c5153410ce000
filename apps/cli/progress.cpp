#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

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

}  // namespace

Progress::Progress(bool quiet, std::size_t horizon_rows)
    : shown_(!quiet && ::isatty(STDERR_FILENO) == 1),
      colour_(wants_colour()),
      horizon_rows_(horizon_rows),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (!drawn_) return;
  std::fputs(("\r" + std::string(79, ' ') + "\r").c_str(), stderr);
  std::fflush(stderr);
}

void Progress::update(std::size_t rows, std::optional<double> fraction) {
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < redraw_after) return;
  last_ = now;
  drawn_ = true;
  const double part =
      std::clamp(fraction.value_or(static_cast<double>(rows) /
                                   static_cast<double>(std::max<std::size_t>(horizon_rows_, 1))),
                 0.0, 1.0);
  const int filled = static_cast<int>(part * bar_width);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string bar =
      fmt::format("{}{}{}", colour_ ? "\x1b[32m" : "", std::string(static_cast<std::size_t>(filled), '#'),
                  colour_ ? "\x1b[0m" : "");
  fmt::print(stderr, "\r[{}{}] {:3.0f}%  {} rows  {:.3g} rows/s   ", bar,
             std::string(static_cast<std::size_t>(bar_width - filled), '.'), 100 * part, rows,
             static_cast<double>(rows) / seconds);
  std::fflush(stderr);
}

}  // namespace jme::cli
