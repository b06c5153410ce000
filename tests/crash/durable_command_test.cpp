// jme run --state and jme ledger as their users see them.
#include <csignal>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "durable_job.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const std::string flags = " --epsilon 1 --delta 1e-6 --norm-bound 1 --rows 40 --every 4 --shape banded:3 ";
const std::string test_seed = " --insecure-test-seed 5 ";

class DurableCommand : public DurableJob {
 protected:
  std::string state(const std::string& name = "state") const { return " --state " + path(name) + " "; }
  std::string file(const std::string& ending) const {
    for (const auto& entry : fs::directory_iterator(path("state"))) {
      if (entry.path().string().ends_with(ending)) return entry.path().string();
    }
    throw std::runtime_error("no file " + ending);
  }
  static std::string first_rows(const std::string& csv, int rows) {
    std::size_t end = 0;
    for (int i = 0; i <= rows; ++i) end = csv.find('\n', end) + 1;
    return csv.substr(0, end);
  }
};

TEST_F(DurableCommand, WritesWhatARunWithoutStateWrites) {
  const std::string data = input(30);
  const CommandResult plain = jme("run " + data + flags + test_seed);
  ASSERT_EQ(plain.code, 0) << plain.err;
  for (int i = 0; i < 3; ++i) {
    const CommandResult durable = jme("run " + data + flags + test_seed + state());
    EXPECT_EQ(durable.code, 0) << durable.err;
    EXPECT_EQ(durable.out, plain.out);
  }
  // A pipe that sends all rows again is as good as a file.
  EXPECT_EQ(jme("run" + flags + test_seed + state(), {.input = read_text(data)}).out, plain.out);
}

TEST_F(DurableCommand, ATrueRunRepeatsItselfByteForByte) {
  const std::string data = input(30);
  const std::string first = jme("run " + data + flags + state()).out;
  EXPECT_EQ(jme("run " + data + flags + state()).out, first);
  EXPECT_NE(jme("run " + data + flags + state("other")).out, first);
  EXPECT_EQ(jme("run " + data + flags + state() + "--output " + path("out.ndjson")).out, "");
  EXPECT_EQ(read_text(path("out.ndjson")), first);
}

// A row that is read again is recognised with its missing cells, whether its release was printed, waited for
// its commit or came back from disk.
TEST_F(DurableCommand, CellsFilledFromReleasesAreNotFilledAnewWhenTheyComeAgain) {
  std::string csv = "a,b\n", repaired = csv;
  for (int i = 0; i < 30; ++i) {
    csv += i % 3 == 2 ? "0.5,\n" : "0.5,-0.3\n";
    repaired += i == 5 ? "0.5,-0.3\n" : i % 3 == 2 ? "0.5,\n" : "0.5,-0.3\n";
  }
  for (const std::string rule : {"mean", "model"}) {
    const std::string filling = "run" + flags + "--missing " + rule;
    for (const std::string interval : {"0", "10000"}) {
      const std::string run =
          filling + " --leave-open --commit-interval " + interval + state(rule + interval);
      ASSERT_EQ(jme(run, {.input = first_rows(csv, 13)}).code, 0);
      const CommandResult first = jme(run, {.input = csv});
      ASSERT_EQ(first.code, 0) << first.err;
      EXPECT_EQ(jme(run, {.input = csv}).out, first.out);
      EXPECT_THAT(jme(run, {.input = repaired}).err, HasSubstr("the rows 5 to 8 are not those"))
          << "a cell that was missing, there now";
    }
    const std::string other = "run" + flags + "--missing centre --leave-open " + state(rule + "0");
    expect_refused(jme(other, {.input = csv}), 5, "missing is " + rule + " there and centre here");
    const CommandResult passing = jme(filling + test_seed, {.input = csv});
    EXPECT_EQ(jme(filling + test_seed + state(rule), {.input = csv}).out, passing.out);
  }
}

TEST_F(DurableCommand, ModelsComeOutTheSameAgainForEveryMethod) {
  const std::string data = input(30);
  for (const std::string method : {"jme", "pp"}) {
    const std::string run = "run " + data + flags + "--method " + method +
                            " --emit covariance,pca:2,second,density" + state(method);
    const CommandResult first = jme(run);
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(jme(run).out, first.out) << method;
  }
}

