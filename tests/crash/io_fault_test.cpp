// In turn, every call that changes a file is the last one of its process, fails, or does half of its work.
#include <gmock/gmock.h>

#include "durable_job.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

class IoFault : public DurableJob {
 protected:
  std::vector<std::string> command(int rows, const std::string& state, bool seeded = true) {
    std::vector<std::string> arguments =
        words("run " + input(rows) +
              " --epsilon 1 --delta 1e-6 --norm-bound 1 --rows 40 --every 4 --shape banded:3");
    if (seeded) arguments = arguments + words("--insecure-test-seed 5");
    if (!state.empty()) arguments = arguments + words("--commit-interval 0 --state " + path(state));
    return arguments;
  }

  /// The fault at every call of a run, and then the same command again.
  void at_every_call(const std::string& kind, int rows, const std::vector<int>& codes) {
    const std::string expected = start(command(rows, "")).out;
    const long calls = calls_in(command(rows, "counting"));
    ASSERT_GT(calls, 60);
    int faults = 0;
    for (long call = 1; call <= calls; ++call) {
      SCOPED_TRACE(kind + ":" + std::to_string(call));
      const JobResult broken = start(command(rows, "state"), {.fault = kind + ":" + std::to_string(call)});
      EXPECT_THAT(codes, testing::Contains(broken.code)) << broken.err;
      EXPECT_TRUE(begins(expected, broken.out)) << "nothing is released that differs";
      if (broken.code != 0) ++faults;
      const JobResult again = start(command(rows, "state"));
      EXPECT_EQ(again.code, 0) << again.err;
      EXPECT_EQ(again.out, expected);
      forget("state");
      if (HasFailure()) return;
    }
    EXPECT_GT(faults, 20) << "the shim does nothing";
  }

  /// The same with a true key: a release never changes after any part of it was seen.
  void at_every_call_with_a_true_key(const std::string& kind, int rows) {
    const long calls = calls_in(command(rows, "counting", false));
    for (long call = 1; call <= calls; ++call) {
      SCOPED_TRACE(kind + ":" + std::to_string(call));
      const JobResult broken =
          start(command(rows, "state", false), {.fault = kind + ":" + std::to_string(call)});
      const JobResult again = start(command(rows, "state", false));
      EXPECT_EQ(again.code, 0) << again.err;
      EXPECT_TRUE(begins(again.out, broken.out));
      forget("state");
      if (HasFailure()) return;
    }
  }
};

TEST_F(IoFault, ADeathAtAnyCallIsRecoveredFrom) {
  at_every_call("kill", 10, {137, 0});
}

TEST_F(IoFault, AFullDiskStopsTheRunAndItGoesOnLater) {
  at_every_call("full", 9, {1, 0});
}

TEST_F(IoFault, AFailedSyncStopsTheRunAndItGoesOnLater) {
  at_every_call("unsynced", 9, {1, 0});
}

// After a short write the rest is written later, or the run stops.
TEST_F(IoFault, AShortWriteIsCompletedOrStopsTheRun) {
  const std::string expected = start(command(9, "")).out;
  const long calls = calls_in(command(9, "counting"));
  for (long call = 1; call <= calls; ++call) {
    SCOPED_TRACE(call);
    const JobResult result = start(command(9, "state"), {.fault = "short:" + std::to_string(call)});
    EXPECT_THAT((std::vector{0, 1}), testing::Contains(result.code)) << result.err;
    EXPECT_TRUE(begins(expected, result.out));
    if (result.code == 0) {
      EXPECT_EQ(result.out, expected);
    }
    EXPECT_EQ(start(command(9, "state")).out, expected);
    forget("state");
  }
}

TEST_F(IoFault, AFullDiskIsCalledThat) {
  const long calls = calls_in(command(9, "counting"));
  const JobResult result = start(command(9, "state"), {.fault = "full:" + std::to_string(calls / 2)});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, testing::AnyOf(HasSubstr("disk is full"), HasSubstr("No space left")));
}

// After a kill the system still has all writes; after a power cut only what was synced. Whatever was seen
// must have been synced.
TEST_F(IoFault, APowerCutAtAnyCallTakesNothingBackThatWasReleased) {
  at_every_call_with_a_true_key("power", 9);
}

class SlowIoFault : public IoFault {};

TEST_F(SlowIoFault, WritesThatReachTheDiskOutOfOrderTakeNothingBackThatWasReleased) {
  at_every_call_with_a_true_key("mixed", 26);
}

TEST_F(SlowIoFault, ADeathInsideAnyWriteIsRecoveredFrom) {
  at_every_call("torn", 26, {137, 0});
}

TEST_F(SlowIoFault, ADeathAtAnyCallOfALongerRunIsRecoveredFrom) {
  at_every_call("kill", 26, {137, 0});
}

TEST_F(SlowIoFault, FaultsUnderATrueKeyNeverChangeARelease) {
  for (const char* kind : {"kill", "torn", "power", "full", "unsynced"})
    at_every_call_with_a_true_key(kind, 13);
}

// The second process meets the fault as well, at each of its calls.
TEST_F(SlowIoFault, ADeathAtAnyCallOfTheResumedRunIsRecoveredFrom) {
  const std::string expected = start(command(22, "")).out;
  const long calls = calls_in(command(22, "counting"));
  for (const long first : {calls / 4, calls / 2, 3 * calls / 4}) {
    for (long call = 1; call <= calls; ++call) {
      SCOPED_TRACE(std::to_string(first) + ", then " + std::to_string(call));
      EXPECT_TRUE(
          begins(expected, start(command(22, "state"), {.fault = "torn:" + std::to_string(first)}).out));
      const JobResult second = start(command(22, "state"), {.fault = "kill:" + std::to_string(call)});
      EXPECT_TRUE(begins(expected, second.out));
      const JobResult third = start(command(22, "state"));
      EXPECT_EQ(third.code, 0) << third.err;
      EXPECT_EQ(third.out, expected);
      forget("state");
      if (second.code == 0) break;
    }
  }
}

}  // namespace
}  // namespace jme::test
