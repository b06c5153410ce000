// What the noise of windows keeps of its last steps, one sealed record for each.
#include <gtest/gtest.h>

#include "store/database.hpp"
#include "store/state_folder.hpp"

namespace jme {
namespace {

using test::expect_refused;
using test::run;
using test::run_and_die;
using test::run_in_memory;
using test::sample_rows;

class DurableWindow : public test::StateFolder {
 protected:
  /// Of every number in the table.
  std::int64_t number(const char* sql) const {
    return store::Database(file(".db"), store::Database::Access::read).number(sql);
  }
  void damage(const char* sql) const {
    store::Database(file(".db"), store::Database::Access::write).run(sql);
  }

  const Mechanism mechanism_{{.budget = {.epsilon = 1, .delta = 1e-6},
                              .rows = 40,
                              .dimension = 2,
                              .norm_bound = 1.0,
                              .workload = window(5)}};
  const std::vector<test::Row> rows_ = sample_rows(40);
  const std::size_t kept_ = MomentStream(mechanism_, InsecureTestSeed{11}).state().steps_kept;
};

TEST_F(DurableWindow, GoesOnAfterEveryRowAsIfItHadNeverStopped) {
  ASSERT_GE(kept_, 5U);
  ASSERT_LT(kept_, 30U);
  for (std::size_t t = 1; t <= 40; ++t) run_and_die(mechanism_, seeded(), std::span(rows_).first(t));
  EXPECT_EQ(run(mechanism_, seeded(), rows_), run_in_memory(mechanism_, {11}, rows_));
}

TEST_F(DurableWindow, KeepsOneRecordForEachOfItsLastSteps) {
  DurableStream stream(mechanism_, options());
  for (std::size_t t = 0; t < 40; ++t) {
    stream.push(rows_[t]);
    const auto steps = static_cast<std::int64_t>(t) + 1, kept = static_cast<std::int64_t>(kept_);
    EXPECT_EQ(number("SELECT count(*) FROM noise"), std::min(steps, kept));
    EXPECT_EQ(number("SELECT max(step) FROM noise"), steps - 1);
    // All that a commit writes besides has a fixed size.
    EXPECT_LT(number("SELECT length(sealed) FROM head"), 2000);
  }
}

TEST_F(DurableWindow, OfManyBlocksInOneCommitWritesThemAll) {
  DurableOptions slow = seeded();
  slow.commit_interval = std::chrono::hours(1);
  {
    DurableStream stream(mechanism_, slow);
    for (std::size_t t = 0; t < 33; ++t) stream.push(rows_[t]);
    stream.commit();
  }
  EXPECT_EQ(number("SELECT count(*) FROM noise"), static_cast<std::int64_t>(kept_));
  EXPECT_EQ(run(mechanism_, seeded(), rows_), run_in_memory(mechanism_, {11}, rows_));
}

TEST_F(DurableWindow, RefusesRecordsThatWereChangedExchangedOrTakenAway) {
  run_and_die(mechanism_, options(), std::span(rows_).first(30));
  copy_state("state", "whole");
  const auto refuse = [&](const char* sql, const std::string& message) {
    copy_state("whole", "state");
    damage(sql);
    expect_refused([&] { run(mechanism_, options(), rows_); }, message);
  };
  refuse("UPDATE noise SET sealed = (SELECT sealed FROM noise WHERE step = 28) WHERE step = 29", "changed");
  refuse("UPDATE noise SET sealed = zeroblob(length(sealed)) WHERE step = 29", "changed");
  refuse("UPDATE noise SET sealed = x'00' WHERE step = 29", "ends early");
  refuse("DELETE FROM noise WHERE step = 29", "state");
  refuse("DELETE FROM noise WHERE step = 25", "not in order");
  refuse("UPDATE noise SET step = step + 1000", "changed");
}

TEST_F(DurableWindow, MakesItsNoiseAgainWhereNothingIsKept) {
  MomentStream whole(mechanism_, InsecureTestSeed{3}.key(), Nonce{});
  for (std::size_t t = 0; t < 20; ++t) whole.push(rows_[t]);
  StreamState state = whole.state();
  ASSERT_FALSE(state.kept.empty());
  const auto next = [&](const StreamState& from) {
    MomentStream resumed = MomentStream::resume(mechanism_, InsecureTestSeed{3}.key(), Nonce{}, from);
    return test::numbers(resumed.push(rows_[20]));
  };
  const std::vector<double> expected = next(state);
  StreamState empty = state;
  empty.secret.clear();
  empty.kept.clear();
  EXPECT_EQ(next(empty), expected);
  state.kept.erase(state.kept.begin());
  expect_refused([&] { next(state); }, "kept vector");
}

}  // namespace
}  // namespace jme
