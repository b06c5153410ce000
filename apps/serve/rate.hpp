#pragma once

#include <algorithm>
#include <chrono>

namespace jme::serve {

/// How often something may happen: so many times at once, and so many per second in the long run.
class Rate {
 public:
  using Clock = std::chrono::steady_clock;

  Rate(double most, double per_second) : most_(most), per_second_(per_second), left_(most) {}

  /// Seconds until it may happen; 0: it may, and counts.
  [[nodiscard]] double wait(Clock::time_point now) {
    if (now > at_) {
      left_ = std::min(most_, left_ + std::chrono::duration<double>(now - at_).count() * per_second_);
      at_ = now;
    }
    if (left_ < 1) return (1 - left_) / per_second_;
    left_ -= 1;
    return 0;
  }

 private:
  double most_, per_second_, left_;
  Clock::time_point at_ = Clock::now();
};

}  // namespace jme::serve
