#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <nlohmann/json.hpp>

namespace jme::bench {

using Json = nlohmann::ordered_json;

/// How long to look: a figure is the median of at least `repetitions` turns and of as many as fit `seconds`.
struct Effort {
  double seconds;
  std::size_t repetitions;

  [[nodiscard]] Effort shorter(double factor) const { return {seconds * factor, repetitions}; }
};

/// Seconds of every turn, after one that is not counted: it fills caches and wakes the processor.
[[nodiscard]] std::vector<double> timed(const Effort& effort, const std::function<void()>& work);
/// Seconds of one call.
[[nodiscard]] double seconds_of(const std::function<void()>& work);
[[nodiscard]] double median(std::vector<double> values);

/// {"value": median of items/seconds, "low": .., "high": .., "turns": ..}: the slowest and the fastest turn
/// stand beside the median, so that a figure from a busy machine can be told from a good one.
[[nodiscard]] Json rate(double items, const std::vector<double>& seconds);

}  // namespace jme::bench
