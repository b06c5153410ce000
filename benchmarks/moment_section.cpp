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
  return rate(static_cast<double>(turn), timed(effort, [&] { push(stream, pool, turn); }));
}

// Long enough for every turn that fits the time; with four buffers the cost of a row does not depend on it.
constexpr std::size_t horizon = 10'000'000;

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
  constexpr std::size_t parts = 100;
  constexpr std::size_t tenth = parts / 10;
  const std::size_t turns = options.quick ? 1 : 3;
  const auto mechanism = prefix_mechanism({.dimension = 10, .rows = rows});
  RowPool pool(10, 64);
  std::vector<std::vector<double>> seconds(parts);
  std::vector<double> whole, flatness;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    MomentStream stream(mechanism);
    std::vector<double> run;
    for (std::size_t part = 0; part < parts; ++part) {
      run.push_back(seconds_of([&] { push(stream, pool, rows / parts); }));
      seconds[part].push_back(run.back());
    }
    whole.push_back(std::accumulate(run.begin(), run.end(), 0.0));
    // Medians of the parts: one interruption by another process is not the stream's growth.
    flatness.push_back(median({run.begin(), run.begin() + tenth}) / median({run.end() - tenth, run.end()}));
  }
  Json curve = Json::array();
  for (std::size_t part = 0; part < parts; ++part) {
    const double row = static_cast<double>((part + 1) * (rows / parts));
    curve.push_back({row, median(seconds[part]) / (rows / parts)});
  }
  return {{"rows", rate(rows, whole)}, {"last_over_first_tenth", median(flatness)}, {"seconds_a_row", curve}};
}

Json dimension_section(const Options& options) {
  std::vector<std::size_t> dimensions{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
  if (options.quick) dimensions = {1, 10, 100, 1000};
  Json curve = Json::array();
  for (const std::size_t d : dimensions) {
    const auto mechanism = prefix_mechanism({.dimension = d, .rows = d < 100 ? horizon : 1'000'000});
    const std::size_t turn = std::clamp<std::size_t>(100'000 / (d * d), 2, 10'000);
    const Json rows = row_rate(mechanism, turn, options.effort.shorter(0.2));
    curve.push_back({d, 1 / rows["value"].get<double>()});
  }
  return {{"seconds_a_row", curve}};
}

}  // namespace jme::bench
