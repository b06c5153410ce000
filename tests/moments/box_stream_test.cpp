// Streams of rows in a box: what is summed, what is counted, and how much noise each number carries.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

#include "moments/lattice_row.hpp"

namespace jme::box_stream_tests {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

StreamConfig box(std::size_t dimension, std::size_t rows, std::size_t every) {
  return {.budget = {.sigma = 1.0},
          .rows = rows,
          .every = every,
          .dimension = dimension,
          .norm_bound = std::sqrt(static_cast<double>(dimension)),
          .unit_box = true,
          .workload = prefix(),
          .shape = Shape::identity()};
}

/// Complete rows with public and private counts, rows with absent cells with both.
std::vector<StreamConfig> kinds(std::size_t dimension, std::size_t rows, std::size_t every) {
  std::vector<StreamConfig> result;
  for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal, SecondMoment::none}) {
    for (const bool observed : {false, true}) {
      for (const bool private_count : {false, true}) {
        StreamConfig config = box(dimension, rows, every);
        config.second = second;
        config.observed = observed;
        config.private_count = private_count;
        result.push_back(config);
      }
    }
  }
  return result;
}

std::vector<double> some_rows(const StreamConfig& config, std::size_t count) {
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal(0.2, 0.8);
  std::vector<double> numbers(count * config.dimension);
  for (double& value : numbers) value = normal(generator);
  if (!config.observed && !config.private_count) return numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (generator() % 5 == 0) numbers[i] = absent;
  }
  return numbers;
}

TEST(SnapRow, KeepsCellsInTheBoxAndCornersAreLatticePoints) {
  for (const std::size_t d : {2U, 5U, 1000U}) {
    const RowMap map{.layout = {.dimension = d, .cell_counts = true, .row_count = true},
                     .geometry = Geometry::box,
                     .norm_bound = std::sqrt(static_cast<double>(d))};
    std::vector<double> row(d, 1.0), units(map.layout.first_size());
    row[0] = -1;
    row[1] = 1e300;
    snap_row(map, row, units);
    for (std::size_t i = 0; i < d; ++i) {
      EXPECT_EQ(units[i], i == 0 ? -lattice_one : lattice_one);
      EXPECT_EQ(units[d + i], lattice_one);
    }
    EXPECT_EQ(units.back(), lattice_one);
    row[0] = absent;
    snap_row(map, row, units);
    EXPECT_EQ(units[0], 0);
    EXPECT_EQ(units[d], 0);
    EXPECT_EQ(units.back(), lattice_one);
    std::fill(row.begin(), row.end(), absent);
    snap_row(map, row, units);
    EXPECT_EQ(units, std::vector<double>(units.size(), 0.0));
  }
}

TEST(SnapRow, WithANormBoundBesidesTheBoxKeepsBothAfterRounding) {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(-1.5, 1.5);
  for (const std::size_t d : {2U, 3U, 50U}) {
    for (const double share : {0.2, 0.7, 0.999}) {
      const double bound = share * std::sqrt(static_cast<double>(d));
      const RowMap map{.layout = {.dimension = d}, .geometry = Geometry::box, .norm_bound = bound};
      for (int trial = 0; trial < 300; ++trial) {
        std::vector<double> row(d), units(d);
        for (double& value : row)
          value = trial % 3 == 0 ? std::copysign(1.0, uniform(generator)) : uniform(generator);
        snap_row(map, row, units);
        long double square = 0;
        for (const double unit : units) {
          EXPECT_LE(std::abs(unit), lattice_one);
          EXPECT_EQ(unit, std::floor(unit));
          square += static_cast<long double>(unit) * unit;
        }
        EXPECT_LE(square, static_cast<long double>(bound) * bound * lattice_one * lattice_one);
      }
    }
  }
}

TEST(SnapRow, WithoutEveryCellIsNoRowWhereOnlyWholeRowsMayBeAbsent) {
  for (const Geometry geometry : {Geometry::ball, Geometry::box}) {
    const RowMap map{.layout = {.dimension = 2, .row_count = true}, .geometry = geometry, .norm_bound = 2};
    std::vector<double> units(3);
    snap_row(map, std::vector{0.5, absent}, units);
    EXPECT_EQ(units, std::vector<double>(3, 0.0));
    snap_row(map, std::vector{0.5, 0.0}, units);
    EXPECT_GT(units[0], 0);
    EXPECT_EQ(units[2], lattice_one);
  }
}

