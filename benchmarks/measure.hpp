#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <nlohmann/json.hpp>

namespace jme::bench {

using Json = nlohmann::ordered_json;

/// How long to measure: a figure is the median of at least `repetitions` turns and of as many as fit into
/// `seconds`.
struct Effort {
  double seconds;
  std::size_t repetitions;

  [[nodiscard]] Effort shorter(double factor) const { return {seconds * factor, repetitions}; }
};

/// One thread is timed by the processor time it used: on a quiet machine this equals the wall-clock time, and
/// on a busy one it leaves out what others used. Several threads are timed by the wall clock.
enum class Clock { processor, wall };

/// Seconds of every turn, after a first turn that is not counted: it fills caches and wakes the processor.
[[nodiscard]] std::vector<double> timed(const Effort& effort, const std::function<void()>& work,
                                        Clock clock = Clock::processor);
/// Seconds of one call.
[[nodiscard]] double seconds_of(const std::function<void()>& work, Clock clock = Clock::processor);
[[nodiscard]] double median(std::vector<double> values);

/// {"value": median of items/seconds, "low": .., "high": .., "turns": ..}: the slowest and the fastest turn
/// are given beside the median.
[[nodiscard]] Json rate(double items, const std::vector<double>& seconds);

}  // namespace jme::bench
