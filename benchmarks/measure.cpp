#include "measure.hpp"

#include <algorithm>
#include <ctime>

namespace jme::bench {

namespace {

double now(Clock clock) {
  timespec time{};
  clock_gettime(clock == Clock::processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

double seconds_of(const std::function<void()>& work, Clock clock) {
  const double begin = now(clock);
  work();
  return now(clock) - begin;
}

std::vector<double> timed(const Effort& effort, const std::function<void()>& work, Clock clock) {
  work();
  std::vector<double> seconds;
  double total = 0;
  while (seconds.size() < effort.repetitions || total < effort.seconds) {
    seconds.push_back(seconds_of(work, clock));
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
