#include <algorithm>
#include <numeric>
#include <vector>

#include "rows.hpp"
#include "sections.hpp"

namespace jme::bench {
namespace {

/// Rows a second in turns of `turn` rows on one long stream.
Json row_rate(const Mechanism& mechanism, std::size_t turn, const Effort& effort) {
  MomentStream stream(mechanism);
  RowPool pool(mechanism.config().dimension, 64);
  const Clock clock = mechanism.config().threads == 1 ? Clock::processor : Clock::wall;
  return rate(static_cast<double>(turn), timed(
                                             effort, [&] { push(stream, pool, turn); }, clock));
}

}  // namespace

Json wide_section(const Options& options) {
  Json result;
  for (const unsigned threads : {1U, 2U}) {
    const auto mechanism = prefix_mechanism({.dimension = 1000, .rows = 100'000, .threads = threads});
    result[threads == 1 ? "one_thread" : "two_threads"] = row_rate(mechanism, 10, options.effort);
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
    // Medians of the parts: one interruption by another process is not the stream's growth.
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
