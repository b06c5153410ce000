// Live input: slots end by the clock, which is faked here.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/slot_feed.hpp>

#include "one_row.hpp"
#include "temporary_folder.hpp"

namespace jme {
namespace {

using ::testing::HasSubstr;

constexpr Seconds ten = 1'774'747'800;  // a full ten seconds

RunSettings live_settings(const std::string& state = "") {
  RunSettings settings;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"bounds", "a=-1:1"},
                                                        {"every", "10s"},
                                                        {"steps", "8"},
                                                        {"epsilon", "1"},
                                                        {"delta", "1e-6"},
                                                        {"insecure_test_seed", "4"}}) {
    settings.set(name, text);
  }
  if (!state.empty()) {
    settings.set("state", state);
    settings.set("commit_interval", "0");
  }
  return settings;
}

/// A process that takes rows; the clock is the machine's, and outlives it.
class Process {
 public:
  Process(double& time, const RunSettings& settings, LateRows late = LateRows::current)
      : run_(run_config(settings)),
        rules_(run_.rules()),
        stream_(run_.open([this](const Release& release) { lines_.push_back(writer_->line(release)); })) {
    const auto stored = stored_slot(*stream_, run_.row_map());
    run_.begin_at(stored ? stored->start : slot_boundary(static_cast<Seconds>(time), 10));
    writer_.emplace(units_of(run_.bounds()), run_.emit(), run_.columns(),
                    counts_of(run_.mechanism().workload_first()), run_.schedule());
    stream_->publish_stored();
    if (stream_->durable() != nullptr) rules_.keep_people(*stream_->durable(), true);
    feed_.emplace(run_.row_map(), run_.schedule(), *stream_, SlotClock([&time] { return time; }),
                  SlotFeed::Options{.late = late,
                                    .keep_interval = std::chrono::milliseconds(0),
                                    .people = rules_.person_limit(),
                                    .slots_of_window = run_.slots_of_window()});
    feed_->tick();
  }
  /// A row arrives.
  bool row(double cell, std::optional<Seconds> own_time = std::nullopt) {
    feed_->tick();
    const bool counts = feed_->add(std::vector{cell}, own_time);
    feed_->tick();
    return counts;
  }
  /// Somebody's row arrives; whether the limit lets it count.
  bool row_of(const std::string& person, double cell) {
    feed_->tick();
    const std::vector<double> row = test::take_row(rules_, std::vector{cell}, person);
    feed_->add(row, std::nullopt);
    feed_->tick();
    return !std::isnan(row[0]);
  }
  void tick() { feed_->tick(); }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] SlotFeed& feed() { return *feed_; }

 private:
  PreparedRun run_;
  RowRules rules_;
  std::vector<std::string> lines_;
  std::optional<ReleaseWriter> writer_;
  std::unique_ptr<RunningStream> stream_;
  std::optional<SlotFeed> feed_;
};

/// Rows that arrive at times after the beginning, without interruption, up to the end of the schedule.
struct Arrival {
  double after, cell;
};
std::vector<std::string> uninterrupted(const std::vector<Arrival>& arrivals) {
  double time = ten;
  Process process(time, live_settings());
  for (const Arrival& arrival : arrivals) {
    time = ten + arrival.after;
    process.row(arrival.cell);
  }
  time = ten + 80;
  process.tick();
  return process.lines();
}

TEST(SlotFeed, ReleasesSlotsOnTimeWithRowsOrWithout) {
  double time = ten + 3;
  Process process(time, live_settings());
  EXPECT_EQ(process.feed().due(), ten + 10);
  time = ten + 9.999;
  process.row(0.5);
  EXPECT_EQ(process.lines().size(), 0U);
  time = ten + 10;
  process.tick();
  ASSERT_EQ(process.lines().size(), 1U);
  EXPECT_THAT(process.lines()[0], HasSubstr("\"t\":1,\"time\":\"" + iso_text(ten + 10) + '"'));
  time = ten + 45;
  process.tick();
  EXPECT_EQ(process.lines().size(), 4U);  // slots without rows are released as well
  EXPECT_EQ(process.feed().due(), ten + 50);
  time = ten + 1000;
  process.tick();
  EXPECT_EQ(process.lines().size(), 8U);
  EXPECT_TRUE(process.feed().is_over());
  EXPECT_FALSE(process.row(0.5));
}

