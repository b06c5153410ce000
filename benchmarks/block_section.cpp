#include <algorithm>
#include <vector>

#include <cblas.h>

#include "rows.hpp"
#include "sections.hpp"

namespace jme::bench {
namespace {

constexpr std::size_t dimension = 1000;
constexpr std::size_t every = 1000;

/// Rows a second of sum += X'X, `panel` rows at a time, and nothing else: no second moment is faster.
Json rank_update_rate(std::size_t panel, const Effort& effort) {
  RowPool pool(dimension, 1);
  std::vector<double> rows, sum(dimension * dimension, 0.0);
  for (std::size_t i = 0; i < panel; ++i) {
    const auto row = pool.next();
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const int d = static_cast<int>(dimension);
  return rate(static_cast<double>(panel), timed(effort, [&] {
                cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, d, static_cast<int>(panel), 1.0,
                            rows.data(), d, 1.0, sum.data(), d);
              }));
}

}  // namespace

Json block_section(const Options& options) {
  Json result;
  result["rank_256"] = rank_update_rate(256, options.effort.shorter(0.5));
  result["rank_1000"] = rank_update_rate(1000, options.effort.shorter(0.5));
  RowPool pool(dimension, 256);
  for (const unsigned threads : {1U, 2U}) {
    MomentStream stream(
        prefix_mechanism({.dimension = dimension, .rows = 10'000'000, .every = every, .threads = threads}));
    const Clock clock = threads == 1 ? Clock::processor : Clock::wall;
    result[threads == 1 ? "rows" : "two_threads"] =
        rate(every, timed(
                        options.effort, [&] { push(stream, pool, every); }, clock));
  }
  result["blas_threads"] = openblas_get_num_threads();
  return result;
}

}  // namespace jme::bench
