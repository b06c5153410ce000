#include "live_input.hpp"

#include <algorithm>

namespace jme::cli {

namespace {

using Clock = std::chrono::steady_clock;

// How often a file that is followed is looked at.
constexpr auto look_again_after = std::chrono::milliseconds(100);

}  // namespace

BeforeRead LiveInput::before_read() {
  return [this](int descriptor) {
    if (descriptor < 0) {
      pause();
    } else {
      wait_for(descriptor);
    }
  };
}

void LiveInput::watch(RunningStream& stream) {
  work_ = [&stream]() -> Due {
    const Due due = stream.commit_due();
    if (due && Clock::now() >= *due) stream.flush();
    return stream.commit_due();
  };
}

LiveInput::Due LiveInput::do_work() const {
  const Due first = work_ ? work_() : std::nullopt;
  const Due second = more_work_ ? more_work_() : std::nullopt;
  return first && second ? std::min(*first, *second) : first ? first : second;
}

void LiveInput::pause() {
  const Clock::time_point end = Clock::now() + look_again_after;
  const Due due = do_work();
  static_cast<void>(signals_.wait_readable(-1, due ? std::min(*due, end) : end));
}

// What is due when bytes arrive is done before they are read.
void LiveInput::wait_for(int descriptor) {
  while (!signals_.wait_readable(descriptor, do_work())) {
  }
  static_cast<void>(do_work());
}

}  // namespace jme::cli
