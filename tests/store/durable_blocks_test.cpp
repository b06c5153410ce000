// Blocks that were summed elsewhere, under ids: released once, whatever happens in between.
#include <csignal>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jme/store/ledger.hpp>

#include "store/database.hpp"
#include "store/state_folder.hpp"

namespace jme {
namespace {

using test::expect_refused;
using test::Numbers;
using test::numbers;
using test::Row;
using test::run_in_memory;
using test::sample_rows;

class DurableBlocks : public test::StateFolder {
 protected:
  [[nodiscard]] BlockSum sum(std::size_t block, std::span<const Row> rows) const {
    BlockSum result(RowMap::of(mechanism_));
    for (std::size_t t = 4 * block; t < std::min<std::size_t>(4 * block + 4, rows.size()); ++t)
      result.add(rows[t]);
    return result;
  }
  [[nodiscard]] BlockSum sum(std::size_t block) const { return sum(block, rows_); }
  static std::string id(std::size_t block) { return "query 7, batch " + std::to_string(block); }

  /// Pushes all blocks through a stream that is opened again; returns what it released.
  Numbers push_all(const DurableOptions& with, std::size_t count = 10) const {
    DurableStream stream(mechanism_, with);
    stream.resume_at(stream.rows_before());
    Numbers releases;
    for (std::size_t block = 0; block < count; ++block) {
      releases.push_back(numbers(stream.push_block(id(block), sum(block))));
    }
    return releases;
  }

