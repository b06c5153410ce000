// Runs whose processes are killed and go on where their source was: a log in memory.
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <jme/base/errors.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/slot_feed.hpp>
#include <jme/pipeline/slot_sums.hpp>

#include "temporary_folder.hpp"

namespace jme::resume_tests {
namespace {

using ::testing::HasSubstr;

constexpr Seconds noon = 1'767'268'800;
constexpr std::size_t row_count = 100;

std::vector<double> log_of(std::size_t rows) {
  std::vector<double> cells;
  for (std::size_t row = 0; row < rows; ++row) cells.push_back(std::sin(static_cast<double>(row)));
  return cells;
}

std::vector<std::byte> bytes_of(std::uint64_t row) {
  const auto bytes = std::as_bytes(std::span(&row, 1));
  return {bytes.begin(), bytes.end()};
}

std::uint64_t row_of(const SourcePlace& place) {
  std::uint64_t row = 0;
  if (!place.bytes.empty()) std::memcpy(&row, place.bytes.data(), sizeof row);
  return row;
}

/// Gives the rows of a log in batches of random lengths, and tells the place where the last one begins.
class Log final : public RowSource {
 public:
  Log(std::vector<double> cells, std::size_t longest, unsigned seed, bool can_go_on = true)
      : cells_(std::move(cells)), longest_(longest), random_(seed), can_go_on_(can_go_on) {}
  bool next(RowBatch& batch, std::size_t most_rows) override {
    batch.clear(1);
    begin_ = next_;
    const std::size_t end =
        std::min({cells_.size(), next_ + 1 + random_() % longest_, next_ + most_rows});
    for (; next_ < end; ++next_) batch.add_row()[0] = cells_[next_];
    return batch.rows() > 0;
  }
  [[nodiscard]] SourcePlace place_to_resume() const override {
    return {.bytes = bytes_of(begin_), .taken = next_ - begin_};
  }
  void go_on_at(const SourcePlace& place) { next_ = began_at = row_of(place); }
  [[nodiscard]] bool can_go_on() const { return can_go_on_; }
  std::size_t began_at = 0;

 private:
  std::vector<double> cells_;
  std::size_t longest_, begin_ = 0, next_ = 0;
  std::mt19937 random_;
  bool can_go_on_;
};

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

using Lines = std::vector<std::string>;

/// Writes the releases of a run as lines.
class Written {
 public:
  explicit Written(const RunConfig& config)
      : run(config),
        writer_(units_of(run.bounds()), run.emit(), run.columns(),
                counts_of(run.mechanism().workload_first()),
                run.clock() ? std::optional(run.schedule()) : std::nullopt) {}
  [[nodiscard]] RunningStream::Publish publish() {
    return [this](const Release& release) { lines.push_back(writer_.line(release)); };
  }
  PreparedRun run;
  Lines lines;

 private:
  ReleaseWriter writer_;
};

/// One process: what it published before it ended, or was killed after it had taken these many rows.
struct Outcome {
  Lines lines;
  std::size_t began_at = 0;
};
Outcome process(const RunConfig& config, Log&& source, std::optional<std::size_t> killed_after = {}) {
  Written written(config);
  RowFeed feed = written.run.feed(written.publish());
  DurableStream* const durable = feed.stream().durable();
  if (durable != nullptr && source.can_go_on()) {
    source.go_on_at(durable->sealed().place);
    feed.resume();
  }
  class Killed {};
  try {
    feed.take_all(source, {.between = [&] {
                    if (killed_after && feed.stream().rows() >= *killed_after) throw Killed();
                  }});
    feed.end_input();
  } catch (const Killed&) {
    // Nothing is written on the way out.
  }
  return {.lines = written.lines, .began_at = source.began_at};
}

TEST(Resume, LosesNoRowAndTakesNoneTwiceWhereverItIsKilled) {
  std::mt19937 draw(1);
  for (const std::size_t every : {1U, 7U, 30U}) {
    const Lines expected = process(config_of("", every), Log(log_of(row_count), 50, 1)).lines;
    ASSERT_EQ(expected.size(), (row_count + every - 1) / every);
    for (int trial = 0; trial < 10; ++trial) {
      const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
      const RunConfig config = config_of(folder.path(), every);
      for (std::size_t killed_after = draw() % 40; killed_after < row_count; killed_after += draw() % 40) {
        const Outcome outcome = process(
            config, Log(log_of(row_count), 1 + draw() % 60, static_cast<unsigned>(draw())), killed_after);
        ASSERT_TRUE(std::equal(outcome.lines.begin(), outcome.lines.end(), expected.begin()));
      }
      EXPECT_EQ(process(config, Log(log_of(row_count), 20, 3)).lines, expected);
      // Nothing is left to read, and nothing is spent.
      const Outcome again = process(config, Log(log_of(row_count), 20, 4));
      EXPECT_EQ(again.lines, expected);
      EXPECT_GT(again.began_at, row_count - 21) << "it does not begin at the first row";
    }
  }
}

TEST(Resume, ComparesRowsOfASourceThatCannotGoOnAndNamesTheBlockThatDiffers) {
  const Lines expected = process(config_of("", 10), Log(log_of(row_count), 50, 1)).lines;
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  const RunConfig config = config_of(folder.path(), 10);
  static_cast<void>(process(config, Log(log_of(row_count), 30, 1), 65));
  const auto from_the_start = [](std::vector<double> cells) { return Log(std::move(cells), 30, 2, false); };
  std::vector<double> other = log_of(row_count);
  other[33] += 0.001;
  try {
    static_cast<void>(process(config, from_the_start(other)));
    ADD_FAILURE() << "was not refused";
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the rows 31 to 40 are not those that this stream took there"));
  }
  const Outcome outcome = process(config, from_the_start(log_of(row_count)));
  EXPECT_EQ(outcome.lines, expected);
  EXPECT_EQ(outcome.began_at, 0U);
}

TEST(Resume, FindsAPartialBlockThatWasReleasedAtTheEndOfTheInput) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  const RunConfig config = config_of(folder.path(), 30);
  const Lines first = process(config, Log(log_of(row_count), 40, 1)).lines;
  ASSERT_EQ(first.size(), 4U);
  EXPECT_EQ(process(config, Log(log_of(row_count), 40, 2)).lines, first);
  // The input has become longer, and the stream has ended.
  EXPECT_THROW(static_cast<void>(process(config, Log(log_of(row_count + 1), 40, 2))), BudgetExhausted);
}

/// A process whose rows arrive in the slots of a clock.
class LiveProcess {
 public:
  explicit LiveProcess(const RunConfig& config)
      : written_(config), stream_(written_.run.open(written_.publish())) {
    read_ = row_of(stream_->durable()->sealed().place);
    feed_.emplace(written_.run.row_map(), written_.run.schedule(), *stream_,
                  SlotClock([this] { return now_; }),
                  SlotFeed::Options{.keep_interval = std::chrono::milliseconds(0),
                                    .place = [this] { return SourcePlace{.bytes = bytes_of(read_)}; }});
  }
  /// Rows up to this one have arrived when the clock stands at `time`.
  void arrive(std::size_t upto, double time) {
    now_ = time;
    feed_->tick();
    while (read_ < std::min(upto, cells_.size())) feed_->add(std::span(&cells_[read_++], 1), std::nullopt);
  }
  void keep() { feed_->keep(); }
  void publish_stored() { stream_->publish_stored(); }
  [[nodiscard]] std::size_t read() const { return read_; }
  [[nodiscard]] const Lines& lines() const { return written_.lines; }

