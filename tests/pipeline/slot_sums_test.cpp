// Files: every row counts in the slot of its own time, whatever other rows say.
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/slot_sums.hpp>

#include "temporary_folder.hpp"

namespace jme {
namespace {

using ::testing::HasSubstr;

struct TimedRow {
  Seconds time;
  std::vector<double> cells;
};

RunSettings settings_of_day(const std::vector<std::pair<std::string, std::string>>& more = {}) {
  RunSettings settings;
  const std::vector<std::pair<std::string, std::string>> base{
      {"bounds", "a=-1:1,b=-1:1"}, {"time", "ts"},   {"every", "1h"},   {"from", "2026-01-01"},
      {"until", "2026-01-02"},     {"epsilon", "1"}, {"delta", "1e-6"}, {"insecure_test_seed", "4"}};
  for (const auto& [name, text] : base) settings.set(name, text);
  for (const auto& [name, text] : more) settings.set(name, text);
  return settings;
}

/// Times in and around the day; some are far away.
TimedRow random_row(std::mt19937_64& generator) {
  const Seconds day = *parse_time("2026-01-01");
  std::uniform_int_distribution<Seconds> near(-7200, 86400 + 7200);
  std::uniform_real_distribution<double> cell(-1, 1);
  Seconds time = day + near(generator);
  if (generator() % 10 == 0) time = day + 3600 * static_cast<Seconds>(generator() % 26);  // a boundary
  if (generator() % 20 == 0) time = *parse_time("2099-01-01");
  if (generator() % 20 == 0) time = *parse_time("0001-01-01");
  return {.time = time, .cells = {cell(generator), cell(generator)}};
}

std::vector<TimedRow> random_file(std::mt19937_64& generator, std::size_t rows) {
  std::vector<TimedRow> result;
  for (std::size_t i = 0; i < rows; ++i) result.push_back(random_row(generator));
  return result;
}

std::vector<BlockSum> slots_of(const PreparedRun& run, const std::vector<TimedRow>& rows) {
  SlotSums sums(run.row_map(), run.schedule());
  for (const TimedRow& row : rows) sums.add(row.time, row.cells);
  std::vector<BlockSum> result;
  for (std::size_t slot = 0; slot < run.schedule().count; ++slot) result.push_back(sums.of(slot));
  return result;
}

std::vector<std::string> lines_of(const PreparedRun& run, const std::vector<TimedRow>& rows) {
  std::vector<std::string> lines;
  ReleaseWriter writer(units_of(run.bounds()), run.emit(), run.columns(),
                       counts_of(run.mechanism().workload_first()), run.schedule());
  const auto stream = run.open([&](const Release& release) { lines.push_back(writer.line(release)); });
  SlotSums sums(run.row_map(), run.schedule());
  for (const TimedRow& row : rows) sums.add(row.time, row.cells);
  sums.release_to(*stream);
  stream->end_input();
  return lines;
}

TEST(SlotSums, HoldTheRowsOfEverySlotByTheirOwnTimesInWhateverOrderTheyCome) {
  const PreparedRun run(run_config(settings_of_day()));
  std::mt19937_64 generator(1);
  for (const std::size_t count : {0U, 1U, 50U, 9000U}) {
    std::vector<TimedRow> rows = random_file(generator, count);
    const std::vector<BlockSum> slots = slots_of(run, rows);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      const Seconds begin = *parse_time("2026-01-01") + 3600 * static_cast<Seconds>(slot);
      BlockSum wanted(run.row_map());
      for (const TimedRow& row : rows) {
        if (row.time >= begin && row.time < begin + 3600) wanted.add(row.cells);
      }
      EXPECT_EQ(slots[slot], wanted);
    }
    std::shuffle(rows.begin(), rows.end(), generator);
    EXPECT_EQ(slots_of(run, rows), slots);
  }
}

// The guarantee needs it: one row, whatever it becomes, changes the slot that it leaves and the slot that it
// comes to, and nothing else.
TEST(SlotSums, OfAllOtherSlotsStayTheSameWhateverOneRowBecomes) {
  const PreparedRun run(run_config(settings_of_day()));
  const SlotSchedule schedule = run.schedule();
  std::mt19937_64 generator(2);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<TimedRow> rows = random_file(generator, 1 + generator() % 60);
    const std::vector<BlockSum> before = slots_of(run, rows);
    TimedRow& changed = rows[generator() % rows.size()];
    const std::optional<std::size_t> left = schedule.slot_of(changed.time);
    changed = random_row(generator);
    const std::optional<std::size_t> reached = schedule.slot_of(changed.time);
    const std::vector<BlockSum> after = slots_of(run, rows);
    for (std::size_t slot = 0; slot < schedule.count; ++slot) {
      if (slot == left || slot == reached) continue;
      EXPECT_EQ(before[slot], after[slot]);
    }
  }
}