  const Mechanism mechanism_{test::ten_blocks()};
  const std::vector<Row> rows_ = sample_rows(40);
};

TEST_F(DurableBlocks, GiveTheReleasesOfTheirRows) {
  EXPECT_EQ(push_all(seeded()), run_in_memory(mechanism_, {11}, rows_));
}

// Whoever has the database without the key sees which of its bytes are equal: slots without rows would be.
TEST_F(DurableBlocks, DoNotShowOnDiskWhichOfThemHaveEqualSums) {
  {
    DurableStream stream(mechanism_, options());
    for (std::size_t block = 0; block < 3; ++block) static_cast<void>(stream.push_block(id(block), sum(0)));
    for (int block = 0; block < 3; ++block) stream.add_block(sum(0));
    stream.commit();
  }
  store::Database database(file(".db"), store::Database::Access::read);
  for (const char* bytes : {"digest", "numbers", "chain"}) {
    const std::string query = std::string("SELECT count(DISTINCT ") + bytes + ") FROM release";
    EXPECT_EQ(database.number(query.c_str()), 6) << bytes;
  }
  EXPECT_EQ(database.number("SELECT count(DISTINCT block_id) FROM release"), 4) << "three ids and none";
}

TEST_F(DurableBlocks, ThatShareACommitAreGivenOutAfterIt) {
  const Numbers expected = run_in_memory(mechanism_, {11}, rows_);
  Numbers given;
  {
    DurableStream stream(mechanism_, seeded());
    for (std::size_t block = 0; block < 3; ++block) {
      EXPECT_EQ(numbers(stream.add_block(sum(block))), expected[block]);
      EXPECT_EQ(stream.next(), nullptr);
    }
    EXPECT_EQ(stream.committed_rows(), 0U);
    stream.commit();
    test::drain(stream, given);
    EXPECT_EQ(given, Numbers(expected.begin(), expected.begin() + 3));
    static_cast<void>(stream.add_block(sum(3)));  // never committed
  }
  DurableStream stream(mechanism_, seeded());
  Numbers earlier;
  stream.resume_at(stream.rows_before());
  stream.releases_before([&](const Release& release) { earlier.push_back(numbers(release)); });
  EXPECT_EQ(earlier, given);
  EXPECT_EQ(stream.rows(), 12U);
  for (std::size_t block = 3; block < 10; ++block) static_cast<void>(stream.add_block(sum(block)));
  stream.commit();
  test::drain(stream, given);
  EXPECT_EQ(given, expected);
}

TEST_F(DurableBlocks, WithTheSameIdAndSumsGiveTheStoredReleaseAndDrawNothing) {
  const Numbers first = push_all(options());
  EXPECT_EQ(push_all(options()), first);
  DurableStream stream(mechanism_, options());
  // This also works without resume_at, in any order, and any number of times.
  for (const std::size_t block : {9U, 0U, 4U, 4U}) {
    EXPECT_EQ(numbers(stream.push_block(id(block), sum(block))), first[block]);
  }
  EXPECT_EQ(Ledger::read(path("state")).entries().at(0).releases, 10U);
}

TEST_F(DurableBlocks, WithTheSameIdAndOtherSumsAreRefusedAndDrawNothing) {
  const Numbers first = push_all(options(), 5);
  std::vector<Row> other = rows_;
  other[9][0] += 0.125;
  {
    DurableStream stream(mechanism_, options());
    stream.resume_at(20);
    expect_refused([&] { (void)stream.push_block(id(2), sum(2, other)); }, "other sums");
    expect_refused([&] { (void)stream.push_block(id(2), sum(3)); }, "other sums");
    EXPECT_EQ(numbers(stream.push_block(id(2), sum(2))), first[2]);
    EXPECT_EQ(stream.rows(), 20U);
    // In the process that released it, too.
    (void)stream.push_block(id(5), sum(5));
    expect_refused([&] { (void)stream.push_block(id(5), sum(6)); }, "other sums");
  }
  EXPECT_EQ(Ledger::read(path("state")).entries().at(0).releases, 6U);
}

TEST_F(DurableBlocks, ThatAreNewComeAfterWhatWasCommitted) {
  push_all(options(), 3);
  DurableStream stream(mechanism_, options());
  expect_refused([&] { (void)stream.push_block(id(3), sum(3)); }, "resume_at");
  expect_refused([&] { stream.resume_at(8); }, "12 rows are committed");
  stream.resume_at(12);
  expect_refused([&] { stream.resume_at(12); }, "before the first row");
  EXPECT_EQ(stream.push_block(id(3), sum(3)).steps(), 4U);
  EXPECT_EQ(stream.rows(), 16U);
  EXPECT_EQ(stream.committed_rows(), 16U);
}

TEST_F(DurableBlocks, AndRowsCanFollowEachOther) {
  const Numbers expected = run_in_memory(mechanism_, {11}, rows_);
  Numbers releases;
  {
    DurableStream stream(mechanism_, seeded());
    std::vector<double> first_rows;
    for (std::size_t t = 0; t < 8; ++t) first_rows.insert(first_rows.end(), rows_[t].begin(), rows_[t].end());
    stream.add_rows(MatrixView::of_rows(first_rows, 2), MatrixView::of_rows(first_rows, 2));
    EXPECT_EQ(stream.next(), nullptr) << "before the commit";
    stream.commit_if_due();
    test::drain(stream, releases);
    releases.push_back(numbers(stream.push_block(id(2), sum(2))));
    stream.push(rows_[12]);  // a block is open
    EXPECT_THROW((void)stream.push_block(id(4), sum(4)), InvalidParameter);
    for (std::size_t t = 13; t < 16; ++t) stream.push(rows_[t]);
    test::drain(stream, releases);
  }
  {
    DurableStream stream(mechanism_, seeded());
    stream.resume_at(16);
    for (std::size_t t = 16; t < 40; ++t) stream.push(rows_[t]);
    stream.end_input();
    test::drain(stream, releases);
  }
  EXPECT_EQ(releases, expected);
  // Rows that are compared again are not found in a block of sums.
  DurableStream again(mechanism_, seeded());
  expect_refused(
      [&] {
        for (const Row& row : rows_) again.push(row);
      },
      "the rows 9 to 12 are not those");
}

TEST_F(DurableBlocks, ThatWereChangedOnDiskAreNotGivenOut) {
  push_all(options(), 5);
  DurableStream stream(mechanism_, options());
  {
    store::Database(file(".db"), store::Database::Access::write)
        .run("UPDATE release SET rows = rows + 1 WHERE step = 3");
  }
  expect_refused([&] { (void)stream.push_block(id(2), sum(2)); }, "release 3 was changed");
}

/// A separate process: pushes block after block and writes each release to a pipe when it has it.
class Worker {
 public:
  template <class Work>
  explicit Worker(const Work& work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ == 0) {
      close(ends[0]);
      work(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    from_ = ends[0];
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { close(from_); }

  /// Kills it after this many microseconds and returns all that it wrote; `ended`: it had come to its end.
  std::string kill_after(useconds_t time, bool& ended) const {
    usleep(time);
    kill(child_, SIGKILL);
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = read(from_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    int status = 0;
    waitpid(child_, &status, 0);
    ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return text;
  }

 private:
  pid_t child_;
  int from_;
};

TEST_F(DurableBlocks, SurviveKillsAtAnyMomentAndAreReleasedOnce) {
  std::mt19937 generator(3);
  int kills = 0;
  for (int trial = 0; kills < 40; ++trial) {
    const DurableOptions with = options("kill" + std::to_string(trial));
    std::map<std::size_t, std::vector<double>> seen;
    bool ended = false;
    unsigned longest = 2'000;  // microseconds; a slow machine needs more to get anywhere
    while (!ended) {
      ASSERT_LT(kills, 2000) << "no progress";
      longest += longest / 8;
      const Worker worker([&](int to) {
        DurableStream stream(mechanism_, with);
        stream.resume_at(stream.rows_before());
        for (std::size_t block = 0; block < 10; ++block) {
          const std::vector<double> release = numbers(stream.push_block(id(block), sum(block)));
          std::vector<double> record{static_cast<double>(block)};
          record.insert(record.end(), release.begin(), release.end());
          if (write(to, record.data(), 8 * record.size()) < 0) _exit(1);
        }
      });
      const std::string text = worker.kill_after(static_cast<useconds_t>(generator() % longest), ended);
      kills += ended ? 0 : 1;
      const std::size_t length = 8 * (1 + numbers(Release(ReleaseLayout::of(mechanism_))).size());
      for (std::size_t at = 0; at + length <= text.size(); at += length) {
        std::vector<double> record(length / 8);
        std::memcpy(record.data(), text.data() + at, length);
        const auto block = static_cast<std::size_t>(record[0]);
        record.erase(record.begin());
        const auto known = seen.try_emplace(block, record).first;
        ASSERT_EQ(known->second, record) << "block " << block << " was released with two values";
      }
    }
    ASSERT_EQ(seen.size(), 10U);
    const LedgerEntry entry = Ledger::read(with.directory).entries().at(0);
    EXPECT_EQ(entry.releases, 10U);
    EXPECT_EQ(entry.rows, 40U);
    EXPECT_EQ(entry.problem, "");
  }
  RecordProperty("kills", kills);
}

}  // namespace
}  // namespace jme
