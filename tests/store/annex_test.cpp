// What fronts keep beside a stream: sealed, in one commit with the blocks, and found again.
#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <jme/store/ledger.hpp>

#include "store/database.hpp"
#include "store/state_folder.hpp"

namespace jme {
namespace {

using test::expect_refused;
using test::Row;

std::vector<std::byte> as_bytes(const std::string& text) {
  const auto span = std::as_bytes(std::span(text));
  return {span.begin(), span.end()};
}

class Annex : public test::StateFolder {
 protected:
  [[nodiscard]] BlockSum sum(std::size_t block) const {
    BlockSum result(RowMap::of(mechanism_));
    for (std::size_t t = 4 * block; t < 4 * block + 4; ++t) result.add(rows_[t]);
    return result;
  }
  static std::string kept(const DurableStream& stream) {
    const std::vector<std::byte> bytes = stream.kept();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  static std::vector<std::string> journal(const DurableStream& stream) {
    std::vector<std::string> records;
    stream.journal_before([&](std::span<const std::byte> record) {
      records.emplace_back(reinterpret_cast<const char*>(record.data()), record.size());
    });
    return records;
  }
  void damage(const std::string& sql) const {
    store::Database(file(".db"), store::Database::Access::write).run(sql.c_str());
  }

  const Mechanism mechanism_{test::ten_blocks()};
  const std::vector<Row> rows_ = test::sample_rows(40);
};

TEST_F(Annex, IsFoundAgainByTheNextProcess) {
  {
    DurableStream stream(mechanism_, options());
    EXPECT_EQ(kept(stream), "");
    stream.keep(as_bytes("open one"));
    stream.journal(as_bytes("first"));
    EXPECT_EQ(kept(stream), "") << "before the commit";
    stream.commit();
    EXPECT_EQ(kept(stream), "open one");
    stream.journal(as_bytes("second"));
    stream.keep(as_bytes("open two"));
    (void)stream.push_block("a", sum(0));
    EXPECT_EQ(kept(stream), "open two");
    stream.journal(as_bytes(""));
    stream.commit();
    stream.journal(as_bytes("never committed"));
    stream.keep(as_bytes("never committed"));
  }
  DurableStream stream(mechanism_, options());
  EXPECT_EQ(kept(stream), "open two");
  EXPECT_EQ(journal(stream), (std::vector<std::string>{"first", "second", ""}));
  stream.resume_at(4);
  stream.journal(as_bytes("third"));
  stream.commit();
  EXPECT_EQ(journal(stream).size(), 4U);
  EXPECT_EQ(kept(stream), "open two");
  EXPECT_EQ(Ledger::read(path("state")).entries().at(0).problem, "");
}

TEST_F(Annex, OfRowsGoesWithTheBlockThatTheyEnd) {
  DurableOptions slow = options();
  slow.commit_interval = std::chrono::hours(1);
  {
    DurableStream stream(mechanism_, slow);
    for (std::size_t t = 0; t < 6; ++t) {
      stream.journal(as_bytes(std::to_string(t)));
      stream.push(rows_[t]);
    }
    stream.commit();  // rows 4 and 5 are in an open block
    EXPECT_EQ(journal(stream), (std::vector<std::string>{"0", "1", "2", "3"}));
  }
  DurableStream stream(mechanism_, slow);
  stream.resume_at(4);
  for (std::size_t t = 4; t < 8; ++t) {
    stream.journal(as_bytes(std::to_string(t)));
    stream.push(rows_[t]);
  }
  stream.commit();
  EXPECT_EQ(journal(stream), (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"}));
}

TEST_F(Annex, ChangesNoRelease) {
  test::Numbers with, without;
  {
    DurableStream stream(mechanism_, seeded("with"));
    for (std::size_t block = 0; block < 10; ++block) {
      stream.keep(as_bytes("x"));
      stream.commit();
      stream.journal(as_bytes("y"));
      with.push_back(test::numbers(stream.push_block(std::to_string(block), sum(block))));
    }
  }
  DurableStream stream(mechanism_, seeded("without"));
  for (std::size_t block = 0; block < 10; ++block) {
    without.push_back(test::numbers(stream.push_block(std::to_string(block), sum(block))));
  }
  EXPECT_EQ(with, without);
}

TEST_F(Annex, CannotBeReadOnDisk) {
  const std::string secret = "this is nobody's business but the stream's";
  {
    DurableStream stream(mechanism_, options());
    stream.keep(as_bytes(secret));
    stream.journal(as_bytes(secret));
    stream.commit();
    stream.keep(as_bytes("short"));
    stream.commit();
  }
  for (const auto& entry : std::filesystem::directory_iterator(path("state"))) {
    EXPECT_EQ(content(entry.path()).find(secret.substr(0, 12)), std::string::npos) << entry.path();
  }
}

TEST_F(Annex, ThatWasChangedExchangedOrTakenAwayIsRefused) {
  {
    DurableStream stream(mechanism_, options());
    for (int i = 0; i < 3; ++i) {
      stream.keep(as_bytes("kept " + std::to_string(i)));
      stream.journal(as_bytes("record " + std::to_string(i)));
      stream.commit();
      if (i == 1) copy_state("state", "older");
    }
  }
  copy_state("state", "whole");
  const auto refuse = [&](const std::string& sql, const std::string& message) {
    copy_state("whole", "state");
    damage(sql);
    expect_refused(
        [&] {
          const DurableStream stream(mechanism_, options());
          (void)stream.kept();
          (void)journal(stream);
        },
        message);
  };
  refuse("UPDATE annex SET kept = zeroblob(length(kept))", "changed");
  refuse("UPDATE annex SET records = 2", "changed");
  refuse("UPDATE annex SET counter = counter - 1", "changed");
  refuse("DELETE FROM journal WHERE place = 3", "journal");
  refuse("DELETE FROM journal WHERE place = 1", "journal");
  refuse("UPDATE journal SET sealed = (SELECT sealed FROM journal WHERE place = 1) WHERE place = 2",
         "journal");
  refuse("UPDATE journal SET nonce = zeroblob(length(nonce)) WHERE place = 2", "changed");
  refuse("DROP TABLE annex; DROP TABLE journal; PRAGMA user_version = 1", "changed");
  // What was kept at an earlier commit, put back by itself.
  copy_state("whole", "state");
  damage("ATTACH DATABASE '" + file(".db", "older").string() +
         "' AS older; UPDATE main.annex SET (counter, nonce, kept) = (SELECT counter, nonce, kept FROM "
         "older.annex); DETACH DATABASE older");
  expect_refused([&] { DurableStream(mechanism_, options()); }, "changed");
}

TEST_F(Annex, HasAJournalThatANewOneReplacesInOneCommit) {
  const std::string secret = "an old record that must leave the disk";
  {
    DurableStream stream(mechanism_, options());
    for (int i = 0; i < 5; ++i) stream.journal(as_bytes(secret));
    stream.commit();
    stream.begin_journal();
    stream.journal(as_bytes("never committed"));
  }
  {
    DurableStream stream(mechanism_, options());
    EXPECT_EQ(journal(stream), std::vector<std::string>(5, secret));
    stream.journal(as_bytes("is replaced, too"));
    stream.begin_journal();
    stream.journal(as_bytes("new"));
    (void)stream.push_block("a", sum(0));
    EXPECT_EQ(journal(stream), std::vector<std::string>{"new"});
    stream.journal(as_bytes("newer"));
    stream.commit();
  }
  copy_state("state", "whole");
  const auto database = [&] { return store::Database(file(".db"), store::Database::Access::write); };
  // No place is used twice: records of one process are sealed under one key and their places.
  EXPECT_EQ(database().number("SELECT min(place) FROM journal"), 6);
  for (const char* sql : {"DELETE FROM journal WHERE place = 6", "DELETE FROM journal"}) {
    copy_state("whole", "state");
    damage(sql);
    expect_refused([&] { (void)journal(DurableStream(mechanism_, options())); }, "journal");
  }
  copy_state("whole", "state");
  {
    DurableStream stream(mechanism_, options());
    EXPECT_EQ(journal(stream), (std::vector<std::string>{"new", "newer"}));
    stream.resume_at(4);
    stream.begin_journal();
    stream.commit();
    EXPECT_TRUE(journal(stream).empty());
    stream.journal(as_bytes("last"));
    stream.commit();
  }
  EXPECT_EQ(journal(DurableStream(mechanism_, options())), std::vector<std::string>{"last"});
}

TEST_F(Annex, CanBeWrittenWhereTheStreamHasEnded) {
  {
    DurableStream stream(mechanism_, options());
    stream.journal(as_bytes("old"));
    for (std::size_t block = 0; block < 10; ++block)
      (void)stream.push_block(std::to_string(block), sum(block));
  }
  {
    DurableStream stream(mechanism_, options());
    stream.resume_at(40);
    stream.begin_journal();
    stream.journal(as_bytes("new"));
    stream.commit();
    EXPECT_THROW(stream.push_block("more", sum(0)), BudgetExhausted);
  }
  DurableStream stream(mechanism_, options());
  EXPECT_EQ(journal(stream), std::vector<std::string>{"new"});
  EXPECT_EQ(stream.rows_before(), 40U);
}

TEST_F(Annex, IsConsistentForALedgerThatReadsMeanwhile) {
  DurableStream stream(mechanism_, options());
  stream.begin();
  std::atomic<bool> done = false;
  std::size_t reads = 0;
  std::string problem;
  std::thread reader([&] {
    while (!done) {
      problem += Ledger::read(path("state")).entries().at(0).problem;
      ++reads;
    }
  });
  for (int i = 0; i < 300; ++i) {
    stream.keep(as_bytes(std::to_string(i)));
    stream.commit();
  }
  done = true;
  reader.join();
  EXPECT_EQ(problem, "");
  EXPECT_GT(reads, 3U);
}

TEST_F(Annex, HasAKeyThatIsTheSameForEveryProcessAndAnotherForEveryPurpose) {
  std::optional<Key> first;
  {
    DurableStream stream(mechanism_, options());
    EXPECT_FALSE(stream.front_key("people"));
    stream.begin();
    first = stream.front_key("people");
  }
  DurableStream stream(mechanism_, options());
  EXPECT_EQ(stream.front_key("people")->bytes(), first->bytes());
  EXPECT_NE(stream.front_key("requests")->bytes(), first->bytes());
}

}  // namespace
}  // namespace jme
