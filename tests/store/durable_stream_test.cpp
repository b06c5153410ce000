#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <jme/store/stream_settings.hpp>

#include "store/state_folder.hpp"

namespace jme {
namespace {

using test::drain;
using test::expect_refused;
using test::Numbers;
using test::Row;
using test::run;
using test::run_and_die;
using test::run_in_memory;
using test::run_into;
using test::sample_rows;
using test::ten_blocks;
using PartialBlock = DurableStream::PartialBlock;

class DurableStreamTest : public test::StateFolder {
 protected:
  [[nodiscard]] std::span<const Row> first(std::size_t count) const { return std::span(rows_).first(count); }

  const Mechanism mechanism_{ten_blocks()};
  const std::vector<Row> rows_ = sample_rows(40);
};

TEST_F(DurableStreamTest, ReleasesWhatAStreamInMemoryDoes) {
  const Numbers expected = run_in_memory(mechanism_, {11}, rows_);
  ASSERT_EQ(expected.size(), 10U);
  EXPECT_EQ(run(mechanism_, seeded(), rows_), expected);
}

TEST_F(DurableStreamTest, GivesTheSameReleasesToTheSameRowsEveryTime) {
  const Numbers first = run(mechanism_, options(), rows_);
  EXPECT_EQ(run(mechanism_, options(), rows_), first);
  EXPECT_EQ(run(mechanism_, options(), rows_), first);
  EXPECT_NE(run(mechanism_, options("another"), rows_), first);
}

// The process may end after any row: what was released stays, and the result is that of an uninterrupted run.
TEST_F(DurableStreamTest, GoesOnFromEveryRowAsIfNeverStopped) {
  for (const Method method : {Method::jme, Method::pp}) {
    StreamConfig config = ten_blocks();
    config.method = method;
    if (method == Method::pp) config.shape = Shape::identity();
    const Mechanism mechanism(config);
    const Numbers expected = run_in_memory(mechanism, {11}, rows_);
    for (std::size_t stop = 0; stop <= rows_.size(); ++stop) {
      const std::string name = std::to_string(static_cast<int>(method)) + "-" + std::to_string(stop);
      const Numbers released = run_and_die(mechanism, seeded(name), first(stop));
      EXPECT_EQ(released.size(), stop / 4);
      EXPECT_TRUE(std::equal(released.begin(), released.end(), expected.begin())) << stop;
      EXPECT_EQ(run(mechanism, seeded(name), rows_), expected) << stop;
    }
  }
}

TEST_F(DurableStreamTest, KeepsEveryReleaseThroughManyOpeningsUnderFreshNonces) {
  Numbers before;
  for (std::size_t stop = 3; stop <= rows_.size(); stop += 5) {
    EXPECT_EQ(DurableStream(mechanism_, options()).rows_before(), 4 * before.size());
    const Numbers released = run_and_die(mechanism_, options(), first(stop));
    ASSERT_GE(released.size(), before.size());
    EXPECT_TRUE(std::equal(before.begin(), before.end(), released.begin()));
    before = released;
  }
  const Numbers all = run(mechanism_, options(), rows_);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), all.begin()));
  EXPECT_EQ(all.size(), 10U);
}

TEST_F(DurableStreamTest, GivesNothingOutBeforeItIsCommitted) {
  DurableOptions slow = seeded();
  slow.commit_interval = std::chrono::hours(1);
  const Numbers expected = run_in_memory(mechanism_, {11}, rows_);
  {
    DurableStream stream(mechanism_, slow);
    for (std::size_t t = 0; t < 18; ++t) {
      stream.push(rows_[t]);
      EXPECT_EQ(stream.next(), nullptr);
    }
    EXPECT_TRUE(stream.commit_due().has_value());
    EXPECT_EQ(stream.committed_rows(), 0U);
  }  // crashes: what was never seen is gone
  {
    DurableStream stream(mechanism_, slow);
    EXPECT_EQ(stream.rows_before(), 0U);
    for (std::size_t t = 0; t < 18; ++t) stream.push(rows_[t]);
    stream.commit();  // inside a block: as of its beginning
    EXPECT_EQ(stream.committed_rows(), 16U);
    EXPECT_FALSE(stream.commit_due().has_value());
    Numbers released;
    drain(stream, released);
    EXPECT_EQ(released, Numbers(expected.begin(), expected.begin() + 4));
    for (std::size_t t = 18; t < 40; ++t) stream.push(rows_[t]);
    stream.end_input();
    drain(stream, released);
    EXPECT_EQ(released, expected);
  }
  EXPECT_EQ(run(mechanism_, slow, rows_), expected);
}