TEST(SlotSums, AreReleasedOnTheSameScheduleWhateverTheRowsAre) {
  const PreparedRun run(run_config(settings_of_day()));
  std::mt19937_64 generator(3);
  for (const std::size_t count : {0U, 1U, 2000U}) {
    const std::vector<std::string> lines = lines_of(run, random_file(generator, count));
    ASSERT_EQ(lines.size(), 24U);  // slots without rows too
    EXPECT_THAT(lines[0], HasSubstr(R"({"t":1,"time":"2026-01-01T01:00:00Z","rows":)"));
    EXPECT_THAT(lines[23], HasSubstr(R"({"t":24,"time":"2026-01-02T00:00:00Z","rows":)"));
  }
}

TEST(SlotSums, AreNotMovedByARowOfAFarFuture) {
  const PreparedRun run(run_config(settings_of_day()));
  std::mt19937_64 generator(4);
  std::vector<TimedRow> rows = random_file(generator, 500);
  const std::vector<std::string> before = lines_of(run, rows);
  rows.insert(rows.begin(), {.time = *parse_time("2099-12-31T23:59:59"), .cells = {1, 1}});
  EXPECT_EQ(lines_of(run, rows), before);
}

TEST(SlotSums, AreRefusedWhereAllSlotsTogetherWouldNotFitIntoMemory) {
  const PreparedRun run(run_config(settings_of_day({{"every", "1s"}})));
  EXPECT_NO_THROW(SlotSums::check_size(run.row_map(), run.schedule()));
  SlotSchedule longer = run.schedule();
  longer.count = std::size_t{1} << 26;
  try {
    SlotSums sums(run.row_map(), longer);
    FAIL();
  } catch (const InvalidParameter& error) {
    EXPECT_THAT(error.what(), HasSubstr("fit into 2 GiB"));
  }
}

TEST(SlotSums, OfSeveralPlacesMergeToThoseOfOne) {
  const PreparedRun run(run_config(settings_of_day()));
  std::mt19937_64 generator(6);
  SlotSums whole(run.row_map(), run.schedule()), merged(run.row_map(), run.schedule());
  for (int place = 0; place < 5; ++place) {
    SlotSums part(run.row_map(), run.schedule());
    for (const TimedRow& row : random_file(generator, 60)) {
      EXPECT_EQ(part.add(row.time, row.cells), whole.add(row.time, row.cells));
    }
    for (const std::size_t slot : part.with_rows()) {
      EXPECT_GT(part.of(slot).rows(), 0U);
      merged.merge(slot, part.of(slot));
    }
  }
  EXPECT_EQ(merged.with_rows(), whole.with_rows());
  for (std::size_t slot = 0; slot < run.schedule().count; ++slot) EXPECT_EQ(merged.of(slot), whole.of(slot));
  EXPECT_THROW(merged.merge(run.schedule().count, merged.of(0)), InvalidParameter);
}

TEST(SlotSums, OfADurableRunAreReleasedOnceHoweverOftenTheFileIsRead) {
  const test::TemporaryFolder folder;
  RunSettings settings = settings_of_day();
  settings.set("state", (folder.path() / "state").string());
  std::mt19937_64 generator(5);
  const std::vector<TimedRow> rows = random_file(generator, 400);
  const std::vector<std::string> once = lines_of(PreparedRun(run_config(settings_of_day())), rows);
  {  // A process that ends in the middle of the releases.
    const PreparedRun run(run_config(settings));
    const auto stream = run.open([](const Release&) {});
    SlotSums sums(run.row_map(), run.schedule());
    for (const TimedRow& row : rows) sums.add(row.time, row.cells);
    for (std::size_t slot = 0; slot < 10; ++slot)
      stream->push_block(slot_id(run.schedule(), slot), sums.of(slot));
  }
  const PreparedRun run(run_config(settings));
  EXPECT_EQ(lines_of(run, rows), once);
  EXPECT_EQ(lines_of(run, rows), once);
  // Another file under the same noise would cancel it.
  std::vector<TimedRow> other = rows;
  other[0] = {.time = run.schedule().begin_of(3), .cells = {0.5, 0.5}};
  EXPECT_THROW((void)lines_of(run, other), StateError);
}

}  // namespace
}  // namespace jme
