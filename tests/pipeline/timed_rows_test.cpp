#include <optional>
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
  RowIntake intake = run.intake();
  TimedRows timed = run.timed_rows();
  timed.take_rows(intake, MatrixView::of_rows(cells, 1), times(), {});
  for (std::size_t missing = 0; missing < rows; ++missing) {
    std::vector<std::optional<Seconds>> some = times();
    some[missing].reset();
    try {
      timed.take_rows(intake, MatrixView::of_rows(cells, 1), some, {});
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
  RowIntake intake = run.intake();
  TimedRows timed = run.timed_rows();
  std::vector<std::optional<Seconds>> some = times();
  some[1].reset();
  timed.take_rows(intake, MatrixView::of_rows(cells, 1), some, {});
  EXPECT_EQ(timed.rows(), rows);
  for (std::size_t slot = 0; slot < rows; ++slot) {
    EXPECT_EQ(timed.sums().of(slot).rows(), slot == 1 ? 0U : 1U);
  }
}

TEST(TimedRows, ThatLieOutsideOfTheScheduleAreNotedAfterThoseOfTheIntake) {
  const PreparedRun run = day("zero");
  std::vector<std::optional<Seconds>> some = times();
  RowFeed feed = run.feed([](const Release&) {});
  feed.take_rows(MatrixView::of_rows(cells, 1), some, {});
  EXPECT_TRUE(feed.notes().empty());
  some[0].reset();
  some[1] = *parse_time("2025-12-31T23:59:59");
  some[3] = *parse_time("2026-01-02");
  feed.take_rows(MatrixView::of_rows(cells, 1), some, {});
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