TEST(BoxStream, GivesTheSameReleasesByRowsInBulkAndAsBlocks) {
  constexpr std::size_t total = 23;
  for (const std::size_t every : {1U, 5U}) {
    for (const StreamConfig& config : kinds(3, total, every)) {
      const Mechanism mechanism(config);
      ASSERT_EQ(mechanism.geometry(), Geometry::box);
      const std::vector<double> numbers = some_rows(config, total);
      const MatrixView rows = MatrixView::of_rows(numbers, 3);
      MomentStream by_row(mechanism, InsecureTestSeed{4}), bulk(mechanism, InsecureTestSeed{4}),
          by_block(mechanism, InsecureTestSeed{4});
      Releases expected(ReleaseLayout::of(Mechanism(config)));
      for (std::size_t r = 0; r < total; ++r) {
        const Release& release = by_row.push(std::span(numbers).subspan(3 * r, 3));
        if (release.is_new()) expected.append(release);
      }
      bulk.push_rows(rows);
      for (std::size_t done = 0; done < total; done += every) {
        const MatrixView part = rows.part(done, std::min(every, total - done));
        BlockSum left(RowMap::of(mechanism)), right(RowMap::of(mechanism));
        left.add_rows(part.part(0, part.rows / 2));
        right.add_rows(part.part(part.rows / 2, part.rows - part.rows / 2));
        left.merge(right);
        by_block.push_block(BlockSum::from_bytes(left.bytes(), RowMap::of(mechanism)));
      }
      const Releases a = bulk.take_releases(), b = by_block.take_releases();
      ASSERT_EQ(a.size(), expected.size());
      ASSERT_EQ(b.size(), expected.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].packed(), expected[i].packed());
        EXPECT_EQ(b[i].packed(), expected[i].packed());
      }
    }
  }
}

TEST(BoxStream, RefusesInfinityAndTakesNaNOnlyWhereCellsMayBeAbsent) {
  for (const StreamConfig& config : kinds(2, 4, 2)) {
    MomentStream stream(Mechanism(config), InsecureTestSeed{1});
    const std::vector<double> infinite{0.1, std::numeric_limits<double>::infinity()}, holes{absent, 0.1};
    EXPECT_THROW(stream.push(infinite), DataError);
    EXPECT_THROW(stream.push_rows(MatrixView::of_rows(infinite, 2)), DataError);
    if (config.observed || config.private_count) {
      EXPECT_NO_THROW(stream.push(holes));
      EXPECT_NO_THROW(stream.push_rows(MatrixView::of_rows(holes, 2)));
    } else {
      EXPECT_THROW(stream.push(holes), DataError);
      EXPECT_THROW(stream.push_rows(MatrixView::of_rows(holes, 2)), DataError);
    }
  }
}

/// What a stream of all rows without noise would hold, entry by entry in the order of the layout.
struct Exact {
  explicit Exact(const ReleaseLayout& layout) : first(layout.first_size()), second(layout.second_size()) {}
  std::vector<double> first, second;
};
Exact exact_sums(const ReleaseLayout& layout, std::span<const double> numbers) {
  Exact sums(layout);
  const std::size_t d = layout.dimension;
  for (std::size_t r = 0; r < numbers.size() / d; ++r) {
    const auto row = numbers.subspan(r * d, d);
    std::size_t there = 0;
    for (const double value : row) there += std::isnan(value) ? 0U : 1U;
    const bool exists = layout.cell_counts ? there > 0 : there == d;
    const auto value = [&](std::size_t i) {
      return exists && !std::isnan(row[i]) ? std::clamp(row[i], -1.0, 1.0) : 0.0;
    };
    const auto is_there = [&](std::size_t i) { return exists && !std::isnan(row[i]) ? 1.0 : 0.0; };
    for (std::size_t i = 0; i < d; ++i) {
      sums.first[i] += value(i);
      if (layout.cell_counts) sums.first[d + i] += is_there(i);
      if (layout.second == SecondMoment::diagonal) sums.second[i] += value(i) * value(i);
      if (layout.second != SecondMoment::full) continue;
      for (std::size_t j = i; j < d; ++j) {
        sums.second[packed_index(i, j, d)] += value(i) * value(j);
        if (layout.cell_counts && j > i) {
          sums.second[layout.moment_size() + pair_index(i, j, d)] += is_there(i) * is_there(j);
        }
      }
    }
    if (layout.row_count) sums.first.back() += exists ? 1 : 0;
  }
  return sums;
}

enum Kind { value, cell_count, row_count, diagonal, off_diagonal, pair_count, all_kinds };

/// Squares of (released - exact) / stated standard deviation, by kind of entry.
struct Squares {
  std::array<double, all_kinds> sum{};
  std::array<std::size_t, all_kinds> count{};

