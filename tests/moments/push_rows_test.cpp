// Many rows at once and sums that were made elsewhere: the same releases as row by row, bit for bit.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

#include "moments/lattice_row.hpp"
#include "moments/row_batch.hpp"
#include "moments/row_kernels.hpp"
#include "random/simd_targets.hpp"

namespace jme::push_rows_tests {
namespace {

/// Rows of all sizes: inside and far outside the ball, at its border, zero, huge and subnormal.
std::vector<double> many_rows(std::size_t count, std::size_t dimension, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(count * dimension);
  for (std::size_t r = 0; r < count; ++r) {
    const auto kind = generator() % 8;
    const double size = kind == 0   ? 0
                        : kind == 1 ? 1e300
                        : kind == 2 ? 1e-310
                        : kind == 3 ? 100
                                    : 1 / std::sqrt(static_cast<double>(dimension));
    for (std::size_t j = 0; j < dimension; ++j) numbers[r * dimension + j] = size * normal(generator);
    if (kind == 4) {  // equal cells at the border: rounding can make the row too long
      for (std::size_t j = 0; j < dimension; ++j) {
        numbers[r * dimension + j] = (1 + 1e-12) / std::sqrt(static_cast<double>(dimension));
      }
    }
  }
  return numbers;
}

StreamConfig config_of(std::size_t dimension, std::size_t every, SecondMoment second,
                       const Workload& workload = prefix(), Method method = Method::jme) {
  return {.budget = {.epsilon = 1, .delta = 1e-6},
          .rows = 500,
          .every = every,
          .dimension = dimension,
          .norm_bound = 1.0,
          .workload = workload,
          .method = method,
          .second = second};
}

std::vector<std::vector<double>> one_by_one(const Mechanism& mechanism, const MatrixView& rows) {
  MomentStream stream(mechanism, InsecureTestSeed{4});
  std::vector<std::vector<double>> releases;
  std::vector<double> row(rows.columns);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    for (std::size_t j = 0; j < rows.columns; ++j) row[j] = rows.at(r, j);
    if (const Release& release = stream.push(row); release.is_new()) releases.push_back(release.packed());
  }
  return releases;
}

std::vector<std::vector<double>> packed(const Releases& releases) {
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const auto numbers = releases.packed(i);
    all.emplace_back(numbers.begin(), numbers.end());
    EXPECT_EQ(releases[i].packed(), all.back());
  }
  return all;
}

TEST(PushRows, GivesTheReleasesOfSingleRowsHoweverTheyAreDivided) {
  std::mt19937_64 generator(1);
  for (const std::size_t dimension : {1U, 3U, 10U, 33U}) {
    const std::vector<double> numbers = many_rows(500, dimension, 7);
    const MatrixView rows = MatrixView::of_rows(numbers, dimension);
    for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal, SecondMoment::none}) {
      for (const std::size_t every : {1U, 7U, 64U, 500U}) {
        const Mechanism mechanism(config_of(dimension, every, second));
        const auto expected = one_by_one(mechanism, rows);
        MomentStream stream(mechanism, InsecureTestSeed{4});
        std::size_t done = 0;
        while (done < rows.rows) {
          const std::size_t count = std::min<std::size_t>(generator() % 150, rows.rows - done);
          stream.push_rows(rows.part(done, count));
          done += count;
          if (generator() % 3 == 0 && done < rows.rows) {  // single rows in between
            std::vector<double> row(dimension);
            for (std::size_t j = 0; j < dimension; ++j) row[j] = rows.at(done, j);
            const Release& release = stream.push(row);
            ++done;
            if (release.is_new()) {
              EXPECT_EQ(release.packed(), expected[release.steps() - 1]);
            }
          }
        }
        const Releases releases = stream.take_releases();
        for (std::size_t i = 0; i < releases.size(); ++i) {
          ASSERT_EQ(releases[i].packed(), expected[releases.steps(i) - 1]) << dimension << " " << every;
        }
        EXPECT_EQ(stream.rows(), 500U);
        EXPECT_TRUE(stream.take_releases().empty());
      }
    }
  }
}

TEST(PushRows, TakesRowsWithWeightsAndNoiseOfTheirOwnToo) {
  const std::vector<double> numbers = many_rows(500, 4, 9);
  const MatrixView rows = MatrixView::of_rows(numbers, 4);
  for (const auto& [workload, method] : {std::pair{decay(0.9), Method::jme}, std::pair{mean(), Method::pp}}) {
    const Mechanism mechanism(config_of(4, 10, SecondMoment::full, workload, method));
    MomentStream stream(mechanism, InsecureTestSeed{4});
    EXPECT_EQ(stream.push_rows(rows), 50U);
    EXPECT_EQ(packed(stream.take_releases()), one_by_one(mechanism, rows));
  }
}

