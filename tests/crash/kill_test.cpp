// kill -9 at random moments, resumed until done: every t is released with at most one value, no row is lost
// or counted twice, no killed process leaves a value of the input on disk, and the result is that of a run
// without interruptions.
#include <chrono>
#include <cmath>
#include <fstream>
#include <random>

#include "canaries.hpp"
#include "durable_job.hpp"

namespace jme::test {
namespace {

using std::chrono::microseconds;

class Kill : public DurableJob {
 protected:
  static constexpr int rows = 300;

  /// What differs from stream to stream. The noise of a test seed can be compared with a run without state;
  /// the noise of a true key only with itself. In a third of them cells are missing, and filled from the
  /// releases before.
  struct Stream {
    explicit Stream(int number)
        : state("state" + std::to_string(number)),
          seeded(number % 2 == 0),
          interval(number % 4 < 2 ? "0" : "2"),
          file(number % 3 == 2 ? "holes.csv" : "rows.csv") {}
    std::string state;
    bool seeded;
    std::string interval, file;
  };

  /// The budget is small so that noise hardly ever gives a number of the input by chance: block sums and
  /// noisy sums are on one lattice of 2^-20, and among some 500 noisy numbers of deviation 4e4, one equals
  /// one of 1,200 sums in about one of 1e5 streams (at epsilon 1: in one of a hundred).
  std::vector<std::string> command(const Stream& stream, const std::string& state) const {
    std::vector<std::string> arguments = words(
        "run " + path(stream.file) +
        " --epsilon 1e-4 --delta 1e-6 --norm-bound 1 --rows 400 --every 3 --shape banded:4 --missing model");
    if (stream.seeded) arguments = arguments + words("--insecure-test-seed 5");
    if (!state.empty()) {
      arguments = arguments + words("--commit-interval " + stream.interval + " --state " + path(state));
    }
    return arguments;
  }

  /// The input, whole and with holes; and all of its values, as they are read, snapped to the lattice and
  /// summed over blocks, in digits and in doubles.
  void make_input() {
    const std::string csv = read_text(input(rows));
    std::ofstream holes(path("holes.csv"));
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    holes << line << '\n';
    double x = 0, y = 0, block_x = 0, block_y = 0;
    for (int t = 0; std::getline(lines, line); ++t) {
      const std::size_t comma = line.find(',');
      holes << (t % 5 == 4 ? line.substr(0, comma) + "," : line) << '\n';
      x = std::stod(line.substr(0, comma));
      y = std::stod(line.substr(comma + 1));
      if (t % 3 == 0) block_x = block_y = 0;
      for (const double value : {x, y}) values_.add(value);
      for (const std::size_t at : {std::size_t{0}, comma + 1}) {
        values_.add_text(line.substr(line.find('.', at) + 1, 9));
      }
      const double unit = 0x1p-20;  // of the lattice, at norm bound 1
      block_x += std::floor(x / unit + 0.5);
      block_y += std::floor(y / unit + 0.5);
      for (const double sum : {block_x, block_y}) {
        values_.add(sum);
        values_.add(sum * unit);
      }
    }
    ASSERT_GT(values_.size(), 2000U);
  }

  /// Runs streams and kills them until `kills` processes were killed before their end.
  void kill_and_resume(int kills, unsigned seed) {
    make_input();
    std::mt19937 generator(seed);
    int killed = 0, streams = 0;
    while (killed < kills) {
      const Stream stream(streams++);
      SCOPED_TRACE(stream.state);
      killed += kill_until_done(stream, generator);
      if (HasFatalFailure()) return;
    }
    RecordProperty("kills", killed);
    RecordProperty("streams", streams);
  }

 private:
  /// Kills a stream's processes at random moments until one gets to its end; returns how many were killed.
  int kill_until_done(const Stream& stream, std::mt19937& generator) {
    int killed = 0;
    kill_until_done(stream, generator, killed);
    return killed;
  }
  void kill_until_done(const Stream& stream, std::mt19937& generator, int& killed) {
    const auto begin = std::chrono::steady_clock::now();
    std::string released;  // the longest output so far
    if (stream.seeded) {
      released = start(command(stream, "")).out;
      ASSERT_EQ(std::count(released.begin(), released.end(), '\n'), rows / 3 + 1);
    }
    // How long a run takes, including the start of the process: the machine may be busy with other things.
    const JobResult whole = start(command(stream, "timing"));
    forget("timing");
    ASSERT_EQ(whole.code, 0) << whole.err;
    const auto length = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begin) /
                        (stream.seeded ? 2 : 1);
    std::uniform_int_distribution<microseconds::rep> moment(0, 5 * length.count() / 4);
    JobResult result;
    do {
      ASSERT_LT(killed, 2000) << "no progress";
      result = start(command(stream, stream.state), {.kill_after = microseconds(moment(generator))});
      const std::string lines = result.whole_lines();
      if (lines.size() <= released.size()) {
        ASSERT_TRUE(begins(released, lines));
      } else {
        ASSERT_FALSE(stream.seeded) << "more releases than the run without interruption";
        ASSERT_TRUE(begins(lines, released));
        released = lines;
      }
      if (std::filesystem::exists(path(stream.state))) {
        ASSERT_EQ(values_.found_in_files(path(stream.state)), 0U) << "a value of the input is on disk";
      }
      killed += result.code == 128 + SIGKILL ? 1 : 0;
    } while (result.code == 128 + SIGKILL);
    ASSERT_EQ(result.code, 0) << result.err;
    ASSERT_EQ(result.out, released);
    ASSERT_EQ(std::count(released.begin(), released.end(), '\n'), rows / 3 + 1);
    // Once more, without a kill: the result is the same.
    const JobResult again = start(command(stream, stream.state));
    ASSERT_EQ(again.code, 0) << again.err;
    ASSERT_EQ(again.out, released);
    forget(stream.state);
  }

  Canaries values_;
};

TEST_F(Kill, FiftyTimesAtRandomMomentsChangesNoReleaseAndLeavesNoValue) {
  kill_and_resume(50, 1);
}

class SlowKill : public Kill {};

TEST_F(SlowKill, TwoThousandTimesAtRandomMomentsChangesNoReleaseAndLeavesNoValue) {
  kill_and_resume(2000, 2);
}

}  // namespace
}  // namespace jme::test
