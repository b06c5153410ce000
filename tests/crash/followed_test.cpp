// A run whose input has no end: where it ends all the same, and what its report shows meanwhile. Real
// processes.
#include <algorithm>
#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "live_process.hpp"
#include "temporary_folder.hpp"

namespace jme::test {
namespace {

class Followed : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] std::string log() const { return path("log.csv"); }
  [[nodiscard]] std::string report() const { return path("report.html"); }

  void begin_file(int rows) const {
    std::ofstream(log()) << "a\n";
    append(rows);
  }
  void append(int rows) const {
    std::ofstream file(log(), std::ios::app);
    for (int i = 0; i < rows; ++i) file << "0.5\n";
  }
  [[nodiscard]] std::vector<std::string> command(const std::string& further) const {
    return words(fmt::format("run {} --follow --bounds a=0:1 --epsilon 1 --delta 1e-6 {}", log(), further));
  }
  /// Whether the report exists and says that the newest release is over so many rows.
  [[nodiscard]] bool shows(const std::string& rows) const {
    return std::filesystem::exists(report()) && read_text(report()).find(rows) != std::string::npos;
  }
  /// No drafts of a report are left beside it.
  [[nodiscard]] bool has_no_drafts() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().filename().string().starts_with(".")) return false;
    }
    return true;
  }

 private:
  TemporaryFolder folder_;
};

const std::string two_rows = "After 2 rows", four_rows = "After 4 rows";

TEST_F(Followed, RunEndsWithZeroAfterTheLastRowOfItsHorizon) {
  begin_file(3);
  LiveProcess process(command("--rows 4 --every 2 --report " + report()), path("out"));
  ASSERT_TRUE(process.wait_until([&] { return process.has_read(log()); })) << process.errors();
  append(3);  // one more than the horizon has: it is not looked at
  EXPECT_EQ(process.wait(), 0) << process.errors();
  const std::string lines = process.whole_lines();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3) << lines;
  EXPECT_TRUE(shows(four_rows));
  EXPECT_TRUE(has_no_drafts());
}

TEST_F(Followed, DurableRunEndsWithZeroAlsoWhenItsRowsComeAgain) {
  begin_file(4);
  const std::vector<std::string> durable = command("--rows 4 --every 2 --state " + path("state"));
  for (const char* out : {"first", "second"}) {
    LiveProcess process(durable, path(out));
    EXPECT_EQ(process.wait(), 0) << process.errors();
  }
  EXPECT_EQ(read_text(path("first")), read_text(path("second")));
}

TEST_F(Followed, ReportShowsTheNewestReleaseWhileTheRunWaits) {
  begin_file(2);
  LiveProcess process(command("--rows 1000 --every 2 --report " + report()), path("out"));
  EXPECT_TRUE(process.wait_until([&] { return shows(two_rows); })) << process.errors();
  append(2);
  EXPECT_TRUE(process.wait_until([&] { return shows(four_rows); })) << process.errors();
  EXPECT_FALSE(process.ended());
}

TEST_F(Followed, ReportIsFinishedWhenTheRunIsToldToEnd) {
  begin_file(4);
  LiveProcess process(command("--rows 1000 --every 2 --report " + report()), path("out"));
  const auto has_released = [&] {
    const std::string lines = process.whole_lines();
    return std::count(lines.begin(), lines.end(), '\n') == 3;
  };
  ASSERT_TRUE(process.wait_until(has_released)) << process.errors();
  process.kill(SIGTERM);
  EXPECT_EQ(process.wait(), 128 + SIGTERM) << process.errors();
  EXPECT_TRUE(shows(four_rows));
  EXPECT_TRUE(has_no_drafts());
}

}  // namespace
}  // namespace jme::test
