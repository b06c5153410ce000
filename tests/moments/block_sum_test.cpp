#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>

namespace jme::block_sum_tests {
namespace {

std::vector<double> normal_numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal(0, 0.4);
  std::vector<double> numbers(count);
  for (double& value : numbers) value = normal(generator);
  return numbers;
}

RowMap map_of(std::size_t dimension, SecondMoment second = SecondMoment::full) {
  return {.layout = {.dimension = dimension, .second = second}, .norm_bound = 1.0};
}

BlockSum sum_of(const RowMap& map, const MatrixView& rows) {
  BlockSum sum(map);
  sum.add_rows(rows);
  return sum;
}

TEST(BlockSum, HasTheSameBytesHoweverItsRowsAreDividedAndMerged) {
  std::mt19937_64 generator(2);
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t dimension = 1 + generator() % 6, count = generator() % 90;
    const RowMap map = map_of(dimension, static_cast<SecondMoment>(generator() % 3));
    const std::vector<double> numbers = normal_numbers(count * dimension, static_cast<unsigned>(trial));
    const MatrixView rows = MatrixView::of_rows(numbers, dimension);
    const BlockSum whole = sum_of(map, rows);
    // Rows in a random order, dealt out to parts, some of them through bytes; the parts merged in another.
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), generator);
    std::vector<BlockSum> parts(1 + generator() % 5, BlockSum(map));
    for (const std::size_t row : order) {
      parts[generator() % parts.size()].add(std::span(numbers).subspan(row * dimension, dimension));
    }
    std::shuffle(parts.begin(), parts.end(), generator);
    BlockSum merged(map);
    for (const BlockSum& part : parts) {
      merged.merge(generator() % 2 == 0 ? part : BlockSum::from_bytes(part.bytes(), map));
    }
    ASSERT_EQ(merged.rows(), count);
    ASSERT_EQ(merged.bytes(), whole.bytes());
    ASSERT_TRUE(merged == whole);
  }
}

TEST(BlockSum, IsExactBeyondWhatADoubleHolds) {
  // Rows at the bound: a product of 2^40 each, 2^14 of them and more than a panel's double can sum.
  constexpr std::uint64_t count = 20'001;
  BlockSum sum(map_of(1));
  const std::vector<double> ones(count, -1.0);
  sum.add_rows(MatrixView::of_rows(ones, 1));
  EXPECT_EQ(sum.first()[0], -static_cast<std::int64_t>(count << 20));
  EXPECT_TRUE(sum.products()[0] == static_cast<WideInt>(count) << 40);
  // Doubled until it is beyond 2^63.
  for (int k = 0; k < 12; ++k) sum.merge(BlockSum(sum));
  EXPECT_TRUE(sum.products()[0] == static_cast<WideInt>(count) << 52);
  EXPECT_TRUE(BlockSum::from_bytes(sum.bytes(), map_of(1)) == sum);
  for (int k = 0; k < 4; ++k) sum.merge(BlockSum(sum));
  EXPECT_THROW(sum.merge(BlockSum(sum)), InvalidParameter);  // more than 2^31 rows
}

