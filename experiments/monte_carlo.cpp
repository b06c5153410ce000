#include "experiments/monte_carlo.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include <boost/math/distributions/students_t.hpp>

namespace jme::experiments {
namespace {

// Steele, Lea, Flood 2014 (SplitMix64): it turns neighbouring numbers into unrelated ones.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

Sample sample_of(const std::vector<double>& values, std::size_t statistics, std::size_t which) {
  const std::size_t runs = values.size() / statistics;
  const auto n = static_cast<double>(runs);
  double sum = 0;
  for (std::size_t r = 0; r < runs; ++r) sum += values[r * statistics + which];
  const double mean = sum / n;
  double squares = 0;
  for (std::size_t r = 0; r < runs; ++r) {
    const double off = values[r * statistics + which] - mean;
    squares += off * off;
  }
  std::vector<double> sorted(runs);
  for (std::size_t r = 0; r < runs; ++r) sorted[r] = values[r * statistics + which];
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double part) { return sorted[static_cast<std::size_t>(part * (n - 1) + 0.5)]; };
  return {.mean = mean,
          .deviation = runs > 1 ? std::sqrt(squares / (n - 1)) : 0,
          .low = quantile(0.16),
          .high = quantile(0.84),
          .runs = runs};
}

}  // namespace

double Sample::std_error() const {
  return deviation / std::sqrt(static_cast<double>(runs));
}

double Sample::distance(double expected) const {
  return std::abs(mean - expected) / std_error();
}

double Sample::limit(double false_alarm) const {
  const boost::math::students_t law(static_cast<double>(runs - 1));
  return boost::math::quantile(boost::math::complement(law, false_alarm / 2));
}

double Sample::chance(double expected) const {
  const boost::math::students_t law(static_cast<double>(runs - 1));
  return 2 * boost::math::cdf(boost::math::complement(law, distance(expected)));
}

InsecureTestSeed run_seed(const Effort& effort, std::string_view what, std::size_t run) {
  std::uint64_t value = mixed(effort.seed);
  for (const char letter : what) value = mixed(value ^ static_cast<unsigned char>(letter));
  return {mixed(value ^ run)};
}

std::vector<Sample> monte_carlo(const Effort& effort, std::size_t runs, std::size_t statistics,
                                const std::function<void(std::size_t, std::span<double>)>& simulate) {
  std::vector<double> values(runs * statistics);
  std::atomic<std::size_t> next{0}, done{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&](bool reports) {
    try {
      for (std::size_t run = next++; run < runs; run = next++) {
        simulate(run, std::span(values).subspan(run * statistics, statistics));
        const std::size_t finished = ++done;
        if (reports) effort.progress(static_cast<double>(finished) / static_cast<double>(runs));
      }
    } catch (...) {
      const std::lock_guard lock(failing);
      failure = std::current_exception();
      next = runs;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min<std::size_t>(effort.threads, runs); ++t)
      others.emplace_back(work, false);
    work(true);
  }
  if (failure) std::rethrow_exception(failure);
  std::vector<Sample> samples(statistics);
  for (std::size_t s = 0; s < statistics; ++s) samples[s] = sample_of(values, statistics, s);
  return samples;
}

}  // namespace jme::experiments
