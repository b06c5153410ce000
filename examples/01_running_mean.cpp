// The private running mean of a stream, with its error bar.
//
// Everything the stream needs is public and fixed before the first row: how many rows there may be, how many
// columns, and a bound on every row's length. Rows beyond the bound are scaled down to it; a row past the
// horizon is refused.
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include <jme/jme.hpp>

int main() {
  jme::MomentStream stream({.budget = {.epsilon = 1.0, .delta = 1e-6},
                            .rows = 10'000,
                            .every = 1'000,  // publish after every 1000 rows: less noise than after every row
                            .dimension = 2,
                            .norm_bound = 1.0,
                            .workload = jme::mean(),
                            .second = jme::SecondMoment::none});

  fmt::print("{:>6}  {:>9}  {:>9}  {:>9}\n", "rows", "column 1", "column 2", "noise std");
  for (int t = 0; t < 10'000; ++t) {
    const std::vector<double> row{0.5 + 0.3 * std::sin(0.01 * t), -0.2};
    const jme::Release& release = stream.push(row);
    if (!release.is_new()) continue;
    fmt::print("{:>6}  {:>9.5f}  {:>9.5f}  {:>9.5f}\n", release.rows(), release.first()[0],
               release.first()[1], release.std_first());
  }
}
