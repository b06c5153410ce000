#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/pipeline/row_rules.hpp>

#include "one_row.hpp"

namespace jme {
namespace {

using ::testing::ElementsAre;
using Row = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<std::string> two_columns{"a", "b"};

RowRules rules_of(const std::string& missing, OnBadRow on_bad_row = OnBadRow::fail, bool bounded = true) {
  const ColumnBounds bounds =
      bounded ? ColumnBounds::parse("a=0:10,b=-2:2", two_columns) : ColumnBounds::none(2);
  const MissingCells cells =
      missing.empty() ? MissingCells(2) : MissingRules::parse(missing).of(two_columns, bounds);
  return {bounds, cells, on_bad_row, std::sqrt(2.0)};
}

Row taken(RowRules& rules, const Row& row) {
  return test::take_row(rules, row);
}

std::vector<std::size_t> counts(const RowRules& rules) {
  std::vector<std::size_t> result;
  for (const Note& note : rules.notes()) result.push_back(note.count);
  return result;
}

TEST(RowRules, MapsRowsToTheUnitBoxAndClampsThem) {
  RowRules rows = rules_of("");
  EXPECT_EQ(taken(rows, {7.5, -1}), (Row{0.5, -0.5}));
  EXPECT_THAT(counts(rows), ElementsAre());
  EXPECT_EQ(taken(rows, {-1e300, 1e300}), (Row{-1, 1}));
  EXPECT_THAT(counts(rows), ElementsAre(1, 1));
  RowRules plain = rules_of("", OnBadRow::fail, false);
  EXPECT_EQ(taken(plain, {7.5, -1}), (Row{7.5, -1}));
}

TEST(RowRules, FillsNanAndRemembersTheRowAsItWas) {
  RowRules rows = rules_of("a=10,b=0");
  const auto [row, as_read] = test::take(rows, test::one_row(Row{nan, 1}));
  EXPECT_EQ(row, (Row{1, 0.5}));
  EXPECT_TRUE(std::isnan(as_read[0]));
  EXPECT_EQ(as_read[1], 0.5);
  EXPECT_EQ(taken(rows, {nan, nan}), (Row{1, 0}));
  EXPECT_EQ(taken(rows, {5, nan}), (Row{0, 0}));
}

TEST(RowRules, RefusesABadRowWithItsPlaceAndDoesNotCountIt) {
  RowRules rows = rules_of("b=0");
  static_cast<void>(taken(rows, {1, 1}));
  for (const Row& bad : {Row{nan, 1}, Row{infinity, 1}, Row{-infinity, nan}}) {
    try {
      static_cast<void>(taken(rows, bad));
      ADD_FAILURE() << "the row was taken";
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), 2U);
      EXPECT_EQ(error.column(), 1U);
    }
  }
  EXPECT_THROW(static_cast<void>(taken(rows, {1})), DataError);
  static_cast<void>(taken(rows, {1, nan}));
  ASSERT_EQ(rows.notes().size(), 2U);
  EXPECT_EQ(rows.notes()[0].rows, 2U);
}

TEST(RowRules, CountsABadRowAsZeroWhereAskedButNotOneThatMustNotBeMissing) {
  RowRules rows = rules_of("", OnBadRow::zero);
  EXPECT_EQ(taken(rows, {nan, 1}), (Row{0, 0}));
  const auto [row, as_read] = test::take(rows, test::one_row(Row{9, infinity}));
  EXPECT_EQ(row, (Row{0, 0}));
  EXPECT_EQ(as_read, (Row{0, 0}));
  EXPECT_THAT(counts(rows), ElementsAre(2));
  RowRules strict = rules_of("fail", OnBadRow::zero);
  EXPECT_THROW(static_cast<void>(taken(strict, {1, nan})), DataError);
  EXPECT_EQ(taken(strict, {infinity, nan}), (Row{0, 0}));  // the first fault decides, as in a file
}

TEST(RowRules, ReturnsNotesWithKindCountAndColumn) {
  RowRules rows = rules_of("centre", OnBadRow::zero);
  for (const Row& row : {Row{1, nan}, Row{nan, nan}, Row{infinity, 1}, Row{1, 1}}) {
    static_cast<void>(taken(rows, row));
  }
  const std::vector<Note> notes = rows.notes();
  ASSERT_EQ(notes.size(), 4U);
  EXPECT_EQ(notes[0].kind, Note::Kind::bad_rows);
  EXPECT_EQ(notes[1].kind, Note::Kind::filled_rows);
  EXPECT_EQ(notes[2].kind, Note::Kind::filled_cells);
  EXPECT_EQ(notes[2].column, 0U);
  EXPECT_EQ(notes[3].column, 1U);
  EXPECT_THAT(counts(rows), ElementsAre(1, 2, 1, 2));
  for (const Note& note : notes) EXPECT_EQ(note.rows, 4U);
}

