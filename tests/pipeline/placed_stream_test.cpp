// Rows from a source that can go on where it was: a log in memory, whose readers are killed.
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/placed_stream.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/slot_feed.hpp>
#include <jme/pipeline/slot_sums.hpp>

#include "temporary_folder.hpp"

namespace jme::placed_stream_tests {
namespace {

using ::testing::HasSubstr;

constexpr Seconds noon = 1'767'268'800;
constexpr std::size_t row_count = 100;

double cell(std::size_t row) {
  return std::sin(static_cast<double>(row));
}

RunConfig config_of(const std::string& state, std::size_t every) {
  RunConfig config;
  config.stream.budget = {.epsilon = 1, .delta = 1e-6};
  config.stream.rows = 200;
  config.stream.every = every;
  config.columns = {"a"};
  config.bounds = ColumnBounds::parse("a=-1:1", config.columns);
  config.insecure_seed = 4;
  if (!state.empty()) {
    config.state = DurableOptions{.directory = state, .commit_interval = std::chrono::milliseconds(0)};
  }
  return config;
}

RunConfig slots_of(const std::string& state, std::optional<Seconds> until) {
  RunConfig config = config_of(state, 1);
  config.stream.rows.reset();
  config.stream.steps = 6;
  config.stream.slot_seconds = 10;
  config.stream.private_count = true;
  config.stream.adjacency = Adjacency::add_remove;
  config.clock = ClockConfig{.length = 10, .from = noon, .until = until, .time_column = until ? "when" : ""};
  return config;
}

/// One process that reads the log from where the last one was; it is killed where it is destroyed.
class Process {
 public:
  explicit Process(const RunConfig& config) : run_(config) {
    auto stream = std::make_unique<PlacedStream>(
        run_.open([this](const Release& release) { lines_.push_back(writer_->line(release)); }),
        run_.mechanism().horizon());
    if (!stream->place_before().empty()) {
      std::memcpy(&read_, stream->place_before().data(), sizeof read_);
    }
    began_at_ = read_;
    stream->keep_place([this] {
      const auto bytes = std::as_bytes(std::span(&read_, 1));
      return std::vector<std::byte>(bytes.begin(), bytes.end());
    });
    stream_ = std::move(stream);
    writer_.emplace(units_of(run_.bounds()), run_.emit(), run_.columns(),
                    counts_of(run_.mechanism().workload_first()),
                    run_.clock() ? std::optional(run_.schedule()) : std::nullopt);
  }

