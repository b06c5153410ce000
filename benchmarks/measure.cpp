#include "measure.hpp"

#include <algorithm>
#include <chrono>

namespace jme::bench {

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<double> timed(const Effort& effort, const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  double total = 0;
  while (seconds.size() < effort.repetitions || total < effort.seconds) {
    seconds.push_back(seconds_of(work));
    total += seconds.back();
  }
  return seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Json rate(double items, const std::vector<double>& seconds) {
  const auto [fastest, slowest] = std::minmax_element(seconds.begin(), seconds.end());
  return {{"value", items / median(seconds)},
          {"low", items / *slowest},
          {"high", items / *fastest},
          {"turns", seconds.size()}};
}

}  // namespace jme::bench