TEST_F(DurableCommand, RewritesTheOutputFileFromTheStart) {
  const std::string csv = read_text(input(30));
  const std::string out = path("out.ndjson");
  const std::string begun = "run" + flags + state() + "--leave-open --output " + out;
  ASSERT_EQ(jme(begun, {.input = first_rows(csv, 13)}).code, 0);
  const std::string before = read_text(out);
  ASSERT_EQ(std::count(before.begin(), before.end(), '\n'), 4);
  ASSERT_EQ(jme(begun, {.input = csv}).code, 0);
  const std::string after = read_text(out);
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 8);
  EXPECT_TRUE(begins(after, before));
}

TEST_F(DurableCommand, AnotherEmitShowsTheSameReleasesAndSpendsNothing) {
  const std::string data = input(30);
  const auto means = jme("run " + data + flags + state() + "--emit mean").releases();
  const auto both = jme("run " + data + flags + state() + "--emit mean,second").releases();
  ASSERT_EQ(means.size(), both.size());
  for (std::size_t i = 0; i < means.size(); ++i) EXPECT_EQ(means[i]["mean"], both[i]["mean"]);
  EXPECT_EQ(jme("ledger " + path("state") + " --json").json()["streams"].size(), 1U);
}

TEST_F(DurableCommand, RefusesWithFiveAndSaysWhy) {
  const std::string data = input(30);
  ASSERT_EQ(jme("run " + data + flags + state()).code, 0);
  expect_refused(jme("run " + data + flags + state() + "--norm-bound 2"), 2, "");  // given twice
  expect_refused(
      jme("run " + data + " --epsilon 2 --delta 1e-6 --norm-bound 1 --rows 40 --every 4 --shape banded:3" +
          state()),
      5, "epsilon is 1 there and 2 here");
  expect_refused(jme("run " + data + flags + state() + "--columns y,x"), 5, "column 1 is x there and y here");
  expect_refused(jme("run " + data + flags + test_seed + state()), 5, "insecure-test-seed");

  const CommandResult other = jme("run " + input(30, "other.csv", "0.25") + flags + state());
  EXPECT_EQ(other.code, 5);
  EXPECT_EQ(other.releases().size(), 1U) << "the block before the row that differs";
  EXPECT_THAT(other.err, HasSubstr("the rows 5 to 8 are not those"));
  EXPECT_THAT(other.err, Not(HasSubstr("0.25")));

  const CommandResult shorter = jme("run " + input(20, "shorter.csv") + flags + state());
  EXPECT_EQ(shorter.code, 5);
  EXPECT_THAT(shorter.err, HasSubstr("the input ends at row 20"));

  ::chmod(file(".key").c_str(), 0644);
  expect_refused(jme("run " + data + flags + state()), 5, "chmod 600");
  fs::remove(file(".key"));
  expect_refused(jme("run " + data + flags + state()), 5, "key file");
  expect_refused(jme("run " + data + flags + state() + "--source elsewhere --state " + path("x")), 2, "");
}