  /// Rows as a step of so many of them.
  void push(std::size_t count) {
    while (count-- > 0 && read_ < row_count) {
      const double value = cell(read_++);
      stream_->push(std::span(&value, 1));
    }
  }
  /// Rows in the slots of a clock that stands at `time`.
  void arrive(std::size_t count, double time) {
    if (!feed_) {
      feed_.emplace(
          run_.row_map(), run_.schedule(), *stream_, SlotClock([this] { return now_; }),
          SlotFeed::Options{.late = LateRows::current, .keep_interval = std::chrono::milliseconds(0)});
    }
    now_ = time;
    feed_->tick();
    while (count-- > 0 && read_ < row_count) {
      const double value = cell(read_++);
      feed_->add(std::span(&value, 1), std::nullopt);
    }
  }
  [[nodiscard]] std::size_t read() const { return read_; }
  void read_to(std::size_t row) { read_ = row; }
  [[nodiscard]] std::size_t began_at() const { return began_at_; }
  void keep() { feed_->keep(); }
  RunningStream& stream() { return *stream_; }
  [[nodiscard]] const PreparedRun& run() const { return run_; }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  PreparedRun run_;
  std::vector<std::string> lines_;
  std::optional<ReleaseWriter> writer_;
  std::size_t read_ = 0, began_at_ = 0;
  double now_ = 0;
  std::unique_ptr<RunningStream> stream_;
  std::optional<SlotFeed> feed_;
};

TEST(PlacedStream, LosesNoRowAndTakesNoneTwiceWhereverItIsKilled) {
  std::mt19937 draw(1);
  for (const std::size_t every : {1U, 7U, 30U}) {
    const test::TemporaryFolder whole(test::TemporaryFolder::Where::in_memory);
    Process undisturbed(config_of(whole.path(), every));
    undisturbed.push(row_count);
    undisturbed.stream().end_input();
    ASSERT_EQ(undisturbed.lines().size(), (row_count + every - 1) / every);
    for (int trial = 0; trial < 10; ++trial) {
      const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
      for (;;) {
        Process process(config_of(folder.path(), every));
        process.stream().publish_stored();
        ASSERT_EQ(process.began_at(), process.lines().size() * every)
            << "the place is that of the last block";
        process.push(draw() % 40);
        if (process.read() < row_count) continue;
        process.stream().end_input();
        EXPECT_EQ(process.lines(), undisturbed.lines());
        break;
      }
      Process again(config_of(folder.path(), every));  // nothing is left to read, and nothing is spent
      again.stream().publish_stored();
      EXPECT_EQ(again.read(), row_count);
      again.stream().end_input();
      EXPECT_EQ(again.lines(), undisturbed.lines());
    }
  }
}

TEST(PlacedStream, KeepsTheOpenSlotAndItsPlaceInOneCommit) {
  const test::TemporaryFolder whole(test::TemporaryFolder::Where::in_memory),
      folder(test::TemporaryFolder::Where::in_memory);
  const auto plan = [](Process& process, std::size_t upto, double time) {
    process.arrive(upto - std::min(upto, process.read()), time);
  };
  Process undisturbed(slots_of(whole.path(), std::nullopt));
  std::optional<Process> process;
  std::mt19937 draw(2);
  for (std::size_t step = 0; step < 12; ++step) {
    const double time = static_cast<double>(noon) + 5 * static_cast<double>(step);
    const std::size_t upto = 8 * (step + 1);
    plan(undisturbed, upto, time);
    for (int kills = 0; kills < 3; ++kills) {
      process.reset();  // what it did not keep comes again
      process.emplace(slots_of(folder.path(), std::nullopt));
      if (kills == 0) process->stream().publish_stored();
      plan(*process, upto - draw() % 5, time);
      if (draw() % 2 == 0) process->keep();
    }
    plan(*process, upto, time);
    process->keep();
  }
  undisturbed.arrive(0, static_cast<double>(noon) + 60);
  process.reset();
  process.emplace(slots_of(folder.path(), std::nullopt));
  process->stream().publish_stored();
  process->arrive(0, static_cast<double>(noon) + 60);
  EXPECT_EQ(process->lines(), undisturbed.lines());
  EXPECT_EQ(process->lines().size(), 6U);
  EXPECT_EQ(process->read(), 96U);
}

TEST(PlacedStream, KeepsWhatSlotsOfOwnTimesWereMadeOfWithTheFirstOfThem) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  std::vector<std::string> first;
  for (int number = 0; number < 3; ++number) {
    Process process(slots_of(folder.path(), noon + 60));
    EXPECT_EQ(process.began_at(), number == 0 ? 0U : 60U);  // where the first process had read to
    SlotSums sums(process.run().row_map(), process.run().schedule());
    for (std::size_t row = 0; row < 60; ++row) {
      const double value = cell(row);
      sums.add(noon + static_cast<Seconds>(row), std::span(&value, 1));
    }
    process.read_to(60);
    if (number == 0) {  // killed after the first slot
      process.stream().push_block(slot_id(process.run().schedule(), 0), sums.of(0));
      continue;
    }
    sums.release_to(process.stream());
    process.stream().end_input();
    if (number == 1) first = process.lines();
    EXPECT_EQ(process.lines(), first);
    EXPECT_EQ(process.lines().size(), 6U);
  }
}

TEST(PlacedStream, RefusesAStreamWhoseRowsCameFromAFile) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  {
    const PreparedRun run(config_of(folder.path(), 10));
    const auto stream = run.open([](const Release&) {});
    for (std::size_t row = 0; row < 20; ++row) {
      const double value = cell(row);
      stream->push(std::span(&value, 1));
    }
    stream->end_input();
  }
  try {
    const Process process(config_of(folder.path(), 10));
    ADD_FAILURE() << "was not refused";
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), HasSubstr("came from a file"));
  }
}

}  // namespace
}  // namespace jme::placed_stream_tests
