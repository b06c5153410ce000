#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/bounds_search.hpp>

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
void fill(BoundsSearch& search) {
  for (int i = 0; i < 2000; ++i) {
    search.add(std::vector<double>{5 + (i % 10) / 10.0, i / 2000.0}, {});
  }
}

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
  for (int i = 0; i < 1999; ++i) search.add_bad();
  EXPECT_FALSE(search.is_full());
  EXPECT_THROW(static_cast<void>(search.find()), DataError);
  search.add(std::vector<double>{1, 2}, std::vector<std::size_t>{1});
  EXPECT_TRUE(search.is_full());
  const FoundBounds found = search.find();
  EXPECT_EQ(found.ranges[0].kind, Kind::not_found);
  EXPECT_EQ(found.ranges[1].kind, Kind::not_found);
}

TEST(BoundsSearch, TakesMissingCellsForNoCells) {
  BoundsSearch search(bounds_search_config(settings_with({{"insecure_test_seed", "1"}})));
  for (int i = 0; i < 2000; ++i) {
    search.add(std::vector<double>{5 + (i % 10) / 10.0, 0}, std::vector<std::size_t>{1});
  }
  const FoundBounds found = search.find();
  EXPECT_EQ(found.ranges[0].kind, Kind::found);
  EXPECT_EQ(found.ranges[1].kind, Kind::not_found) << "not constant at 0";
}

}  // namespace
}  // namespace jme::bounds_search_tests