TEST(SlotFeed, CountsARowInTheSlotInWhichItArrives) {
  // The noise is the same, so the sums differ as the rows do.
  const auto first_differs = [](const std::vector<std::string>& a, const std::vector<std::string>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) return i;
    }
    return a.size();
  };
  const std::vector<std::string> empty = uninterrupted({});
  ASSERT_EQ(empty.size(), 8U);
  EXPECT_EQ(first_differs(empty, uninterrupted({{0, 1}})), 0U);
  EXPECT_EQ(first_differs(empty, uninterrupted({{9.999, 1}})), 0U);
  EXPECT_EQ(first_differs(empty, uninterrupted({{10, 1}})), 1U);
  EXPECT_EQ(first_differs(empty, uninterrupted({{79.5, 1}})), 7U);
  EXPECT_EQ(first_differs(empty, uninterrupted({{80, 1}})), 8U);
}

TEST(SlotFeed, StandsStillWhileTheClockIsSetBackAndReleasesWhatAJumpForwardPasses) {
  double time = ten + 15;
  Process process(time, live_settings());
  EXPECT_EQ(process.feed().due(), ten + 20);
  time = ten + 25;
  process.row(0.25);
  EXPECT_EQ(process.lines().size(), 1U);
  time = ten - 5000;  // set back: the slot from 20 to 30 stays open
  EXPECT_TRUE(process.row(0.5));
  EXPECT_EQ(process.lines().size(), 1U);
  EXPECT_EQ(process.feed().due(), ten + 30);
  time = ten + 29;
  process.tick();
  EXPECT_EQ(process.lines().size(), 1U);
  time = ten + 62;
  process.tick();
  EXPECT_EQ(process.lines().size(), 5U);
}

TEST(SlotFeed, TreatsLateRowsByAPublicRuleAndByThemselves) {
  double time = ten + 15;
  Process counting(time, live_settings()), dropping(time, live_settings(), LateRows::drop);
  for (const bool future_first : {false, true}) {
    if (future_first) {  // a row of a far future makes no other row late
      EXPECT_TRUE(counting.row(0.5, *parse_time("2099-01-01")));
      EXPECT_TRUE(dropping.row(0.5, *parse_time("2099-01-01")));
    }
    EXPECT_TRUE(counting.row(0.5, ten + 9));
    EXPECT_FALSE(dropping.row(0.5, ten + 9));
    EXPECT_TRUE(dropping.row(0.5, ten + 10));
    EXPECT_TRUE(dropping.row(0.5, ten + 14));
    EXPECT_TRUE(dropping.row(0.5));
  }
}

TEST(SlotFeed, TakesNoRowBeforeItsFirstSlot) {
  double time = ten - 30;
  RunSettings settings = live_settings();
  settings.set("from", iso_text(ten));
  PreparedRun run(run_config(settings));
  std::size_t releases = 0;
  const auto stream = run.open([&](const Release&) { ++releases; });
  SlotFeed feed(run.row_map(), run.schedule(), *stream, SlotClock([&time] { return time; }), {});
  feed.tick();
  EXPECT_FALSE(feed.add(std::vector{0.5}, std::nullopt));
  EXPECT_EQ(feed.due(), ten + 10);
  time = ten;
  feed.tick();
  EXPECT_TRUE(feed.add(std::vector{0.5}, std::nullopt));
  EXPECT_EQ(releases, 0U);
}

class KilledFeed : public testing::Test {
 protected:
  [[nodiscard]] RunSettings settings() const { return live_settings((folder_.path() / "state").string()); }
  test::TemporaryFolder folder_{test::TemporaryFolder::Where::in_memory};
};

TEST_F(KilledFeed, LosesNoRowAndReleasesNothingTwice) {
  const std::vector<Arrival> arrivals{{1, 0.5},    {4, -0.25}, {12, 1},   {13, 1},
                                      {14, 0.125}, {36, -1},   {37, 0.75}};
  const std::vector<std::string> wanted = uninterrupted(arrivals);
  double time = ten;
  // Killed after every single row, in the middle of its slot.
  for (const Arrival& arrival : arrivals) {
    time = ten + arrival.after;
    Process process(time, settings());
    EXPECT_TRUE(process.row(arrival.cell));
    const std::size_t released = static_cast<std::size_t>(arrival.after / 10);
    EXPECT_EQ(process.lines(),
              std::vector(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(released)));
  }
  // Slots that passed while no process ran are released at the restart: with the rows that were kept, or
  // empty.
  time = ten + 80;
  EXPECT_EQ(Process(time, settings()).lines(), wanted);
  EXPECT_EQ(Process(time, settings()).lines(), wanted);
}

