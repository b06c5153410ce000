#pragma once

#include <chrono>
#include <cstddef>

#include "training.hpp"

namespace jme::train {

/// A line on stderr with the last accuracy and the epsilon spent so far. For people: only where stderr is a
/// terminal.
class Progress {
 public:
  explicit Progress(const Training& training);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(std::size_t done);
  /// Before something else is printed.
  void wipe();

 private:
  const Training* training_;
  bool shown_, colour_, drawn_ = false;
  std::size_t start_steps_;
  std::chrono::steady_clock::time_point start_, last_;
  // Accounting takes a moment, so epsilon is computed for a step a little ahead, and shown until that step is
  // reached.
  std::size_t accounted_ = 0;
  std::string epsilon_{};
};

}  // namespace jme::train
