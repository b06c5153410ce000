// A live run as a real process: rows that are appended to a file, a file that is rotated or truncated,
// releases that come on time, and kill -9 at random moments. Slots last a second.
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "durable_job.hpp"
#include "live_process.hpp"
#include "temporary_folder.hpp"

namespace jme::test {
namespace {

using nlohmann::json;

constexpr int columns = 24;

std::string column_name(int i) {
  return fmt::format("c{}", i);
}

/// Lines of a run as objects, without its first line.
std::vector<json> releases_in(const std::string& lines) {
  std::vector<json> result;
  std::istringstream text(lines);
  std::string line;
  for (int i = 0; std::getline(text, line); ++i) {
    if (i > 0) result.push_back(json::parse(line));
  }
  return result;
}

/// How often each row counted in a release over all rows so far: row i is 1 in column i and 0 elsewhere.
/// There is next to no noise.
std::vector<long> counted_rows(const json& release) {
  std::vector<long> counts(columns, 0);
  const double rows = release["rows"];
  for (std::size_t i = 0; i < columns; ++i) {
    const json& mean = release["mean"][i];
    if (mean.is_number()) counts[i] = std::lround(mean.get<double>() * rows);
  }
  return counts;
}

class Live : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] std::string log() const { return path("log.csv"); }

  void begin_file() const {
    std::ofstream file(log());
    file << "who";
    for (int i = 0; i < columns; ++i) file << ',' << column_name(i);
    file << '\n';
  }
  void append(int row, const std::string& who) const {
    std::ofstream file(log(), std::ios::app);
    std::string line = who;
    for (int i = 0; i < columns; ++i) line += i == row ? ",1" : ",0";
    file << line + '\n';
  }
  [[nodiscard]] std::vector<std::string> command(int steps, const std::string& further) const {
    std::string bounds;
    for (int i = 0; i < columns; ++i) bounds += fmt::format("{}{}=0:1", i == 0 ? "" : ",", column_name(i));
    // Noise of 1e-4 and less: counts can be read off, and a release that was drawn twice would still differ.
    return words(
        fmt::format("run {} --follow --every 1s --steps {} --bounds {} --sigma 1e-5 --second none "
                    "--emit mean {}",
                    log(), steps, bounds, further));
  }
  /// Waits until rows that were read have been kept: two commits later. The key file counts commits.
  bool wait_for_commits(LiveProcess& process) const {
    for (int i = 0; i < 2; ++i) {
      const std::string before = key_file();
      if (!process.wait_until([&] { return key_file() != before; })) return false;
    }
    return true;
  }
  [[nodiscard]] std::string key_file() const {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(path("state"), none)) {
      if (entry.path().extension() == ".key") return read_text(entry.path());
    }
    return "";
  }

 private:
  TemporaryFolder folder_{TemporaryFolder::Where::in_memory};
};

class LiveKill : public Live {
 protected:
  enum class Fate { certain, unknown };

  /// Processes one after another, each killed at a random moment, until the schedule is over.
  void kill_until_over(int steps, const std::string& limit, unsigned seed) {
    begin_file();
    std::mt19937 random(seed);
    const std::vector<std::string> arguments =
        command(steps, "--commit-interval 1 --state " + path("state") + ' ' + limit);
    std::string released;  // the longest output so far
    std::map<int, Fate> rows;
    std::set<int> often;  // rows of the person who has many, in their order
    int next = 0, kills = 0;
    for (int number = 0;; ++number) {
      ASSERT_LT(number, 1000) << "no progress";
      LiveProcess process(arguments, path(fmt::format("out{}", number)));
      const bool follows = process.wait_until([&] { return process.has_read(log()) && !key_file().empty(); });
      for (int i = 0; follows && i < 2 && next < columns - 1; ++i) {
        const bool is_often = random() % 2 == 0;
        if (is_often) often.insert(next);
        append(next, is_often ? "often" : fmt::format("p{}", next));
        const bool is_kept =
            process.wait_until([&] { return process.has_read(log()); }) && wait_for_commits(process);
        rows[next] = is_kept ? Fate::certain : Fate::unknown;
        ++next;
        if (!is_kept) break;
      }
      if (next < columns && random() % 2 == 0 && !process.ended()) {
        append(next, fmt::format("p{}", next));  // read, kept or neither, whenever the kill comes
        rows[next++] = Fate::unknown;
      }
      if (next < columns) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
        process.kill(SIGKILL);
      }
      const int code = process.wait();
      const std::string lines = process.whole_lines();
      ASSERT_TRUE(lines.size() <= released.size() ? begins(released, lines) : begins(lines, released))
          << "a release has changed";
      if (lines.size() > released.size()) released = lines;
      if (code == 128 + SIGKILL) {
        ++kills;
        continue;
      }
      ASSERT_EQ(code, 0) << process.errors();
      break;
    }
    RecordProperty("kills", kills);
    ASSERT_GE(kills, 1);
    const std::vector<json> releases = releases_in(released);
    ASSERT_EQ(releases.size(), static_cast<std::size_t>(steps));
    const std::vector<long> counts = counted_rows(releases.back());
    long of_often = 0;
    for (const auto& [row, fate] : rows) {
      const long count = counts[static_cast<std::size_t>(row)];
      ASSERT_TRUE(count == 0 || count == 1) << "row " << row << " counted " << count << " times";
      const bool is_often = often.contains(row) && !limit.empty();
      if (is_often) of_often += count;
      if (fate == Fate::certain && !is_often) {
        ASSERT_EQ(count, 1) << "row " << row << " was kept and is lost";
      }
    }
    if (!limit.empty()) {
      ASSERT_LE(of_often, 2) << "the limit was forgotten";
      long kept_of_often = 0;
      for (const int row : often) kept_of_often += rows[row] == Fate::certain ? 1 : 0;
      // Where windows have limits, rows of one window may be all that there were.
      const long least = limit.find('/') == std::string::npos ? 2 : 1;
      ASSERT_GE(of_often, std::min(kept_of_often, least));
    }
  }
};