  void add(Kind kind, double released, double exact, double deviation) {
    sum[kind] += std::pow((released - exact) / deviation, 2);
    ++count[kind];
  }
  void add(const Release& release, const Exact& exact) {
    const ReleaseLayout& layout = release.layout();
    const std::size_t d = layout.dimension;
    for (std::size_t i = 0; i < d; ++i) add(value, release.first()[i], exact.first[i], release.std_first());
    for (std::size_t i = 0; i < release.counts().size(); ++i) {
      add(cell_count, release.counts()[i], exact.first[d + i], release.std_count());
    }
    if (layout.row_count) add(row_count, *release.row_count(), exact.first.back(), release.std_rows());
    for (std::size_t i = 0, k = 0; k < release.second().size(); ++i) {
      add(diagonal, release.second()[k], exact.second[k], release.std_second());
      ++k;
      for (std::size_t j = i + 1; j < d && layout.second == SecondMoment::full; ++j, ++k) {
        add(off_diagonal, release.second()[k], exact.second[k], release.std_off_diagonal());
      }
    }
    for (std::size_t k = 0; k < release.pair_counts().size(); ++k) {
      add(pair_count, release.pair_counts()[k], exact.second[layout.moment_size() + k],
          release.std_pair_count());
    }
  }
};

// The mean of n squares of independent standard normals has variance 2/n. Beyond 6.2 of its standard
// deviations is a false alarm in 6e-10 cases. With n = 4000 that is 0.139; noise 10% too small gives 0.81.
TEST(BoxStream, CarriesTheStatedNoiseOnEveryKindOfEntryAndTheTestHasPower) {
  constexpr std::size_t d = 2, every = 5, steps = 3, streams = 4000;
  for (StreamConfig config : kinds(d, every * steps, every)) {
    config.shape = Shape::parse("scaled-blt:2", "shape");
    const Mechanism mechanism(config);
    const std::vector<double> numbers = some_rows(config, every * steps);
    const Exact exact = exact_sums(ReleaseLayout::of(Mechanism(config)), numbers);
    Squares squares;
    for (std::uint64_t seed = 0; seed < streams; ++seed) {
      MomentStream stream(mechanism, InsecureTestSeed{seed});
      stream.push_rows(MatrixView::of_rows(numbers, d));
      squares.add(stream.release(), exact);
    }
    for (std::size_t kind = 0; kind < all_kinds; ++kind) {
      if (squares.count[kind] == 0) continue;
      const auto n = static_cast<double>(squares.count[kind]);
      const double mean = squares.sum[kind] / n, limit = 6.2 * std::sqrt(2 / n);
      EXPECT_LT(std::abs(mean - 1), limit) << "kind " << kind;
      EXPECT_GT(std::abs(0.81 * mean - 1), limit) << "kind " << kind;
    }
  }
}

TEST(BoxStream, HasTheStandardDeviationsOfItsGeometry) {
  for (const std::size_t d : {2U, 5U, 10U}) {
    StreamConfig config = box(d, 10, 1);
    const auto width = static_cast<double>(d);
    const Calibration complete = Mechanism(config).calibration();
    // Up to the slack for rounding, below a millionth of the sensitivity, and the rounding of quotients.
    const auto expect_near = [](double got, double wanted) {
      EXPECT_GE(got, wanted * (1 - 1e-15));
      EXPECT_LE(got, wanted * (1 + 1e-5));
    };
    expect_near(complete.std_first, 2 * std::sqrt(width));
    expect_near(complete.std_second, complete.std_first / std::sqrt(2.0));
    expect_near(complete.std_off_diagonal, complete.std_first * std::sqrt(width - 1));
    EXPECT_EQ(complete.std_count, 0);
    config.private_count = true;
    const Calibration counted = Mechanism(config).calibration();
    expect_near(counted.std_first, 2 * std::sqrt(width));
    expect_near(counted.std_rows, counted.std_first / std::sqrt(width / 2));
    config.observed = true;
    const Calibration observed = Mechanism(config).calibration();
    expect_near(observed.std_first, 2 * std::sqrt(width));
    expect_near(observed.std_second, observed.std_first);
    expect_near(observed.std_off_diagonal, observed.std_first * std::sqrt(width - 1));
    expect_near(observed.std_count, observed.std_first * std::sqrt(2.0));
    expect_near(observed.std_pair_count, observed.std_first * std::sqrt(2 * (width - 1)));
    expect_near(observed.std_rows, observed.std_first / std::sqrt(0.75 * width));
  }
}

TEST(BoxStream, GoesOnFromItsStateWithTheSameReleases) {
  constexpr std::size_t total = 24, every = 4;
  for (StreamConfig config : kinds(3, total, every)) {
    config.shape = Shape::parse("scaled-blt:2", "shape");
    const Mechanism mechanism(config);
    const std::vector<double> numbers = some_rows(config, total);
    const MatrixView rows = MatrixView::of_rows(numbers, 3);
    const Key key = InsecureTestSeed{3}.key();
    MomentStream whole(mechanism, key, Nonce{}), half(mechanism, key, Nonce{});
    whole.push_rows(rows);
    half.push_rows(rows.part(0, 12));
    MomentStream again = MomentStream::resume(mechanism, key, Nonce{}, half.state());
    again.push_rows(rows.part(12, 12));
    EXPECT_EQ(again.release().packed(), whole.release().packed());
  }
}

}  // namespace
}  // namespace jme::box_stream_tests
