#include "live_input.hpp"

#include <chrono>
#include <optional>

namespace jme::cli {

BeforeRead LiveInput::before_read() {
  return [this](int descriptor) {
    if (stream_ != nullptr) {
      wait_for(descriptor);
    } else {
      static_cast<void>(signals_.wait_readable(descriptor, std::nullopt));
    }
  };
}

void LiveInput::wait_for(int descriptor) {
  const auto is_due = [&] {
    const auto due = stream_->commit_due();
    return due && std::chrono::steady_clock::now() >= *due;
  };
  do {
    if (is_due()) stream_->flush();
  } while (!signals_.wait_readable(descriptor, stream_->commit_due()));
}

}  // namespace jme::cli
