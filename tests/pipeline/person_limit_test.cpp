#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/person_limit.hpp>
#include <jme/pipeline/row_rules.hpp>

#include "one_row.hpp"

namespace jme {
namespace {

Key limit_key(std::uint64_t seed = 1) {
  return InsecureTestSeed{seed}.key();
}

TEST(PersonLimit, LetsTheFirstRecordsOfEveryIdCountAndNoOther) {
  std::mt19937 generator(3);
  for (const std::uint64_t rows : {1u, 2u, 3u, 7u, 1000u}) {
    PersonLimit limit(rows, limit_key());
    std::map<std::string, std::uint64_t> seen;
    for (int i = 0; i < 20'000; ++i) {
      const std::string id = generator() % 3 == 0 ? "often" : fmt::format("p{}", generator() % 5000);
      ASSERT_EQ(limit.admit(id), ++seen[id] <= rows) << id;
      if (i % 50 == 0) {
        ASSERT_FALSE(limit.admit(std::nullopt)) << "nobody's record does not count";
      }
    }
    EXPECT_EQ(limit.people(), seen.size());
    EXPECT_LE(limit.bytes(), 28 * limit.people());
  }
}

TEST(PersonLimit, TellsIdsOfAnyBytesApart) {
  using namespace std::string_literals;
  const std::vector<std::string> ids{"",     "\0"s, "\0\0"s, "a",        "a\0"s,      "A",
                                     "\xff", "7",   "7.0",   "12345678", "123456789", std::string(1000, 'x')};
  PersonLimit limit(1, limit_key());
  for (const std::string& id : ids) EXPECT_TRUE(limit.admit(id));
  for (const std::string& id : ids) EXPECT_FALSE(limit.admit(id));
}

TEST(PersonLimit, KeepsDigestsThatOnlyItsKeyExplains) {
  const auto kept = [](std::uint64_t seed) {
    PersonLimit limit(1, limit_key(seed));
    limit.keep_records();
    EXPECT_TRUE(limit.admit("ann"));
    const std::vector<std::byte> bytes = limit.take_records();
    return std::vector<std::byte>(bytes.begin() + 32, bytes.end());  // without the key
  };
  EXPECT_EQ(kept(1), kept(1));
  EXPECT_NE(kept(1), kept(2));
}

TEST(PersonLimit, GoesOnFromWhatWasKept) {
  std::mt19937 generator(4);
  PersonLimit whole(3, limit_key()), part(3, limit_key());
  part.keep_records();
  std::vector<std::byte> kept;
  for (int i = 0; i < 5000; ++i) {
    const std::string id = fmt::format("p{}", generator() % 700);
    ASSERT_EQ(part.admit(id), whole.admit(id)) << i;
    if (generator() % 100 != 0) continue;
    const std::vector<std::byte> piece = part.take_records();
    kept.insert(kept.end(), piece.begin(), piece.end());
    part = PersonLimit::restored({.in_all = 3}, kept);
  }
  EXPECT_EQ(part.people(), whole.people());
  kept.pop_back();
  EXPECT_THROW(static_cast<void>(PersonLimit::restored({.in_all = 3}, kept)), StateError);
  EXPECT_THROW(static_cast<void>(PersonLimit::restored({.in_all = 3}, {})), StateError);
}

TEST(PersonLimit, CountsInEachWindowAndInAllWhateverOrderWindowsComeIn) {
  std::mt19937 generator(5);
  for (const PersonRows rows : {PersonRows{.in_window = 2}, PersonRows{.in_all = 5, .in_window = 2}}) {
    PersonLimit limit(rows, limit_key());
    std::map<std::pair<std::string, std::int64_t>, std::uint64_t> in_window;
    std::map<std::string, std::uint64_t> in_all;
    for (int i = 0; i < 20'000; ++i) {
      const std::string id = fmt::format("p{}", generator() % 900);
      const std::int64_t window = static_cast<std::int64_t>(generator() % 9) - 4;
      limit.enter_window(window);
      const bool counts =
          in_window[{id, window}] < rows.in_window && (rows.in_all == 0 || in_all[id] < rows.in_all);
      if (counts) ++in_window[{id, window}], ++in_all[id];
      ASSERT_EQ(limit.admit(id), counts) << id << ' ' << window;
      if (i % 50 != 0) continue;
      limit.enter_window(std::nullopt);
      ASSERT_FALSE(limit.admit("somebody new")) << "a record of no window does not count";
    }
  }
}

TEST(PersonLimit, ForgetsAWindowWhenTheNextOneBeginsAndNothingElse) {
  PersonLimit limit({.in_all = 3, .in_window = 1}, limit_key());
  for (std::int64_t window = 0; window < 3; ++window) {
    limit.begin_window(window);
    EXPECT_TRUE(limit.admit("ann"));
    limit.enter_window(std::nullopt);  // before the first slot, after a clock was set back
    limit.begin_window(window);
    EXPECT_FALSE(limit.admit("ann")) << "the same window goes on";
  }
  limit.begin_window(3);
  EXPECT_FALSE(limit.admit("ann")) << "three in all";
  EXPECT_TRUE(limit.admit("bob"));
  EXPECT_LE(limit.people(), 3U);
}

TEST(PersonLimit, GoesOnInItsWindowFromWhatWasKept) {
  std::mt19937 generator(6);
  const PersonRows rows{.in_all = 4, .in_window = 2};
  PersonLimit whole(rows, limit_key()), part(rows, limit_key());
  part.keep_records();
  std::vector<std::byte> kept;
  std::int64_t window = 0;
  for (int i = 0; i < 5000; ++i) {
    window += generator() % 200 == 0 ? 1 : 0;
    whole.begin_window(window);
    part.begin_window(window);
    const std::string id = fmt::format("p{}", generator() % 700);
    ASSERT_EQ(part.admit(id), whole.admit(id)) << i;
    if (generator() % 100 != 0) continue;
    const std::vector<std::byte> piece = part.take_records();
    kept.insert(kept.end(), piece.begin(), piece.end());
    part = PersonLimit::restored(rows, kept);
  }
  EXPECT_EQ(part.people(), whole.people());
  EXPECT_THROW(static_cast<void>(PersonLimit::restored({.in_all = 4}, kept)), StateError);
}

TEST(PersonLimit, RefusesLimitsThatItCannotCount) {
  EXPECT_THROW(PersonLimit(PersonRows{}, limit_key()), InvalidParameter);
  EXPECT_THROW(PersonLimit(0, limit_key()), InvalidParameter);
  EXPECT_THROW(PersonLimit(std::uint64_t{1} << 32, limit_key()), InvalidParameter);
}

const std::vector<std::string> limited_columns{"x", "y"};

RowRules limited_rules(std::uint64_t rows, bool tells_persons = false) {
  const ColumnBounds bounds = ColumnBounds::parse("x=0:10,y=0:10", limited_columns);
  RowRules rules(bounds, MissingRules{}.of(limited_columns, bounds), OnBadRow::zero, std::sqrt(2.0), true);
  rules.limit(PersonLimit(rows, limit_key()), tells_persons);
  return rules;
}

constexpr double no_cell_here = std::numeric_limits<double>::quiet_NaN();

TEST(LimitedRules, CountsRecordsWhateverIsInThem) {
  RowRules rules = limited_rules(3);
  const auto is_there = [&](const std::vector<double>& row, const PersonId& who) {
    return !std::isnan(test::take_row(rules, row, who)[0]);
  };
  EXPECT_TRUE(is_there({1, 2}, "ann"));
  static_cast<void>(rules.take(test::bad_row(2, "ann")));  // cannot be read, and uses up the limit
  EXPECT_FALSE(is_there({no_cell_here, 2}, "ann"));        // a missing cell, and uses up the limit
  EXPECT_FALSE(is_there({3, 4}, "ann")) << "the fourth";
  EXPECT_TRUE(is_there({3, 4}, "bob"));
  EXPECT_FALSE(is_there({3, 4}, std::nullopt));
  using enum Note::Kind;
  std::map<Note::Kind, std::size_t> notes;
  for (const Note& note : rules.notes()) notes[note.kind] = note.count;
  EXPECT_EQ(notes,
            (std::map<Note::Kind, std::size_t>{{unread_rows, 2}, {nobodys_rows, 1}, {rows_over_limit, 1}}));
}

// Else the counts would tell whether a person had rows before.
TEST(LimitedRules, CountsClampedCellsOfEveryRecordWhicheverOfThemCount) {
  const auto counted = [](std::uint64_t limit, const PersonId& first, const PersonId& second) {
    RowRules rules = limited_rules(limit);
    for (const PersonId& who : {first, second, first}) {
      for (const auto& row : {std::vector<double>{12, -1}, {-2, 3}, {99, no_cell_here}}) {
        static_cast<void>(test::take_row(rules, row, who));
      }
      static_cast<void>(rules.take(test::bad_row(2, who)));
    }
    return std::vector{rules.clamped().cells, rules.clamped().below, rules.clamped().above};
  };
  const auto all = counted(100, "ann", "bob");
  EXPECT_EQ(all, (std::vector<std::vector<std::size_t>>{{6, 6}, {3, 3}, {3, 0}}));
  EXPECT_EQ(counted(1, "ann", "bob"), all);
  EXPECT_EQ(counted(2, "ann", "ann"), all);
  EXPECT_EQ(counted(1, std::nullopt, "ann"), all);
}

TEST(LimitedRules, NeedsThePersonOfEveryRowAndRowsThatCanBeAbsent) {
  RowRules rules = limited_rules(1);
  std::vector<double> row{1, 2};
  EXPECT_THROW(static_cast<void>(rules.take(MatrixView::of_rows(row, 2))), InvalidParameter);
  EXPECT_TRUE(std::isnan(test::take_row(rules, row, std::nullopt)[0])) << "nobody's";
  const ColumnBounds bounds = ColumnBounds::none(2);
  RowRules present(bounds, MissingRules{}.of(limited_columns, bounds), OnBadRow::zero, 1);
  EXPECT_THROW(present.limit(PersonLimit(1, limit_key()), false), InvalidParameter);
  EXPECT_THROW(test::take_row(present, row, "ann"), InvalidParameter);
}

TEST(LimitedRules, TellsWhoseRowItWasAndWhetherItCounted) {
  const auto told = [](const PersonId& who, int before) {
    RowRules rules = limited_rules(1, true);
    const RowBatch row = test::one_row(std::vector<double>{1, 2}, who);
    for (int i = 0; i < before; ++i) static_cast<void>(rules.take(row));
    const std::vector<double> as_read = test::take(rules, row).as_read;
    EXPECT_EQ(as_read.size(), 2 + RowRules::numbers_of_person);
    std::vector<std::uint64_t> bits;
    for (const double number : as_read) bits.push_back(std::bit_cast<std::uint64_t>(number));
    return bits;
  };
  EXPECT_EQ(told("ann", 0), told("ann", 0));
  EXPECT_NE(told("ann", 0), told("bob", 0));
  EXPECT_NE(told("ann", 1), told("bob", 1)) << "rows beyond the limit have an id too";
  EXPECT_NE(told("ann", 0), told("ann", 1));
  EXPECT_NE(told("ann", 1), told(std::nullopt, 0));
}

}  // namespace
}  // namespace jme