TEST_F(DurableCommand, ARowTooManyIsFourAndABadRowThreeWithAllReleasesBefore) {
  const std::string csv = read_text(input(41));
  for (int i = 0; i < 2; ++i) {
    const CommandResult past = jme("run" + flags + state(), {.input = csv});
    EXPECT_EQ(past.code, 4);
    EXPECT_EQ(past.releases().size(), 10U);
    EXPECT_THAT(past.err, HasSubstr("row 41: the horizon of 40 rows is used up"));
  }
  const std::string bad = first_rows(csv, 18) + "oops,1\n" + first_rows(csv, 1).substr(4);
  const CommandResult before = jme("run" + flags + state("bad"), {.input = bad});
  EXPECT_EQ(before.code, 3);
  EXPECT_EQ(before.releases().size(), 4U) << "a commit that was not due yet";
  // The row can be repaired, or counted as zero, and the stream goes on.
  const CommandResult zero = jme("run" + flags + state("bad") + "--on-bad-row zero", {.input = bad});
  EXPECT_EQ(zero.code, 0) << zero.err;
  // The first line says what becomes of bad rows.
  ASSERT_EQ(zero.releases().size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(zero.releases()[i], before.releases()[i]);
}

TEST_F(DurableCommand, AFinishedStreamTakesNoMoreRowsAndALeftOneDoes) {
  const std::string csv = read_text(input(40));
  const std::string begun = first_rows(csv, 10);
  EXPECT_EQ(jme("run" + flags + state("ended"), {.input = begun}).releases().size(), 3U);
  const CommandResult more = jme("run" + flags + state("ended"), {.input = csv});
  EXPECT_EQ(more.code, 4);
  EXPECT_THAT(more.err, HasSubstr("row 11: the stream was finished at row 10"));
  EXPECT_EQ(more.releases().size(), 3U);

  EXPECT_EQ(jme("run" + flags + state("open") + "--leave-open", {.input = begun}).releases().size(), 2U);
  const CommandResult rest = jme("run" + flags + state("open"), {.input = csv});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(rest.releases().size(), 10U);
}

TEST_F(DurableCommand, AnEmptyInputStartsNoStream) {
  EXPECT_EQ(jme("run" + flags + state(), {.input = "x,y\n"}).code, 3);
  const CommandResult nothing = jme("ledger " + path("state"));
  EXPECT_TRUE(nothing.code == 5 || nothing.out == "No streams.\n") << nothing.err;
}

TEST_F(DurableCommand, FlagsOfDurableRunsNeedAState) {
  const std::string data = input(5);
  for (const char* flag : {"--source a", "--stream a", "--commit-interval 5", "--leave-open", "--max-mu 1"}) {
    expect_refused(jme("run " + data + flags + flag), 2, "give state as well");
  }
  expect_refused(jme("run " + data + flags + state() + "--commit-interval -1"), 2, "commit-interval");
  expect_refused(jme("run " + data + flags + state() + "--commit-interval 1e9"), 2, "at most an hour");
  expect_refused(jme("run " + data + flags + state() + "--max-mu 0"), 2, "max-mu");
  expect_refused(jme("run " + data + flags + "--state /dev/null/nowhere"), 1, "/dev/null");
}

TEST_F(DurableCommand, ALimitOnASourceIsFour) {
  const std::string data = input(30);
  EXPECT_EQ(jme("run " + data + flags + state() + "--max-mu 0.3").code, 0);
  expect_refused(jme("run " + data + flags + state() + "--stream b --max-mu 0.3"), 4,
                 "more than the 0.3 allowed");
  EXPECT_EQ(jme("run " + data + flags + state() + "--stream b --max-mu 0.4").code, 0);
}

TEST_F(DurableCommand, TheLedgerShowsStreamsAndTotals) {
  const std::string data = input(30);
  ASSERT_EQ(jme("run " + data + flags + state() + "--source sensors").code, 0);
  ASSERT_EQ(jme("run " + data + flags + state() + "--source sensors --stream again").code, 0);
  const CommandResult text = jme("ledger " + path("state"));
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(text.out, HasSubstr("sensors  again   epsilon 1, delta 1e-06    30  40         8"));
  EXPECT_THAT(text.out, HasSubstr("sensors: 2 streams, mu = 0.334"));
  const auto json = jme("ledger " + path("state") + " --json").json();
  EXPECT_EQ(json["streams"].size(), 2U);
  EXPECT_EQ(json["streams"][0]["rows"], 30);
  EXPECT_EQ(json["streams"][0]["condition"], "finished");
  EXPECT_EQ(json["total"][0]["streams"], 2);
  EXPECT_NEAR(json["total"][0]["mu"], std::sqrt(2.0) * json["streams"][0]["mu"].get<double>(), 1e-9);
  EXPECT_EQ(jme("ledger " + path("state") + " --delta 1e-9 --json").json()["total"][0]["delta"], 1e-9);
  expect_refused(jme("ledger " + path("none")), 5, "is not a folder");
  expect_refused(jme("ledger " + path("state") + " --delta 1"), 2, "delta");

  fs::remove(file(".key"));
  const CommandResult broken = jme("ledger " + path("state"));
  EXPECT_EQ(broken.code, 5);
  EXPECT_THAT(broken.out, HasSubstr("PROBLEM"));
  EXPECT_THAT(broken.err, HasSubstr("key"));
}

/// jme with a pipe that stays open.
class LiveRun {
 public:
  explicit LiveRun(const std::vector<std::string>& arguments) {
    std::array<int, 2> in{}, out{}, err{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0 ||
        ::pipe2(err.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("pipe");
    }
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
      std::vector<char*> argv{const_cast<char*>(binary().c_str())};
      for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      ::execv(binary().c_str(), argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    in_ = in[1];
    out_ = out[0];
    err_ = err[0];
  }
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;
  ~LiveRun() {
    for (const int end : {in_, out_, err_}) {
      if (end >= 0) ::close(end);
    }
  }

  void write(const std::string& text) const {
    ASSERT_EQ(::write(in_, text.data(), text.size()), std::ssize(text));
  }
  /// Waits for this many lines; gives up after a minute, far longer than a busy machine needs.
  std::string lines(int count) {
    while (std::count(said_.begin(), said_.end(), '\n') < count) {
      pollfd waiting{out_, POLLIN, 0};
      if (::poll(&waiting, 1, 60'000) <= 0) break;
      std::array<char, 65536> buffer;
      const ssize_t got = ::read(out_, buffer.data(), buffer.size());
      if (got <= 0) break;
      said_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return said_;
  }
  void send(int signal) const { ::kill(child_, signal); }
  void close_input() {
    ::close(in_);
    in_ = -1;
  }
  /// Exit code, or 128 + signal; afterwards said() is the whole output.
  int wait() {
    lines(1 << 20);
    std::array<char, 65536> buffer;
    for (ssize_t got = 0; (got = ::read(err_, buffer.data(), buffer.size())) > 0;) {
      complaints_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] const std::string& said() const { return said_; }
  [[nodiscard]] const std::string& complaints() const { return complaints_; }

 private:
  pid_t child_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  std::string said_, complaints_;
};

TEST_F(DurableCommand, AReleaseDoesNotWaitForRowsThatDoNotCome) {
  const std::string csv = read_text(input(40));
  LiveRun run(words("run" + flags + test_seed + state()));
  // Two blocks at once, so that the second is not due yet, and a part of the third.
  run.write(first_rows(csv, 10));
  const std::string two = run.lines(3);
  EXPECT_EQ(std::count(two.begin(), two.end(), '\n'), 3);
  run.write(csv.substr(first_rows(csv, 10).size()));
  run.close_input();
  EXPECT_EQ(run.wait(), 0);
  EXPECT_EQ(run.said(), jme("run" + flags + test_seed, {.input = csv}).out);
}

TEST_F(DurableCommand, ASignalStopsItAtABlocksEndAndTheSameCommandGoesOn) {
  const std::string csv = read_text(input(40));
  const std::string expected = jme("run" + flags + test_seed, {.input = csv}).out;
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string name = "state" + std::to_string(signal);
    LiveRun run(words("run" + flags + test_seed + state(name) + "--commit-interval 3600000"));
    run.write(first_rows(csv, 10));
    // It has read the rows when the ledger lists the stream; releases wait for an hour.
    const auto knows = [&] {
      return jme("ledger " + path(name) + " --json").out.find("\"running\"") != std::string::npos;
    };
    for (int i = 0; i < 1000 && !knows(); ++i) ::usleep(10'000);
    ::usleep(200'000);
    run.send(signal);
    EXPECT_EQ(run.wait(), 128 + signal);
    EXPECT_THAT(run.complaints(), HasSubstr("rows are committed: the same command goes on from there"));
    EXPECT_TRUE(begins(expected, run.said()));
    EXPECT_EQ(jme("run" + flags + test_seed + state(name), {.input = csv}).out, expected);
  }
}

TEST_F(DurableCommand, ASecondWriterIsRefused) {
  const std::string csv = read_text(input(40));
  LiveRun run(words("run" + flags + state()));
  run.write(first_rows(csv, 4));
  run.lines(2);
  expect_refused(jme("run" + flags + state(), {.input = csv}), 5, "another process has this stream open");
  // Another stream may run beside it.
  EXPECT_EQ(jme("run" + flags + state() + "--stream b", {.input = csv}).code, 0);
  EXPECT_THAT(jme("ledger " + path("state")).out, HasSubstr("running"));
  run.close_input();
  EXPECT_EQ(run.wait(), 0);
}

TEST_F(DurableCommand, AReaderThatGoesAwayLosesNothing) {
  const std::string csv = read_text(input(40));
  EXPECT_EQ(jme("run" + flags + test_seed + state(), {.input = csv, .close_output_early = true}).code, 0);
  EXPECT_EQ(jme("run" + flags + test_seed + state(), {.input = csv}).out,
            jme("run" + flags + test_seed, {.input = csv}).out);
}

}  // namespace
}  // namespace jme::test
