#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include <jme/moments/block_sum.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/output/report_collector.hpp>
#include <jme/output/report_page.hpp>
#include <jme/random/key.hpp>

namespace jme {
namespace {

constexpr std::size_t column_count = 20, patterns = 32;

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// Rows whose columns are orthogonal and have mean 0: all that a release shows of their correlation is noise.
BlockSum uncorrelated(const Mechanism& mechanism) {
  std::vector<double> cells;
  for (unsigned row = 0; row < patterns; ++row) {
    for (unsigned column = 1; column <= column_count; ++column) {
      cells.push_back(std::popcount(row & column) % 2 == 0 ? 0.5 : -0.5);
    }
  }
  BlockSum block(RowMap::of(mechanism));
  for (int i = 0; i < 2'000; ++i) block.add_rows(MatrixView::of_rows(cells, column_count));
  return block;
}

// 190 pairs: of bands for single pairs, nine or ten would not hold zero, in nearly every stream.
TEST(ReportColours, OfColumnsWithoutAnyCorrelationAreThoseOfTheDiagonalAlone) {
  const Mechanism mechanism({.budget = {.epsilon = 1.0, .delta = 1e-6},
                             .rows = 64'000,
                             .every = 64'000,
                             .dimension = column_count,
                             .norm_bound = std::sqrt(20.0),
                             .unit_box = true});
  const BlockSum block = uncorrelated(mechanism);
  const ColumnBounds bounds = ColumnBounds::none(column_count);
  const EmitOptions emit{.values = parse_emit("covariance")};
  const RunDescription run{.mechanism = mechanism, .bounds = bounds, .emit = emit};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < column_count; ++i) names.push_back("c" + std::to_string(i));
  std::vector<std::size_t> cells;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    MomentStream stream(mechanism, InsecureTestSeed{seed});
    static_cast<void>(stream.push_block(block));
    ReportCollector collected(run, names);
    collected.add(stream.take_releases()[0]);
    const std::string page =
        report_page({.run = run, .collected = collected, .last = *collected.last()}).html();
    // The middle of the scale: a cell with a small correlation. The bar that explains colours has one of
    // each.
    cells.push_back(occurrences(page, "class=\"d9\"") + occurrences(page, "class=\"d10\"") +
                    occurrences(page, "class=\"d11\""));
  }
  // The fewest are those of the bar alone.
  const std::size_t bar = *std::min_element(cells.begin(), cells.end());
  EXPECT_GT(bar, 0U);
  const auto with_colour = std::count_if(cells.begin(), cells.end(), [&](std::size_t n) { return n > bar; });
  // One of 20 is expected; more than ten have probability below 1e-9.
  EXPECT_LE(with_colour, 10);
}

}  // namespace
}  // namespace jme