TEST_F(LiveKill, LosesNoRowThatWasKeptReleasesNothingTwiceAndForgetsNobodysLimit) {
  kill_until_over(3, "--person who --rows-per-person 2", 1);
}

class SlowLiveKill : public LiveKill {};

TEST_F(SlowLiveKill, AtManyMomentsWithAndWithoutLimitsPerPerson) {
  int seed = 10;
  for (const char* limit : {"", "--person who --rows-per-person 2", "--person who --rows-per-person 1/3s:2",
                            "--person who --rows-per-person 1/slot:2"}) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      SCOPED_TRACE(fmt::format("{} {}", limit, seed));
      kill_until_over(6, limit, static_cast<unsigned>(seed++));
      if (HasFatalFailure()) return;
      std::filesystem::remove_all(path("state"));
    }
  }
}

TEST_F(Live, CountsAppendedRowsThroughRotationsAndReleasesOnTime) {
  begin_file();
  append(0, "old");  // came before the run did
  LiveProcess process(command(3, ""), path("out"));
  const auto is_read = [&] { return process.has_read(log()); };
  ASSERT_TRUE(process.wait_until(is_read)) << process.errors();
  append(1, "a");
  append(2, "b");
  ASSERT_TRUE(process.wait_until(is_read));
  // Rotated: what was written to the old file at the last moment is read, then the new one from its
  // beginning.
  append(3, "c");
  std::filesystem::rename(log(), path("log.1"));
  begin_file();
  append(4, "d");
  ASSERT_TRUE(process.wait_until(is_read));
  append(5, "e");
  ASSERT_TRUE(process.wait_until(is_read));
  // And once more.
  std::filesystem::rename(log(), path("log.2"));
  begin_file();
  append(6, "f");
  ASSERT_TRUE(process.wait_until(is_read));
  // No row comes any more; releases come when they are due and not before.
  std::size_t seen = 0;
  while (seen < 3) {
    std::size_t lines = 0;
    static_cast<void>(
        process.wait_until([&] { return (lines = releases_in(process.whole_lines()).size()) > seen; }));
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    const std::vector<json> releases = releases_in(process.whole_lines());
    ASSERT_GT(releases.size(), seen) << process.errors();
    for (; seen < releases.size(); ++seen) {
      std::tm due{};
      std::istringstream(releases[seen]["time"].get<std::string>()) >>
          std::get_time(&due, "%Y-%m-%dT%H:%M:%SZ");
      const auto when = static_cast<double>(::timegm(&due));
      EXPECT_GE(now, when);
      EXPECT_LE(now, when + 30) << "far too late, on however busy a machine";
    }
  }
  ASSERT_EQ(process.wait(), 0) << process.errors();
  const std::vector<long> counts = counted_rows(releases_in(process.whole_lines()).back());
  EXPECT_EQ(std::vector<long>(counts.begin(), counts.begin() + 8),
            (std::vector<long>{0, 1, 1, 1, 1, 1, 1, 0}));
}

TEST_F(Live, StopsAtATruncationWhicheverRecordFollowsIt) {
  // Only the length of the first record differs: by its size the file was truncated, or it grew.
  for (const std::size_t length : {1U, 5000U}) {
    begin_file();
    for (int row = 0; row < 20; ++row) append(row, "p");
    LiveProcess process(command(60, ""), path(fmt::format("out{}", length)));
    ASSERT_TRUE(process.wait_until([&] { return process.has_read(log()); })) << process.errors();
    begin_file();  // in place
    append(0, std::string(length, 'm'));
    for (int row = 1; row < 20; ++row) append(row, "p");
    EXPECT_EQ(process.wait(), 3);
    EXPECT_THAT(process.errors(), testing::HasSubstr("log.csv: was truncated or rewritten in place"));
    EXPECT_THAT(process.errors(), testing::HasSubstr("rotate it by renaming"));
  }
}

}  // namespace
}  // namespace jme::test
