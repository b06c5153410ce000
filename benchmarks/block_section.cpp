#include <algorithm>
#include <vector>

#include <cblas.h>

#include "rows.hpp"
#include "sections.hpp"

namespace jme::bench {
namespace {

constexpr std::size_t dimension = 1000;
constexpr std::size_t every = 1000;

/// Rows per second of sum += X'X, `panel` rows at a time, and nothing else: no second moment can be faster.
Json rank_update_rate(std::size_t width, std::size_t panel, const Effort& effort) {
  RowPool pool(width, 1);
  std::vector<double> rows, sum(width * width, 0.0);
  for (std::size_t i = 0; i < panel; ++i) {
    const auto row = pool.next();
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const int d = static_cast<int>(width);
  return rate(static_cast<double>(panel), timed(effort, [&] {
                cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, d, static_cast<int>(panel), 1.0,
                            rows.data(), d, 1.0, sum.data(), d);
              }));
}

}  // namespace

Json block_section(const Options& options) {
  Json result;
  result["rank_256"] = rank_update_rate(dimension, 256, options.effort.shorter(0.5));
  result["rank_1000"] = rank_update_rate(dimension, 1000, options.effort.shorter(0.5));
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

/// Ten columns, where the work per single row matters: row by row and many rows at a time.
Json bulk_section(const Options& options) {
  constexpr std::size_t columns = 10, batch = 100 * every;
  Json result;
  result["rank_256"] = rank_update_rate(columns, 256, options.effort.shorter(0.5));
  result["rank_1000"] = rank_update_rate(columns, 1000, options.effort.shorter(0.5));
  const auto stream = [&] {
    return MomentStream(
        prefix_mechanism({.dimension = columns, .rows = 2'000'000 * every, .every = every, .threads = 1}));
  };
  RowPool pool(columns, 256);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < batch; ++i) {
    const auto row = pool.next();
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  const MatrixView rows = MatrixView::of_rows(numbers, columns);
  MomentStream single = stream(), bulk = stream();
  result["single"] = rate(batch, timed(options.effort, [&] { push(single, pool, batch); }));
  result["rows"] = rate(batch, timed(options.effort, [&] {
                          bulk.push_rows(rows);
                          static_cast<void>(bulk.take_releases());
                        }));
  std::vector<double> many;  // more than fits into a cache
  for (std::size_t i = 0; i < 10; ++i) many.insert(many.end(), numbers.begin(), numbers.end());
  result["million"] = rate(10 * batch, timed(options.effort, [&] {
                             bulk.push_rows(MatrixView::of_rows(many, columns));
                             static_cast<void>(bulk.take_releases());
                           }));
  BlockSum sum(RowMap::of(bulk.mechanism()));
  result["block_sum"] = rate(batch, timed(options.effort, [&] {
                               sum.add_rows(rows);
                               sum = BlockSum(sum.map());
                             }));
  return result;
}

}  // namespace jme::bench