 private:
  std::vector<double> cells_ = log_of(row_count);
  Written written_;
  std::size_t read_ = 0;
  double now_ = 0;
  std::unique_ptr<RunningStream> stream_;
  std::optional<SlotFeed> feed_;
};

TEST(Resume, FindsTheOpenSlotAndItsPlaceInOneCommit) {
  const test::TemporaryFolder whole(test::TemporaryFolder::Where::in_memory),
      folder(test::TemporaryFolder::Where::in_memory);
  LiveProcess undisturbed(slots_of(whole.path(), std::nullopt));
  std::optional<LiveProcess> process;
  std::mt19937 draw(2);
  for (std::size_t step = 0; step < 12; ++step) {
    const double time = static_cast<double>(noon) + 5 * static_cast<double>(step);
    const std::size_t upto = 8 * (step + 1);
    undisturbed.arrive(upto, time);
    for (int kills = 0; kills < 3; ++kills) {
      process.reset();  // what it did not commit comes again
      process.emplace(slots_of(folder.path(), std::nullopt));
      if (kills == 0) process->publish_stored();
      process->arrive(upto - draw() % 5, time);
      if (draw() % 2 == 0) process->keep();
    }
    process->arrive(upto, time);
    process->keep();
  }
  undisturbed.arrive(0, static_cast<double>(noon) + 60);
  process.reset();
  process.emplace(slots_of(folder.path(), std::nullopt));
  process->publish_stored();
  process->arrive(0, static_cast<double>(noon) + 60);
  EXPECT_EQ(process->lines(), undisturbed.lines());
  EXPECT_EQ(process->lines().size(), 6U);
  EXPECT_EQ(process->read(), 96U);
}

/// Rows of a log, each with its own time, as far as it had been read by the first process of its stream.
class TimedLog final : public RowSource {
 public:
  explicit TimedLog(std::size_t end) : end_(end) {}
  bool next(RowBatch& batch, std::size_t /*most_rows*/) override {
    batch.clear(1);
    if (next_ == end_) return false;
    batch.add_row()[0] = cells_[next_];
    batch.set_time(0, noon + static_cast<Seconds>(next_++));
    return true;
  }
  [[nodiscard]] SourcePlace place_to_resume() const override { return {.bytes = bytes_of(next_)}; }

 private:
  std::vector<double> cells_ = log_of(row_count);
  std::size_t end_, next_ = 0;
};

TEST(Resume, KnowsHowFarSlotsOfOwnTimesWereReadFromTheirFirstCommitOn) {
  const test::TemporaryFolder folder(test::TemporaryFolder::Where::in_memory);
  Lines first;
  for (int number = 0; number < 3; ++number) {
    Written written(slots_of(folder.path(), noon + 60));
    class Killed {};
    RowFeed feed = written.run.feed([&](const Release& release) {
      written.publish()(release);
      if (number == 0) throw Killed();
    });
    const std::uint64_t before = row_of(feed.stream().durable()->sealed().place);
    EXPECT_EQ(before, number == 0 ? 0U : 55U);
    TimedLog source(number == 0 ? 55 : before);
    feed.take_all(source);
    try {
      feed.end_input();
    } catch (const Killed&) {
      continue;
    }
    if (number == 1) first = written.lines;
    EXPECT_EQ(written.lines, first);
    EXPECT_EQ(written.lines.size(), 6U);
  }
}

}  // namespace
}  // namespace jme::resume_tests
