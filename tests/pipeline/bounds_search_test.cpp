#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/bounds_search.hpp>
#include <jme/rows/row_source.hpp>

namespace jme::bounds_search_tests {
namespace {

using Kind = FoundRange::Kind;

RunSettings settings_with(const std::vector<std::pair<std::string, std::string>>& more = {}) {
  RunSettings settings;
  settings.set("columns", "a,b");
  settings.set("epsilon", "1");
  settings.set("delta", "1e-6");
  settings.set("first", "2000");
  for (const auto& [field, text] : more) settings.set(field, text);
  return settings;
}

/// 2000 records, a around 5 and b from 0 to 1.
RowBatch records_of_two_columns() {
  RowBatch records(2);
  for (int i = 0; i < 2000; ++i) {
    const std::span<double> row = records.add_row();
    row[0] = 5 + (i % 10) / 10.0;
    row[1] = i / 2000.0;
  }
  return records;
}
void fill(BoundsSearch& search) {
  search.add(records_of_two_columns());
}

/// Gives the records in batches of this length, and more than are searched.
class Batches final : public RowSource {
 public:
  Batches(RowBatch records, std::size_t length) : records_(std::move(records)), length_(length) {}
  bool next(RowBatch& batch, std::size_t most_rows) override {
    batch.clear(records_.columns());
    const std::size_t end = std::min(records_.rows(), given_ + std::min(most_rows, length_));
    batch.append(records_, given_, end);
    given_ = end;
    return batch.rows() > 0;
  }
  [[nodiscard]] std::size_t given() const { return given_; }

 private:
  RowBatch records_;
  std::size_t length_, given_ = 0;
};

std::string field_of(const RunSettings& settings) {
  try {
    static_cast<void>(BoundsSearch(bounds_search_config(settings)));
  } catch (const InvalidParameter& error) {
    return error.field();
  }
  return "";
}

TEST(BoundsSearchSettings, AreCheckedBeforeARecordIsRead) {
  EXPECT_EQ(field_of(settings_with()), "");
  EXPECT_EQ(field_of(settings_with({{"epsilon", "0"}})), "epsilon");
  EXPECT_EQ(field_of(settings_with({{"delta", "1"}})), "delta");
  EXPECT_EQ(field_of(settings_with({{"adjacency", "all"}})), "adjacency");
  EXPECT_EQ(field_of(settings_with({{"participations", "0"}})), "participations");
  EXPECT_EQ(field_of(settings_with({{"on_bad_row", "guess"}})), "on_bad_row");
  EXPECT_EQ(field_of(settings_with({{"first", "600"}})), "first") << "the noise would hide every range";
  EXPECT_EQ(field_of(settings_with({{"first", "600"}, {"epsilon", "4"}})), "");
  for (const char* needed : {"columns", "epsilon", "delta", "first"}) {
    RunSettings all = settings_with(), without;
    for (const char* field : {"columns", "epsilon", "delta", "first"}) {
      if (std::string(field) != needed) without.set(field, *all[field]);
    }
    EXPECT_EQ(field_of(without), needed);
  }
}

TEST(BoundsSearch, FindsRangesOfItsColumns) {
  BoundsSearch search(bounds_search_config(settings_with({{"insecure_test_seed", "3"}})));
  fill(search);
  const FoundBounds found = search.find();
  ASSERT_EQ(found.columns, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found.ranges[0].kind, Kind::found);
  EXPECT_LE(found.ranges[0].low, 5);
  EXPECT_GE(found.ranges[0].high, 5.9);
  EXPECT_LT(found.ranges[0].high, 40);
  EXPECT_EQ(found.origin.first, 2000U);
  EXPECT_EQ(found.origin.mu, search.search().mu());
  EXPECT_TRUE(found.origin.insecure);
}

TEST(BoundsSearch, DrawsFromAnotherKeyEachTime) {
  BoundsSearch search(bounds_search_config(settings_with()));
  fill(search);
  const FoundBounds one = search.find(), other = search.find();
  EXPECT_NE(one.ranges[0].outside, other.ranges[0].outside);
  EXPECT_NE(one.ranges[1].outside, other.ranges[1].outside);
}

// Which records are searched must be fixed by their places: a record that becomes unreadable moves no other.
TEST(BoundsSearch, CountsRecordsThatCannotBeRead) {
  BoundsSearch search(bounds_search_config(settings_with()));
  RowBatch bad(2);
  bad.add_rows(1999);
  for (std::size_t i = 0; i < bad.rows(); ++i) bad.set_bad(i);
  search.add(bad);
  EXPECT_FALSE(search.is_full());
  EXPECT_THROW(static_cast<void>(search.find()), DataError);
  RowBatch last(2);
  last.add_row()[1] = RowBatch::missing;
  search.add(last);
  EXPECT_TRUE(search.is_full());
  const FoundBounds found = search.find();
  EXPECT_EQ(found.ranges[0].kind, Kind::not_found);
  EXPECT_EQ(found.ranges[1].kind, Kind::not_found);
}

TEST(BoundsSearch, FindsTheSameHoweverItsRecordsAreDividedAndTakesNoFurtherRecord) {
  RowBatch records = records_of_two_columns();
  for (std::size_t i = 0; i < records.rows(); ++i) {
    records.set_person(i, std::to_string(i % 900));  // two or three records each
    if (i % 50 == 7) records.set_bad(i);
    if (i % 40 == 3) records.row(i)[0] = RowBatch::missing;
  }
  const RowBatch first = records;
  records.append(first, 0, first.rows());
  std::vector<std::pair<double, double>> expected;
  for (const std::size_t length : {4096, 1, 7, 1999}) {
    BoundsSearch search(bounds_search_config(
        settings_with({{"insecure_test_seed", "4"}, {"person", "who"}, {"rows_per_person", "2"}})));
    Batches source(records, length);
    search.take_all(source);
    EXPECT_TRUE(search.is_full());
    EXPECT_EQ(source.given(), 2000U);
    std::vector<std::pair<double, double>> found;
    for (const FoundRange& range : search.find().ranges) {
      found.emplace_back(range.low, range.high);
      found.emplace_back(range.outside, range.outside_std);
    }
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected) << length;
  }
}

TEST(BoundsSearch, TakesMissingCellsForNoCells) {
  BoundsSearch search(bounds_search_config(settings_with({{"insecure_test_seed", "1"}})));
  RowBatch records = records_of_two_columns();
  for (std::size_t i = 0; i < records.rows(); ++i) records.row(i)[1] = RowBatch::missing;
  search.add(records);
  const FoundBounds found = search.find();
  EXPECT_EQ(found.ranges[0].kind, Kind::found);
  EXPECT_EQ(found.ranges[1].kind, Kind::not_found) << "not constant at 0";
}

}  // namespace
}  // namespace jme::bounds_search_tests
