#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace jme::train {
namespace {

constexpr std::size_t bar_width = 24;
constexpr auto redraw_after = std::chrono::milliseconds(200);

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

std::string time_text(double seconds) {
  const auto whole = static_cast<long>(seconds);
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(const Training& training)
    : training_(&training),
      shown_(::isatty(STDERR_FILENO) == 1),
      colour_(wants_colour()),
      start_steps_(training.steps_done()),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() {
  wipe();
}

void Progress::wipe() {
  if (!drawn_) return;
  std::fputs(("\r" + std::string(99, ' ') + "\r").c_str(), stderr);
  std::fflush(stderr);
  drawn_ = false;
}

void Progress::update(std::size_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now - last_ < redraw_after) return;
  last_ = now;
  drawn_ = true;
  const std::size_t all = training_->steps();
  if (const BatchMechanism* mechanism = training_->mechanism(); mechanism != nullptr && done > accounted_) {
    accounted_ = std::min(done + all / 50, all);
    const bool states = mechanism->is_private() && !training_->config().insecure_test_seed;
    epsilon_ = states ? fmt::format("  epsilon {:.3g}",
                                    mechanism->privacy(training_->config().delta, accounted_).epsilon)
                      : "  epsilon none";
  }
  const auto& evaluations = training_->evaluations();
  const std::string accuracy =
      evaluations.empty() ? "" : fmt::format("  accuracy {:.1f}%", 100 * evaluations.back().accuracy);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left = seconds * static_cast<double>(all - done) /
                      static_cast<double>(std::max<std::size_t>(done - start_steps_, 1));
  const std::size_t filled = bar_width * done / all;
  fmt::print(stderr, "\r[{}{}{}{}] {}/{}{}{}  {} left   ", colour_ ? "\x1b[32m" : "",
             std::string(filled, '#'), colour_ ? "\x1b[0m" : "", std::string(bar_width - filled, '.'), done,
             all, accuracy, epsilon_, time_text(left));
  std::fflush(stderr);
}

}  // namespace jme::train
