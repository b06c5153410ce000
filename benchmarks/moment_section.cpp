#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <jme/base/values.hpp>
#include <jme/filter/aligned_vector.hpp>

#include "rows.hpp"
#include "sections.hpp"

namespace jme::bench {
namespace {

/// Rows per second in turns of `turn` rows on one long stream.
Json row_rate(const Mechanism& mechanism, std::size_t turn, const Effort& effort) {
  MomentStream stream(mechanism);
  RowPool pool(mechanism.config().dimension, 64);
  const Clock clock = mechanism.config().threads == 1 ? Clock::processor : Clock::wall;
  return rate(static_cast<double>(turn), timed(
                                             effort, [&] { push(stream, pool, turn); }, clock));
}

/// The memory that a row of a full second moment must go through with `modes` state vectors, and next to no
/// arithmetic: modes and the running sum are read and written, the release is written.
class MemoryPass {
 public:
  MemoryPass(std::size_t width, std::size_t modes) : modes_(modes, AlignedVector(width, 1.0)) {
    sum_.assign(width, 0.0);
    release_.assign(width, 0.0);
  }
  void run(unsigned threads) {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back([this, i, threads] { turns(i, threads); });
    turns(0, threads);
  }
  static constexpr std::size_t rows = 10;

 private:
  void turns(unsigned part, unsigned parts) {
    const std::size_t begin = sum_.size() * part / parts, end = sum_.size() * (part + 1) / parts;
    for (std::size_t row = 0; row < rows; ++row) pass(begin, end);
  }
  void pass(std::size_t begin, std::size_t end) {
    double *a = modes_[0].data(), *b = modes_[1].data(), *c = modes_[2].data(), *d = modes_[3].data();
    double *sum = sum_.data(), *release = release_.data();
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
      const double total = sum[i] + ((a[i] + b[i]) + (c[i] + d[i]));
      a[i] *= 0.5;
      b[i] *= 0.5;
      c[i] *= 0.5;
      d[i] *= 0.5;
      sum[i] = total;
      release[i] = 0.5 * total;
    }
  }
  std::vector<AlignedVector> modes_;
  AlignedVector sum_, release_;
};

}  // namespace

Json wide_section(const Options& options) {
  Json result;
  for (const unsigned threads : {1U, 2U}) {
    const auto mechanism = prefix_mechanism({.dimension = 1000, .rows = 100'000, .threads = threads});
    const std::string name = threads == 1 ? "one_thread" : "two_threads";
    result[name] = row_rate(mechanism, 10, options.effort);
    MemoryPass memory(second_moment_size(SecondMoment::full, 1000), 4);
    const Clock clock = threads == 1 ? Clock::processor : Clock::wall;
    result[name + "_memory"] =
        rate(MemoryPass::rows, timed(
                                   options.effort.shorter(0.5), [&] { memory.run(threads); }, clock));
  }
  return result;
}

Json middle_section(const Options& options) {
  constexpr std::size_t rows = 1000;
  const auto mechanism = prefix_mechanism({.dimension = 100, .rows = rows});
  RowPool pool(100, 64);
  const auto seconds = timed(options.effort, [&] {
    MomentStream stream(mechanism);
    push(stream, pool, rows);
  });
  return {{"rows", rate(rows, seconds)}};
}

Json long_section(const Options& options) {
  constexpr std::size_t rows = 1'000'000;
  constexpr std::size_t part = 1000;
  constexpr std::ptrdiff_t tenth = rows / part / 10;
  const auto mechanism = prefix_mechanism({.dimension = 10, .rows = rows});
  RowPool pool(10, 64);
  std::vector<double> whole, flatness, newest;
  for (int turn = 0; turn < (options.quick ? 1 : 5); ++turn) {
    MomentStream stream(mechanism);
    newest.clear();
    for (std::size_t done = 0; done < rows; done += part) {
      newest.push_back(seconds_of([&] { push(stream, pool, part); }));
    }
    whole.push_back(std::accumulate(newest.begin(), newest.end(), 0.0));
    // Medians of the parts, so that one interruption by another process is not taken for the stream's growth.
    flatness.push_back(median({newest.begin(), newest.begin() + tenth}) /
                       median({newest.end() - tenth, newest.end()}));
  }
  // Points at equal distances on a logarithmic axis, each the median of the parts since the one before.
  Json curve = Json::array();
  for (std::size_t begin = 0; begin < newest.size();) {
    const std::size_t end = std::min(newest.size(), begin + 1 + begin / 5);
    const auto at = [&](std::size_t i) { return newest.begin() + static_cast<std::ptrdiff_t>(i); };
    curve.push_back({end * part, median({at(begin), at(end)}) / part});
    begin = end;
  }
  return {{"rows", rate(rows, whole)}, {"last_over_first_tenth", median(flatness)}, {"seconds_a_row", curve}};
}

Json dimension_section(const Options& options) {
  std::vector<std::size_t> dimensions{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
  if (options.quick) dimensions = {1, 10, 100, 1000};
  Json curve = Json::array();
  for (const std::size_t d : dimensions) {
    const std::size_t turn = std::max<std::size_t>(5'000'000 / (100 + d * d), 2);  // some 25 ms
    const Effort nine_turns{.seconds = 0, .repetitions = 9};
    const auto mechanism = prefix_mechanism({.dimension = d, .rows = 1'000'000});
    curve.push_back({d, 1 / row_rate(mechanism, turn, nine_turns)["value"].get<double>()});
  }
  return {{"seconds_a_row", curve}};
}

}  // namespace jme::bench