// Bounds that do not hold 0, which stands for a missing cell on the way: no cell is counted there.
TEST(RowRules, CountsClampedCellsHoweverRowsComeButNotThoseOfBadRowsOrMissingOnes) {
  const ColumnBounds bounds = ColumnBounds::parse("a=34:43,b=30:220", two_columns);
  const auto made = [&] {
    return RowRules(bounds, MissingRules::parse("a=37").of(two_columns, bounds), OnBadRow::zero, 2);
  };
  const std::vector<Row> all{{98.6, 60}, {nan, 10}, {33, 250}, {infinity, 10},
                             {34, 220},  {99, nan}, {37, 250}};
  RowRules one_by_one = made(), as_table = made(), as_read = made();
  std::vector<double> numbers;
  for (const Row& row : all) {
    static_cast<void>(taken(one_by_one, row));
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  static_cast<void>(as_table.take(MatrixView::of_rows(numbers, 2)));
  // As a reader of files gives them: bad rows apart.
  for (const Row& row : all) {
    const bool is_bad = std::isnan(row[1]) || std::isinf(row[0]);
    static_cast<void>(as_read.take(is_bad ? test::bad_row(2) : test::one_row(row)));
  }
  for (const RowRules* rules : {&one_by_one, &as_table, &as_read}) {
    EXPECT_THAT(rules->clamped().cells, ElementsAre(4, 5));
    EXPECT_THAT(rules->clamped().below, ElementsAre(1, 1));
    EXPECT_THAT(rules->clamped().above, ElementsAre(1, 2));
    const std::vector<Note> notes = rules->notes();
    ASSERT_EQ(notes.size(), 7U);
    EXPECT_EQ(name(notes[3].kind), "clamped_low");
    EXPECT_EQ(notes[3].column, 0U);
    EXPECT_EQ(notes[3].rows, 4U);
    EXPECT_EQ(name(notes[6].kind), "clamped_high");
    EXPECT_EQ(notes[6].count, 2U);
    EXPECT_EQ(notes[6].rows, 5U);
  }
}

TEST(RowRules, CountsClampedCellsOfWholeTables) {
  RowRules rows = rules_of("");
  const std::vector<double> numbers{11, 0, 5, -3, 10, 2, -1, 3};
  static_cast<void>(rows.take(MatrixView::of_rows(numbers, 2)));
  EXPECT_THAT(rows.clamped().cells, ElementsAre(4, 4));
  EXPECT_THAT(rows.clamped().below, ElementsAre(1, 1));
  EXPECT_THAT(rows.clamped().above, ElementsAre(1, 1));
}

// What becomes of a row is a function of that row, of public settings and of releases: whatever the rows
// before it were, the same row gives the same bits.
TEST(RowRules, JudgesEachRowOnItsOwn) {
  for (const char* rules : {"", "centre", "mean", "model", "a=3"}) {
    for (const Row& before : {Row{1, 1}, Row{nan, nan}, Row{infinity, 0}, Row{1e308, nan}}) {
      RowRules calm = rules_of(rules, OnBadRow::zero), shaken = rules_of(rules, OnBadRow::zero);
      static_cast<void>(taken(calm, {5, 0}));
      static_cast<void>(taken(shaken, before));
      for (const Row& row : {Row{2, nan}, Row{nan, nan}, Row{3, 1}, Row{nan, infinity}}) {
        EXPECT_EQ(taken(calm, row), taken(shaken, row)) << rules;
      }
    }
  }
}

TEST(RowRules, FillsFromTheReleaseItLearntAndStaysInTheBox) {
  StreamConfig config;
  config.budget.sigma = 1e-6;
  config.rows = 100;
  config.every = 50;
  config.dimension = 2;
  config.norm_bound = std::sqrt(2.0);
  MomentStream stream(Mechanism(config), InsecureTestSeed{1});
  for (int t = 0; t < 50; ++t) {
    const double a = 0.8 * std::sin(t);
    stream.push(Row{a, 0.5 * a + 0.25});
  }
  RowRules mean = rules_of("mean"), model = rules_of("model");
  EXPECT_EQ(taken(mean, {10, nan})[1], 0);  // before the first release: the centre
  mean.learn(stream.release());
  model.learn(stream.release());
  double average = 0;
  for (int t = 0; t < 50; ++t) average += (0.4 * std::sin(t) + 0.25) / 50;
  // Lattice steps of 2^-20 sqrt(2); the noise is smaller.
  EXPECT_NEAR(taken(mean, {10, nan})[1], average, 3e-6);
  // The line is known to the noise level, which the model adds to each variance of about 0.1.
  EXPECT_NEAR(taken(model, {9, nan})[1], 0.5 * 0.8 + 0.25, 1e-3);
  EXPECT_LE(std::abs(taken(model, {10, nan})[1]), 1);
}

}  // namespace
}  // namespace jme
