// kill -9 at random moments, resumed until done: every t is released with at most one value, no row is lost
// or counted twice, and the end is that of a run that nothing happened to.
#include <chrono>
#include <random>

#include "durable_job.hpp"

namespace jme::test {
namespace {

using std::chrono::microseconds;

class Kill : public DurableJob {
 protected:
  static constexpr int rows = 300;

  std::vector<std::string> command(const std::string& state, bool seeded, const std::string& interval) {
    std::vector<std::string> arguments = words(
        "run " + path("rows.csv") +
        " --epsilon 1 --delta 1e-6 --norm-bound 1 --rows 400 --every 3 --shape banded:4 --commit-interval ");
    arguments.push_back(interval);
    if (seeded) arguments = arguments + words("--insecure-test-seed 5");
    if (!state.empty()) arguments = arguments + words("--state " + path(state));
    return arguments;
  }

  /// Runs streams and kills them until `kills` processes were killed before their end.
  void kill_and_resume(int kills, unsigned seed) {
    input(rows);
    std::mt19937 generator(seed);
    int killed = 0, streams = 0, finished_runs = 0;
    while (killed < kills) {
      // A test seed's noise can be compared with a run without state; a true key's only with itself.
      const bool seeded = streams % 2 == 0;
      const std::string interval = streams % 4 < 2 ? "0" : "2";
      const std::string state = "state" + std::to_string(streams++);
      const auto arguments = command(state, seeded, interval);
      const auto begin = std::chrono::steady_clock::now();
      std::string released;  // the longest output so far
      if (seeded) {
        std::vector<std::string> plain = command("", true, interval);
        plain.erase(std::find(plain.begin(), plain.end(), "--commit-interval"),
                    std::find(plain.begin(), plain.end(), "--commit-interval") + 2);
        released = start(plain).out;
        ASSERT_EQ(std::count(released.begin(), released.end(), '\n'), rows / 3 + 1);
      }
      // How long a run takes, process start included: the machine may be busy with other things.
      const JobResult whole = start(command("timing", seeded, interval));
      forget("timing");
      ASSERT_EQ(whole.code, 0) << whole.err;
      const auto length = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begin) /
                          (seeded ? 2 : 1);
      for (int attempt = 0;; ++attempt) {
        ASSERT_LT(attempt, 2000) << "no progress";
        std::uniform_int_distribution<microseconds::rep> moment(0, 5 * length.count() / 4);
        const JobResult result = start(arguments, {.kill_after = microseconds(moment(generator))});
        const std::string lines = result.whole_lines();
        if (lines.size() <= released.size()) {
          ASSERT_TRUE(begins(released, lines)) << state;
        } else {
          ASSERT_FALSE(seeded) << "more releases than the run without interruption";
          ASSERT_TRUE(begins(lines, released)) << state;
          released = lines;
        }
        if (result.code == 128 + SIGKILL) {
          ++killed;
          continue;
        }
        ASSERT_EQ(result.code, 0) << result.err;
        ASSERT_EQ(lines, released);
        ASSERT_EQ(std::count(lines.begin(), lines.end(), '\n'), rows / 3 + 1);
        ++finished_runs;
        break;
      }
      // Once more, with nobody in the way: the same again.
      const JobResult again = start(arguments);
      ASSERT_EQ(again.code, 0) << again.err;
      ASSERT_EQ(again.out, released);
      forget(state);
    }
    EXPECT_GE(finished_runs, 1);
    RecordProperty("kills", killed);
    RecordProperty("streams", streams);
  }
};

TEST_F(Kill, FiftyTimesAtRandomMomentsChangesNoRelease) {
  kill_and_resume(50, 1);
}

class SlowKill : public Kill {};

TEST_F(SlowKill, TwoThousandTimesAtRandomMomentsChangesNoRelease) {
  kill_and_resume(2000, 2);
}

}  // namespace
}  // namespace jme::test
