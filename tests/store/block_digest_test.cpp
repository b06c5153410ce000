#include "store/block_digest.hpp"

#include <bit>

#include <gtest/gtest.h>

#include "store/bytes.hpp"

namespace jme::store {
namespace {

Key sample_key() {
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return Key(bytes);
}

StreamKeys sample_keys() {
  return {sample_key(), Identity{}};
}

std::vector<double> sample_row(double value) {
  return {value, -value, 1 / (1 + value)};
}

MatrixView view(const std::vector<double>& row) {
  return MatrixView::of_rows(row, row.size());
}

TEST(BlockDigest, IsTheSameForTheSameRowsHoweverTheyAreDividedAndLieInMemory) {
  constexpr std::size_t rows = 3000;
  std::vector<double> all, by_columns(3 * rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<double> row = sample_row(static_cast<double>(i));
    all.insert(all.end(), row.begin(), row.end());
    for (std::size_t j = 0; j < 3; ++j) by_columns[j * rows + i] = row[j];
  }
  BlockDigest one_by_one(sample_keys()), together(sample_keys()), in_parts(sample_keys()),
      columns(sample_keys());
  for (std::size_t i = 0; i < rows; ++i) one_by_one.add(view(sample_row(static_cast<double>(i))));
  const MatrixView rows_of_all = MatrixView::of_rows(all, 3);
  together.add(rows_of_all);
  for (std::size_t i = 0; i < rows; i += 750) in_parts.add(rows_of_all.part(i, 750));
  columns.add({.data = by_columns.data(),
               .rows = rows,
               .columns = 3,
               .row_stride = 1,
               .column_stride = static_cast<std::ptrdiff_t>(rows)});
  const Tag expected = one_by_one.close();
  EXPECT_TRUE(equal(together.close(), expected));
  EXPECT_TRUE(equal(in_parts.close(), expected));
  EXPECT_TRUE(equal(columns.close(), expected));
}

TEST(BlockDigest, DiffersWhereAnyBitOfAnyRowDoes) {
  constexpr int rows = 2000;
  const auto digest = [](int changed) {
    BlockDigest digest_of(sample_keys());
    for (int i = 0; i < rows; ++i) {
      std::vector<double> row = sample_row(i);
      if (i == changed) row[2] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(row[2]) ^ 1U);
      digest_of.add(view(row));
    }
    return digest_of.close();
  };
  const Tag unchanged = digest(-1);
  for (const int changed : {0, 1, 777, rows - 1}) EXPECT_FALSE(equal(digest(changed), unchanged)) << changed;
}

TEST(BlockDigest, DependsOnThePlaceOfTheRowsAndOnTheKey) {
  const auto digest = [](const StreamKeys& keys, std::uint64_t row) {
    BlockDigest digest_of(keys, row);
    digest_of.add(view(sample_row(1)));
    digest_of.add(view(sample_row(2)));
    return digest_of.close();
  };
  Identity other{};
  other[0] = std::byte{1};
  const Tag a = digest(sample_keys(), 0);
  EXPECT_TRUE(equal(digest(sample_keys(), 0), a));
  EXPECT_FALSE(equal(digest(sample_keys(), 2), a)) << "equal blocks in two places";
  EXPECT_FALSE(equal(digest(StreamKeys(sample_key(), other), 0), a)) << "another stream";
}

}  // namespace
}  // namespace jme::store