TEST(BlockSum, GivesAStreamTheReleaseOfItsRows) {
  for (const SecondMoment second : {SecondMoment::full, SecondMoment::diagonal, SecondMoment::none}) {
    for (const std::size_t every : {1U, 30U, 20'000U}) {
      const std::size_t total = 2 * every + (every > 1 ? 7 : 0);
      const Mechanism mechanism(StreamConfig{.budget = {.epsilon = 1, .delta = 1e-6},
                                             .rows = 3 * every,
                                             .every = every,
                                             .dimension = 3,
                                             .norm_bound = 1.0,
                                             .workload = mean(),
                                             .second = second});
      const std::vector<double> numbers = normal_numbers(3 * total, 4);
      const MatrixView rows = MatrixView::of_rows(numbers, 3);
      MomentStream by_row(mechanism, InsecureTestSeed{4}), by_block(mechanism, InsecureTestSeed{4});
      by_row.push_rows(rows);
      const RowMap map = RowMap::of(mechanism);
      for (std::size_t done = 0; done < total; done += every) {
        by_block.push_block(sum_of(map, rows.part(done, std::min(every, total - done))));
      }
      const Releases a = by_row.take_releases(), b = by_block.take_releases();
      ASSERT_EQ(a.size(), 2U);
      ASSERT_EQ(b.size(), every == 1 ? 2U : 3U);
      for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(a[i].packed(), b[i].packed());
      if (every == 1) continue;
      EXPECT_EQ(by_row.finish().packed(), b[2].packed());  // a block that is not full is the last
      EXPECT_THROW(by_block.push_block(sum_of(map, rows.part(0, every))), BudgetExhausted);
    }
  }
}

StreamConfig config() {
  return {
      .budget = {.epsilon = 1, .delta = 1e-6}, .rows = 40, .every = 10, .dimension = 2, .norm_bound = 1.0};
}

TEST(BlockSum, IsRefusedByAStreamThatItDoesNotFit) {
  const std::vector<double> numbers = normal_numbers(40, 1);
  const MatrixView rows = MatrixView::of_rows(numbers, 2);
  MomentStream stream(Mechanism(config()), InsecureTestSeed{1});
  EXPECT_THROW(stream.push_block(sum_of(map_of(2), rows.part(0, 11))), InvalidParameter);
  EXPECT_THROW(stream.push_block(BlockSum(map_of(2))), InvalidParameter);
  EXPECT_THROW(stream.push_block(sum_of(map_of(2, SecondMoment::diagonal), rows.part(0, 10))),
               InvalidParameter);
  EXPECT_THROW(stream.push_block(sum_of({.layout = {.dimension = 2}, .norm_bound = 2.0}, rows.part(0, 10))),
               InvalidParameter);
  stream.push(std::vector<double>{0.1, 0.2});
  EXPECT_THROW(stream.push_block(sum_of(map_of(2), rows.part(0, 10))), InvalidParameter);  // a block is open
  EXPECT_EQ(stream.rows(), 1U);
  StreamConfig weighted = config(), noisy = config();
  weighted.workload = decay(0.9);
  noisy.method = Method::pp;
  for (const StreamConfig& other : {weighted, noisy}) {
    MomentStream rows_alone(Mechanism(other), InsecureTestSeed{1});
    EXPECT_THROW(rows_alone.push_block(sum_of(map_of(2), rows.part(0, 10))), InvalidParameter);
    EXPECT_EQ(rows_alone.rows(), 0U);
  }
}

void expect_refused(std::span<const std::byte> bytes, const RowMap& map, const std::string& text) {
  try {
    (void)BlockSum::from_bytes(bytes, map);
    ADD_FAILURE() << "was not refused: " << text;
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(BlockSum, RefusesBytesOfAnotherMapOrVersionOrThatWereDamaged) {
  const std::vector<double> numbers = normal_numbers(60, 3);
  const RowMap map = map_of(3);
  const std::vector<std::byte> bytes = sum_of(map, MatrixView::of_rows(numbers, 3)).bytes();
  RowMap other_bound = map, other_columns = map;
  other_bound.norm_bound = 2;
  other_columns.details[5] = std::byte{1};
  for (const RowMap& other : {map_of(4), map_of(3, SecondMoment::diagonal), other_bound, other_columns}) {
    expect_refused(bytes, other, "other columns");
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::vector<std::byte> damaged = bytes;
    damaged[at] ^= std::byte{4};
    EXPECT_THROW((void)BlockSum::from_bytes(damaged, map), DataError) << at;
    EXPECT_THROW((void)BlockSum::from_bytes(std::span(bytes).first(at), map), DataError) << at;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  expect_refused(longer, map, "length");
}

TEST(BlockSum, RefusesSumsThatNoRowsHave) {
  // A sender whose checksums are right and whose sums are wrong.
  const RowMap map = map_of(2);
  const std::vector<double> numbers{0.5, 0.5, -0.25, 0.5};
  const std::vector<std::byte> bytes = sum_of(map, MatrixView::of_rows(numbers, 2)).bytes();
  const std::size_t rows_at = bytes.size() - 8 - 3 * 16 - 2 * 8 - 8;
  const auto with = [&](std::size_t at, std::int64_t value) {
    std::vector<std::byte> changed = bytes;
    std::memcpy(changed.data() + at, &value, sizeof value);
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t i = 0; i + 8 < changed.size(); ++i) {
      hash = (hash ^ std::to_integer<std::uint64_t>(changed[i])) * 0x100000001b3;
    }
    std::memcpy(changed.data() + changed.size() - 8, &hash, sizeof hash);
    return changed;
  };
  EXPECT_NO_THROW((void)BlockSum::from_bytes(with(rows_at, 2), map));
  expect_refused(with(rows_at, 0), map, "no rows");                      // sums without rows
  expect_refused(with(rows_at, std::int64_t{1} << 40), map, "no rows");  // more than 2^31 rows
  expect_refused(with(rows_at + 8, 3 << 20), map, "no rows");            // two rows, a sum of three
  expect_refused(with(rows_at + 24, -1), map, "no rows");                // a square below zero
  expect_refused(with(rows_at + 24, 1), map, "no rows");                 // a sum without its squares
  expect_refused(with(rows_at + 24, std::int64_t{3} << 40), map, "no rows");
  expect_refused(with(rows_at + 40, std::int64_t{3} << 40), map, "no rows");
}

/// The same rows again and again: 2^doubled times as many.
BlockSum doubled_sum(const RowMap& map, const MatrixView& rows, int doubled) {
  BlockSum sum(map, BlockSum::Of::slot);
  sum.add_rows(rows);
  for (int k = 0; k < doubled; ++k) sum.merge(BlockSum(sum));
  return sum;
}

TEST(SlotSum, TakesAnyNumberOfRows) {
  const RowMap map = map_of(2);
  const std::vector<double> numbers{0.5, 0.5, -0.25, 0.5};
  const MatrixView rows = MatrixView::of_rows(numbers, 2);
  const BlockSum many = doubled_sum(map, rows, 40);
  EXPECT_EQ(many.rows(), std::uint64_t{1} << 41);
  EXPECT_EQ(many.first()[1], std::int64_t{1} << 60);
  EXPECT_TRUE(many.products()[2] == WideInt{1} << 79);
  EXPECT_TRUE(BlockSum::from_bytes(many.bytes(), map, BlockSum::Of::slot) == many);
  EXPECT_THROW((void)BlockSum::from_bytes(many.bytes(), map), DataError) << "nobody may send so many";
  EXPECT_THROW(BlockSum(map).merge(many), InvalidParameter);
  BlockSum beyond = doubled_sum(map, rows, 45);
  EXPECT_EQ(beyond.first()[1], std::int64_t{1} << 62) << "the end of what is counted";
  beyond.add_rows(rows);
  EXPECT_EQ(beyond.rows(), (std::uint64_t{1} << 46) + 2);
}

// The sensitivity of a stream is that of one row: it must hold wherever sums are cut off.
TEST(SlotSum, IsNeverMovedByARowFartherThanTheRowMovesASumThatIsNotCut) {
  std::mt19937_64 generator(8);
  const auto apart = [](const BlockSum& a, const BlockSum& b) {
    std::vector<WideInt> by;
    for (std::size_t i = 0; i < a.first().size(); ++i) {
      by.push_back(WideInt{BlockSum::saturated(a.first()[i])} - BlockSum::saturated(b.first()[i]));
    }
    for (std::size_t i = 0; i < a.products().size(); ++i) {
      by.push_back(BlockSum::saturated(a.products()[i]) - BlockSum::saturated(b.products()[i]));
    }
    return by;
  };
  int cut = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::size_t d = 1 + generator() % 3;
    const RowMap map = map_of(d);
    const std::vector<double> person = normal_numbers(d, static_cast<unsigned>(trial));
    BlockSum with(map, BlockSum::Of::slot), without(map, BlockSum::Of::slot), alone(map);
    alone.add(person);
    const std::size_t place = generator() % 6;
    for (std::size_t i = 0; i < 6; ++i) {
      if (i == place) with.add(person);
      // Parts at the bound, of all sizes up to beyond both ends, and of both signs.
      std::vector<double> other(d, 0.0);
      other[0] = generator() % 2 == 0 ? 1 : -1;
      const BlockSum part =
          doubled_sum(map, MatrixView::of_rows(other, d), static_cast<int>(generator() % 46));
      with.merge(part);
      without.merge(part);
    }
    const std::vector<WideInt> moved = apart(with, without), most = apart(alone, BlockSum(map));
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const WideInt by = most[i] < 0 ? -moved[i] : moved[i], row = most[i] < 0 ? -most[i] : most[i];
      ASSERT_TRUE(by >= 0 && by <= row) << trial << ' ' << i;
      cut += by < row ? 1 : 0;
    }
  }
  EXPECT_GT(cut, 1000);
}

TEST(SlotSum, GivesAStreamNoMoreThanABlockCanHold) {
  StreamConfig slots{.budget = {.epsilon = 1, .delta = 1e-6}, .dimension = 1, .norm_bound = 1.0};
  slots.slot_seconds = 3600;
  slots.steps = 1;
  slots.private_count = true;
  slots.adjacency = Adjacency::add_remove;
  slots.unit_box = true;
  const Mechanism mechanism(slots);
  const std::vector<double> one{1.0};
  const auto released = [&](int doubled) {
    MomentStream stream(mechanism, InsecureTestSeed{4});
    stream.push_block(doubled_sum(RowMap::of(mechanism), MatrixView::of_rows(one, 1), doubled));
    return stream.release().packed();
  };
  EXPECT_NE(released(30), released(31));
  EXPECT_EQ(released(32), released(31));
  EXPECT_EQ(released(50), released(31));
}

TEST(BlockSum, TakesAllRowsOrNone) {
  BlockSum sum(map_of(2));
  const std::vector<double> numbers{0.1, 0.2, 0.3, std::nan("")};
  EXPECT_THROW(sum.add_rows(MatrixView::of_rows(numbers, 2)), DataError);
  EXPECT_THROW(sum.add_rows(MatrixView::of_rows(numbers, 4)), DataError);
  EXPECT_EQ(sum.rows(), 0U);
  EXPECT_TRUE(sum == BlockSum(map_of(2)));
}

}  // namespace
}  // namespace jme::block_sum_tests
