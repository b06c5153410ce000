#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <jme/base/errors.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_feed.hpp>
#include <jme/pipeline/timed_rows.hpp>

namespace jme {
namespace {

constexpr std::size_t rows = 4;
const std::vector<double> cells(rows, 0.5);

PreparedRun day(const char* on_bad_row) {
  RunSettings settings;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"bounds", "a=-1:1"},
                                                        {"time", "when"},
                                                        {"every", "1h"},
                                                        {"from", "2026-01-01"},
                                                        {"until", "2026-01-02"},
                                                        {"sigma", "1"},
                                                        {"on_bad_row", on_bad_row}}) {
    settings.set(name, text);
  }
  return PreparedRun(run_config(settings));
}

/// Rows of one cell; one without a time is bad.
RowBatch batch_of(std::span<const double> numbers, const std::vector<std::optional<Seconds>>& when) {
  RowBatch batch(1);
  for (std::size_t r = 0; r < numbers.size(); ++r) {
    batch.add_row()[0] = numbers[r];
    when[r] ? batch.set_time(r, *when[r]) : batch.set_bad(r);
  }
  return batch;
}

/// In the first slots of the day, one each.
std::vector<std::optional<Seconds>> times() {
  std::vector<std::optional<Seconds>> result;
  for (std::size_t r = 0; r < rows; ++r) {
    result.emplace_back(*parse_time("2026-01-01") + 3600 * static_cast<Seconds>(r));
  }
  return result;
}

TEST(TimedRows, AreTakenAllOrNoneWhereOneHasNoTime) {
  const PreparedRun run = day("fail");
  RowRules rules = run.rules();
  TimedRows timed = run.timed_rows();
  timed.take(rules, batch_of(cells, times()));
  for (std::size_t missing = 0; missing < rows; ++missing) {
    std::vector<std::optional<Seconds>> some = times();
    some[missing].reset();
    try {
      timed.take(rules, batch_of(cells, some));
      ADD_FAILURE() << "a row without a time was taken";
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), rows + missing + 1);
    }
    EXPECT_EQ(timed.rows(), rows);
  }
  for (std::size_t slot = 0; slot < rows; ++slot) EXPECT_EQ(timed.sums().of(slot).rows(), 1U);
}

TEST(TimedRows, ThatHaveNoTimeCountNowhereWhereBadRowsCount) {
  const PreparedRun run = day("zero");
  RowRules rules = run.rules();
  TimedRows timed = run.timed_rows();
  std::vector<std::optional<Seconds>> some = times();
  some[1].reset();
  timed.take(rules, batch_of(cells, some));
  EXPECT_EQ(timed.rows(), rows);
  for (std::size_t slot = 0; slot < rows; ++slot) {
    EXPECT_EQ(timed.sums().of(slot).rows(), slot == 1 ? 0U : 1U);
  }
}

TEST(TimedRows, AreDoubtedWhereMoreThanHalfOfThemAreInOneSlotOrOutside) {
  const Seconds begin = *parse_time("2026-01-01");
  const auto doubts = [&](std::size_t together, std::size_t apart, std::size_t outside) {
    const PreparedRun run = day("fail");
    RowRules rules = run.rules();
    TimedRows timed = run.timed_rows();
    std::vector<std::optional<Seconds>> when(together, begin + 7200);
    for (std::size_t i = 0; i < apart; ++i) when.emplace_back(begin + 3600 * static_cast<Seconds>(3 + i));
    when.insert(when.end(), outside, 60);
    const std::vector<double> numbers(when.size(), 0.5);
    timed.take(rules, batch_of(numbers, when));
    return timed.doubts("the unit").value_or("");
  };
  EXPECT_EQ(doubts(5, 5, 0), "");
  EXPECT_EQ(
      doubts(6, 5, 0).substr(0, 99),
      "more than half of the rows (6 of 11) are in the same slot of time, which begins at 2026-01-01T02:00");
  EXPECT_EQ(doubts(6, 3, 0), "");  // of so few, chance puts more than half together
  EXPECT_EQ(doubts(1, 1, 2), "");
  EXPECT_EQ(doubts(1, 1, 3).substr(0, 75),
            "more than half of the rows (3 of 5) have a time outside of the schedule and");
  EXPECT_NE(doubts(0, 0, 1).find("are not seconds since 1970, the unit says what they count"),
            std::string::npos);
  EXPECT_EQ(doubts(0, 0, 0), "");
}

TEST(TimedRows, OfAScheduleOfTwoSlotsAreNotDoubtedForBeingInOne) {
  RunSettings settings;
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{{"bounds", "a=-1:1"},
                                                                                   {"time", "when"},
                                                                                   {"every", "12h"},
                                                                                   {"from", "2026-01-01"},
                                                                                   {"until", "2026-01-02"},
                                                                                   {"sigma", "1"}}) {
    settings.set(name, text);
  }
  const PreparedRun run(run_config(settings));
  RowRules rules = run.rules();
  TimedRows timed = run.timed_rows();
  const std::vector<double> numbers(20, 0.5);
  const std::vector<std::optional<Seconds>> when(20, *parse_time("2026-01-01T13:00"));
  timed.take(rules, batch_of(numbers, when));
  EXPECT_FALSE(timed.doubts("the unit"));
}

TEST(TimedRows, ThatLieOutsideOfTheScheduleAreNotedAfterThoseOfTheRules) {
  const PreparedRun run = day("zero");
  std::vector<std::optional<Seconds>> some = times();
  RowFeed feed = run.feed([](const Release&) {});
  feed.take_rows(batch_of(cells, some));
  EXPECT_TRUE(feed.notes().empty());
  some[0].reset();
  some[1] = *parse_time("2025-12-31T23:59:59");
  some[3] = *parse_time("2026-01-02");
  feed.take_rows(batch_of(cells, some));
  feed.end_input();
  const std::vector<Note> notes = feed.notes();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(name(notes[0].kind), "unread_rows");
  EXPECT_EQ(name(notes[1].kind), "rows_outside");
  EXPECT_EQ(notes[1].count, 2U);
  EXPECT_EQ(notes[1].rows, 2 * rows);
}

}  // namespace
}  // namespace jme