TEST(PushRows, ReadsAnyStrides) {
  constexpr std::size_t d = 5;
  const std::vector<double> numbers = many_rows(500, d, 3);
  const MatrixView rows = MatrixView::of_rows(numbers, d);
  std::vector<double> turned(numbers.size()), wide(3 * numbers.size(), std::nan(""));
  for (std::size_t r = 0; r < 500; ++r) {
    for (std::size_t j = 0; j < d; ++j) {
      turned[j * 500 + r] = rows.at(r, j);
      wide[r * 3 * d + 2 * j] = rows.at(r, j);
    }
  }
  const Mechanism mechanism(config_of(d, 20, SecondMoment::full));
  const auto expected = one_by_one(mechanism, rows);
  std::vector<double> backwards(numbers.rbegin(), numbers.rend());
  for (const MatrixView& view :
       {MatrixView{.data = turned.data(), .rows = 500, .columns = d, .row_stride = 1, .column_stride = 500},
        MatrixView{.data = wide.data(), .rows = 500, .columns = d, .row_stride = 3 * d, .column_stride = 2},
        MatrixView{.data = backwards.data() + 500 * d - 1,
        .rows = 500,
        .columns = d,
        .row_stride = -static_cast<std::ptrdiff_t>(d),
        .column_stride = -1}}) {
    MomentStream stream(mechanism, InsecureTestSeed{4});
    stream.push_rows(view);
    EXPECT_EQ(packed(stream.take_releases()), expected);
  }
}

TEST(PushRows, TakesAllRowsOrNone) {
  constexpr std::size_t d = 3;
  const Mechanism mechanism(config_of(d, 10, SecondMoment::full));
  const std::vector<double> good = many_rows(500, d, 5);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{4}, 299 * d + 1, 400 * d - 1}) {
      MomentStream stream(mechanism, InsecureTestSeed{4});
      std::vector<double> numbers = good;
      numbers[at] = bad;
      try {
        stream.push_rows(MatrixView::of_rows(std::span(numbers).first(400 * d), d));
        ADD_FAILURE();
      } catch (const DataError& error) {
        EXPECT_NE(std::string(error.what())
                      .find("row " + std::to_string(at / d + 1) + ", column " + std::to_string(at % d + 1)),
                  std::string::npos)
            << error.what();
        EXPECT_EQ(error.row(), at / d + 1);
        EXPECT_EQ(error.column(), at % d + 1);
      }
      EXPECT_EQ(stream.rows(), 0U);
      stream.push_rows(MatrixView::of_rows(good, d));
      EXPECT_EQ(packed(stream.take_releases()), one_by_one(mechanism, MatrixView::of_rows(good, d)));
      EXPECT_THROW(stream.push_rows(MatrixView::of_rows(std::span(good).first(d), d)), BudgetExhausted);
    }
  }
  MomentStream stream(mechanism, InsecureTestSeed{4});
  const std::vector<double> longer = many_rows(501, d, 5);
  EXPECT_THROW(stream.push_rows(MatrixView::of_rows(longer, d)), BudgetExhausted);
  EXPECT_THROW(stream.push_rows(MatrixView::of_rows(std::span(longer).first(8), 4)), DataError);
  EXPECT_EQ(stream.rows(), 0U);
  EXPECT_EQ(stream.push_rows(MatrixView::of_rows({}, d)), 0U);
}

TEST(PushRows, NameABadRowByItsPlaceInTheStream) {
  MomentStream stream(Mechanism(config_of(2, 10, SecondMoment::full)), InsecureTestSeed{4});
  std::vector<double> numbers = many_rows(30, 2, 5);
  stream.push_rows(MatrixView::of_rows(numbers, 2));
  numbers[2 * 3 + 1] = std::nan("");
  try {
    stream.push_rows(MatrixView::of_rows(numbers, 2));
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), 34U);
    EXPECT_EQ(error.column(), 2U);
  }
  try {  // no single row is at fault
    stream.push_rows(MatrixView::of_rows(numbers, 3));
    ADD_FAILURE();
  } catch (const DataError& error) {
    EXPECT_EQ(error.row(), std::nullopt);
    EXPECT_EQ(error.column(), std::nullopt);
  }
}

/// Rows as `map` may have them: with absent cells and whole rows where it allows them.
std::vector<double> rows_for(const RowMap& map, std::size_t count) {
  const std::size_t d = map.layout.dimension;
  std::vector<double> numbers = many_rows(count, d, 11);
  if (!map.allows_absent()) return numbers;
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t j = 0; j < d; ++j) {
      const bool absent = r % 11 == 3 || (r * 7 + j * 5) % 13 == 0;
      if (absent) numbers[r * d + j] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return numbers;
}