// Ten seconds a slot, eight slots, windows of twenty seconds.
struct Visit {
  double after;
  std::string person;
  bool counts;
};
struct LimitedCase {
  std::string limit;
  std::vector<Visit> visits;
};
const std::vector<LimitedCase> limited_cases{{"2",
                                              {{1, "ann", true},
                                               {2, "bob", true},
                                               {13, "ann", true},
                                               {14, "ann", false},
                                               {35, "ann", false},
                                               {36, "bob", true},
                                               {61, "bob", false},
                                               {62, "eve", true}}},
                                             {"1/slot",
                                              {{1, "ann", true},
                                               {2, "ann", false},
                                               {3, "bob", true},
                                               {11, "ann", true},
                                               {12, "ann", false},
                                               {19, "bob", true},
                                               {35, "ann", true},
                                               {36, "ann", false}}},
                                             {"2/20s",
                                              {{1, "ann", true},
                                               {13, "ann", true},
                                               {14, "ann", false},
                                               {21, "ann", true},
                                               {22, "ann", true},
                                               {35, "ann", false},
                                               {41, "ann", true},
                                               {62, "bob", true}}},
                                             {"1/slot:3",
                                              {{1, "ann", true},
                                               {2, "ann", false},
                                               {11, "ann", true},
                                               {12, "ann", false},
                                               {33, "ann", true},
                                               {45, "ann", false},
                                               {46, "bob", true},
                                               {75, "ann", false}}}};

TEST_F(KilledFeed, ForgetsNobodyWhoseRowsCounted) {
  for (const LimitedCase& limited : limited_cases) {
    SCOPED_TRACE(limited.limit);
    const auto limit = [&](RunSettings settings) {
      settings.set("person", "who");
      settings.set("rows_per_person", limited.limit);
      return settings;
    };
    const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
    double time = ten, time_of_killed = ten;
    Process whole(time, limit(live_settings()));
    for (const Visit& visit : limited.visits) {
      time = time_of_killed = ten + visit.after;
      EXPECT_EQ(whole.row_of(visit.person, 0.5), visit.counts) << visit.after;
      // Killed after every single row.
      Process killed(time_of_killed, limit(live_settings((folder.path() / "state").string())));
      EXPECT_EQ(killed.row_of(visit.person, 0.5), visit.counts) << visit.after;
    }
    time = time_of_killed = ten + 80;
    whole.tick();
    EXPECT_EQ(Process(time_of_killed, limit(live_settings((folder.path() / "state").string()))).lines(),
              whole.lines());
  }
}

TEST_F(KilledFeed, KnowsWhenItsFirstSlotBegan) {
  double time = ten + 7;
  { Process process(time, settings()); }  // killed before any row came
  time = ten + 33;
  Process process(time, settings());
  ASSERT_EQ(process.lines().size(), 3U);
  EXPECT_THAT(process.lines()[0], HasSubstr(iso_text(ten + 10)));
}

TEST_F(KilledFeed, GoesOnInTheNextSlotWhereTheClockWasSetBackMeanwhile) {
  double time = ten + 33;
  { Process process(time, settings()); }
  time = ten + 55;
  { Process process(time, settings()); }
  time = ten - 100'000;
  Process process(time, settings());
  EXPECT_EQ(process.lines().size(), 2U);
  EXPECT_TRUE(process.row(0.5));
  EXPECT_EQ(process.feed().due(), ten + 60);
}

TEST_F(KilledFeed, KeepsTheSumsOfItsOpenSlotSealed) {
  double time = ten;
  {
    Process process(time, settings());
    for (int i = 0; i < 100; ++i) process.row(0.7318);
  }
  const PreparedRun run(run_config(settings()));
  const auto stream = run.open([](const Release&) {});
  const auto stored = stored_slot(*stream, run.row_map());
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->sums.rows(), 100U);
  const std::vector<std::byte> open = stored->sums.bytes();
  const std::string needle(reinterpret_cast<const char*>(open.data()), 16);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(content.find(needle), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace jme