TEST_F(DurableStreamTest, RefusesAnotherRowAndNamesItsBlock) {
  run_and_die(mechanism_, options(), first(20));
  for (const std::size_t changed : {0U, 3U, 4U, 10U, 19U}) {
    std::vector<Row> other = rows_;
    other[changed][1] = std::nextafter(other[changed][1], 1);
    Numbers released;
    expect_refused([&] { run_into(released, mechanism_, options(), other); },
                   fmt::format("the rows {} to {} are not those", changed / 4 * 4 + 1, changed / 4 * 4 + 4));
    EXPECT_EQ(released.size(), changed / 4) << "releases before the block with the row";
  }
  // Rows that the stream has not taken may change.
  std::vector<Row> other = rows_;
  other[20][0] += 0.1;
  EXPECT_EQ(run(mechanism_, options(), other).size(), 10U);
}

// Cells that were filled from releases: what counts when a row comes again is how it was read. What another
// machine would fill it with is never used again, whether or not it differs a little.
TEST_F(DurableStreamTest, ComparesRowsAsTheyWereReadHoweverTheyAreCompleted) {
  constexpr double hole = std::numeric_limits<double>::quiet_NaN();
  const auto take = [&](std::size_t from, std::size_t to, double fill, std::size_t other_hole) {
    DurableStream stream(mechanism_, options());
    Numbers released;
    for (std::size_t t = from; t < to; ++t) {
      Row row = rows_[t], as_read = row;
      if (t % 3 == 0 && t != other_hole) as_read[1] = hole;
      if (t % 3 == 0) row[1] = fill;
      stream.add_rows(MatrixView::of_rows(row, 2), MatrixView::of_rows(as_read, 2));
      stream.commit_if_due();
      drain(stream, released);
    }
    return released;
  };
  const Numbers before = take(0, 22, 0.25, 40);
  ASSERT_EQ(before.size(), 5U);
  const Numbers after = take(0, 40, 0.25000001, 40);
  EXPECT_EQ(after.size(), 10U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  expect_refused([&] { take(0, 40, 0.25, 9); }, "the rows 9 to 12 are not those");
  DurableStream stream(mechanism_, options());
  const Row one{0.1};
  EXPECT_THROW(stream.add_rows(MatrixView::of_rows(rows_[0], 2), MatrixView::of_rows(one, 1)), DataError);
}

TEST_F(DurableStreamTest, RefusesRowsInAnotherOrderOrLeftOut) {
  run_and_die(mechanism_, options(), first(20));
  std::vector<Row> swapped = rows_;
  std::swap(swapped[5], swapped[6]);
  expect_refused([&] { run(mechanism_, options(), swapped); }, "the rows 5 to 8 are not");
  const std::vector<Row> shifted(rows_.begin() + 1, rows_.end());
  expect_refused([&] { run(mechanism_, options(), shifted); }, "the rows 1 to 4 are not");
  expect_refused([&] { run(mechanism_, options(), first(10)); }, "the input ends at row 10");
}

TEST_F(DurableStreamTest, RefusesAnotherConfigurationAndNamesTheDifference) {
  run(mechanism_, options(), rows_);
  StreamConfig config = ten_blocks();
  config.budget.epsilon = 2;
  expect_refused([&] { DurableStream(Mechanism(config), options()); }, "epsilon is 1 there and 2 here");
  config = ten_blocks();
  config.rows = 80;
  expect_refused([&] { DurableStream(Mechanism(config), options()); }, "rows is 40 there and 80 here");
  DurableOptions other = options();
  other.details = {{.name = "bounds", .value = "x=0:1"}};
  expect_refused([&] { DurableStream(mechanism_, other); }, "bounds is not set there and x=0:1 here");
  expect_refused([&] { DurableStream(mechanism_, seeded()); }, "insecure-test-seed is not set there");
}

// A stream without the trace is what versions before it began under auto: its settings have no new one.
TEST_F(DurableStreamTest, BegunWithoutTheTraceGoesOnAsTheBallAndIsRefusedElsewhere) {
  ASSERT_EQ(mechanism_.geometry(), Geometry::ball_trace);
  StreamConfig config = ten_blocks();
  config.geometry = Geometry::ball;
  const Mechanism ball(config);
  EXPECT_EQ(value_of(settings_of(ball), "noise of the trace"), "");
  EXPECT_NE(value_of(settings_of(mechanism_), "noise of the trace"), "");
  const Numbers some = run_and_die(ball, options(), first(10));
  expect_refused([&] { DurableStream(mechanism_, options()); }, "geometry is ball there and ball-trace here");
  const Numbers all = run(ball, options(), rows_);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
}

TEST_F(DurableStreamTest, KeepsStreamsOfOtherNamesAndSourcesApart) {
  const Numbers first = run(mechanism_, options(), rows_);
  DurableOptions second = options(), third = options();
  second.stream = "again";
  third.source = "others";
  const Numbers again = run(mechanism_, second, rows_), others = run(mechanism_, third, rows_);
  EXPECT_NE(again, first);
  EXPECT_NE(others, first);
  EXPECT_EQ(run(mechanism_, options(), rows_), first);
  EXPECT_EQ(run(mechanism_, second, rows_), again);
  EXPECT_EQ(run(mechanism_, third, rows_), others);
}

TEST_F(DurableStreamTest, LetsOneWriterIn) {
  DurableStream stream(mechanism_, options());
  expect_refused([&] { DurableStream(mechanism_, options()); }, "another process has this stream open");
  stream.push(rows_[0]);
  expect_refused([&] { DurableStream(mechanism_, options()); }, "another process has this stream open");
}

TEST_F(DurableStreamTest, EndsWithAPartialBlockAndTakesNoRowAfterIt) {
  const std::span<const Row> some = first(10);
  const Numbers expected = run_in_memory(mechanism_, {11}, some);
  ASSERT_EQ(expected.size(), 3U);
  EXPECT_EQ(run(mechanism_, seeded(), some), expected);
  EXPECT_EQ(run(mechanism_, seeded(), some), expected);
  DurableStream stream(mechanism_, seeded());
  for (const Row& row : some) stream.push(row);
  EXPECT_THROW(stream.push(rows_[10]), BudgetExhausted);
}

TEST_F(DurableStreamTest, LeavesAPartialBlockForALongerInputWhereAsked) {
  const Numbers expected = run_in_memory(mechanism_, {11}, rows_);
  for (std::size_t length = 1; length < 40; length += 7) {
    EXPECT_EQ(run(mechanism_, seeded(), first(length), PartialBlock::leave).size(), length / 4);
  }
  EXPECT_EQ(run(mechanism_, seeded(), rows_), expected);
}

TEST_F(DurableStreamTest, AnInputThatEndsWithABlockMayGrow) {
  const Numbers expected = run_in_memory(mechanism_, {11}, rows_);
  for (std::size_t length = 4; length <= 40; length += 12) {
    EXPECT_EQ(run(mechanism_, seeded(), first(length)),
              Numbers(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(length / 4)));
  }
}

TEST_F(DurableStreamTest, GoesOnWithoutAHorizon) {
  StreamConfig config = ten_blocks();
  config.rows.reset();
  config.unbounded = true;
  config.workload = decay(0.9);
  config.shape = Shape::automatic();
  const Mechanism mechanism(config);
  const Numbers expected = run_in_memory(mechanism, {11}, rows_);
  for (std::size_t length = 5; length <= 40; length += 7) {
    run(mechanism, seeded(), first(length), PartialBlock::leave);
  }
  EXPECT_EQ(run(mechanism, seeded(), rows_), expected);
}

TEST_F(DurableStreamTest, RefusesTheRowPastTheHorizonInEveryRun) {
  for (int i = 0; i < 2; ++i) {
    DurableStream stream(mechanism_, options());
    for (const Row& row : rows_) stream.push(row);
    try {
      stream.push(rows_[0]);
      FAIL();
    } catch (const BudgetExhausted& error) {
      EXPECT_STREQ(error.what(), "row 41: the horizon of 40 rows is used up");
    }
    stream.commit();
    Numbers released;
    drain(stream, released);
    EXPECT_EQ(released.size(), 10U);
  }
}

TEST_F(DurableStreamTest, ARefusedRowDoesNotCount) {
  const Numbers expected = run_in_memory(mechanism_, {11}, rows_);
  DurableStream stream(mechanism_, seeded());
  Numbers released;
  for (const Row& row : rows_) {
    EXPECT_THROW(stream.push(Row{0.1}), DataError);
    if (stream.rows() > 0) {
      EXPECT_THROW(stream.push(Row{0.1, std::nan("")}), DataError);
    }
    stream.push(row);
    drain(stream, released);
  }
  EXPECT_EQ(released, expected);
}

TEST_F(DurableStreamTest, NamesABadRowByItsPlaceInTheStreamAlsoAfterARestart) {
  static_cast<void>(run_and_die(mechanism_, seeded(), first(8)));
  DurableStream stream(mechanism_, seeded());
  const auto place = [&](const Row& row) -> std::pair<std::size_t, std::size_t> {
    try {
      stream.push(row);
    } catch (const DataError& error) {
      return {error.row().value_or(0), error.column().value_or(0)};
    }
    return {};
  };
  using Place = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(place({0.1}), Place(1, 0));
  for (const Row& row : first(9)) stream.push(row);
  EXPECT_EQ(place({0.1}), Place(10, 0));
  EXPECT_EQ(place({0.1, std::nan("")}), Place(10, 2));
}

TEST_F(DurableStreamTest, StartsNoStreamForAnInputWithoutRows) {
  { DurableStream stream(mechanism_, options()); }
  for (const auto& entry : std::filesystem::directory_iterator(path("state"))) {
    EXPECT_EQ(entry.path().extension(), ".lock");
  }
}

TEST_F(DurableStreamTest, IsForItsOwnerAlone) {
  run(mechanism_, options(), rows_);
  using std::filesystem::perms;
  const auto others = perms::group_all | perms::others_all;
  EXPECT_EQ(std::filesystem::status(path("state")).permissions() & others, perms::none);
  for (const auto& entry : std::filesystem::directory_iterator(path("state"))) {
    EXPECT_EQ(entry.status().permissions() & others, perms::none) << entry.path();
  }
}

TEST_F(DurableStreamTest, KeepsPrivacyOnASourceWithinALimit) {
  DurableOptions limited = options();
  limited.max_mu = 0.4;  // one stream spends 0.2366 (epsilon 1, delta 1e-6), two 0.3346, three 0.4098
  run(mechanism_, limited, rows_);
  limited.stream = "second";
  run(mechanism_, limited, rows_);
  limited.stream = "third";
  EXPECT_THROW(run(mechanism_, limited, rows_), BudgetExhausted);
  limited.source = "others";
  EXPECT_EQ(run(mechanism_, limited, rows_).size(), 10U);
  // A stream that was started goes on.
  limited.source = "default";
  limited.stream = "second";
  limited.max_mu = 0.1;
  EXPECT_EQ(run(mechanism_, limited, rows_).size(), 10U);
}

// Every shape that keeps another kind of memory, and every method, through an opening in the middle.
TEST_F(DurableStreamTest, GoesOnForEveryShapeMethodAndWorkload) {
  int number = 0;
  for (const char* shape :
       {"identity", "sqrt", "banded:3", "banded-inverse:3", "blt:2", "scaled-blt:2", "dense"}) {
    for (const char* workload : {"mean", "prefix", "decay:0.9", "window:8"}) {
      if (std::string(shape) == "scaled-blt:2" && std::string(workload) == "window:8") continue;  // none
      StreamConfig config = ten_blocks();
      config.shape = Shape::parse(shape);
      config.workload = Workload::parse(workload);
      config.second = number % 3 == 0 ? SecondMoment::diagonal : SecondMoment::full;
      config.method = number % 2 == 0 ? Method::jme : Method::ime;
      const Mechanism mechanism(config);
      const std::string name = std::to_string(number++);
      run_and_die(mechanism, seeded(name), first(22));
      EXPECT_EQ(run(mechanism, seeded(name), rows_), run_in_memory(mechanism, {11}, rows_))
          << shape << workload;
    }
  }
}

}  // namespace
}  // namespace jme