std::vector<RowMap> maps_of(std::size_t dimension) {
  const double root = std::sqrt(static_cast<double>(dimension));
  std::vector<RowMap> maps;
  for (const double bound : {1.0, 0.3, 1e-100, 1e100}) {
    maps.push_back({.layout = {.dimension = dimension}, .norm_bound = bound});
  }
  maps.push_back({.layout = {.dimension = dimension, .row_count = true}, .norm_bound = 0.7});
  for (const double bound : {root, root / 2}) {
    for (const bool counts : {false, true}) {
      maps.push_back({.layout = {.dimension = dimension, .row_count = counts},
                      .geometry = Geometry::box,
                      .norm_bound = bound});
    }
  }
  for (const bool counts : {false, true}) {
    maps.push_back({.layout = {.dimension = dimension, .cell_counts = true, .row_count = counts},
                    .geometry = Geometry::box,
                    .norm_bound = root});
  }
  return maps;
}

TEST(RowBatch, SnapsAsSingleRowsDoOnEveryTarget) {
  constexpr std::size_t count = 400;
  for (const std::size_t dimension : {1U, 2U, 10U, 129U}) {
    for (const RowMap& map : maps_of(dimension)) {
      const std::size_t width = map.layout.first_size();
      const std::vector<double> numbers = rows_for(map, count);
      std::vector<double> expected, present, units(width), sum(width, 0.0);
      for (std::size_t r = 0; r < count; ++r) {
        snap_row(map, std::span(numbers).subspan(r * dimension, dimension), units);
        expected.insert(expected.end(), units.begin(),
                        units.begin() + static_cast<std::ptrdiff_t>(dimension));
        if (map.layout.cell_counts) {
          present.insert(present.end(), units.begin() + static_cast<std::ptrdiff_t>(dimension),
                         units.begin() + static_cast<std::ptrdiff_t>(2 * dimension));
        }
        for (std::size_t j = 0; j < width; ++j) sum[j] += units[j];
      }
      for (const std::int64_t target : simd_targets()) {
        const OnlyTarget only(target);
        RowBatch batch(map);
        const MatrixView rows = MatrixView::of_rows(numbers, dimension);
        std::vector<double> got, there, sums(width, 0.0);
        for (std::size_t r = 0; r < count;) {
          const std::size_t some = std::min<std::size_t>(1 + r % 8, count - r);
          got.resize((r + some) * dimension);
          batch.take(rows.part(r, some));
          write_rows(batch.units(), 0, some, got.data() + r * dimension);
          if (map.layout.cell_counts) {
            there.resize((r + some) * dimension);
            write_rows(batch.present(), 0, some, there.data() + r * dimension);
          }
          r += some;
        }
        batch.add_sum_to(sums);
        ASSERT_EQ(got, expected) << hwy::TargetName(target);
        EXPECT_EQ(there, present);
        EXPECT_EQ(sums, sum);
      }
    }
  }
}

TEST(FirstNotFinite, IsTheFirstByRowsInEveryLayoutAndNoGapIsRead) {
  constexpr double inside = std::numeric_limits<double>::infinity(),
                   gap = std::numeric_limits<double>::quiet_NaN();
  std::mt19937 generator(3);
  for (int turn = 0; turn < 2000; ++turn) {
    const std::size_t rows = generator() % 40, columns = 1 + generator() % 12;
    const auto gaps = static_cast<std::ptrdiff_t>(generator() % 3);
    const bool by_column = generator() % 2 == 0;
    const auto height = static_cast<std::ptrdiff_t>(rows), width = static_cast<std::ptrdiff_t>(columns);
    MatrixView view{.rows = rows, .columns = columns};
    view.row_stride = by_column ? 1 : width + gaps;
    view.column_stride = by_column ? height + gaps : 1;
    std::vector<double> numbers((rows + 3) * (columns + 3), gap);
    view.data = numbers.data();
    std::size_t first = rows, first_column = 0;
    for (std::size_t r = rows; r-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        const bool is_bad = generator() % 100 == 0;
        numbers[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(r) * view.row_stride +
                                         static_cast<std::ptrdiff_t>(j) * view.column_stride)] =
            is_bad ? inside : 0.5;
        if (is_bad) {
          first = r;
          first_column = j;
        }
      }
    }
    const NotFinite found = first_not_finite(view);
    ASSERT_EQ(found.row, first);
    if (first < rows) {
      ASSERT_EQ(found.column, first_column);
    }
  }
}

}  // namespace
}  // namespace jme::push_rows_tests
