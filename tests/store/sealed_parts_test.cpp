// What fronts commit with a stream: sealed, in one commit with the blocks, and read back.
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
using Records = std::vector<std::string>;

std::vector<std::byte> as_bytes(const std::string& text) {
  const auto span = std::as_bytes(std::span(text));
  return {span.begin(), span.end()};
}

std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class CommittedParts : public test::StateFolder {
 protected:
  [[nodiscard]] BlockSum sum(std::size_t block) const {
    BlockSum result(RowMap::of(mechanism_));
    for (std::size_t t = 4 * block; t < 4 * block + 4; ++t) result.add(rows_[t]);
    return result;
  }
  static void set(DurableStream& stream, const std::string& open_block, const std::string& place,
                  const std::string& person) {
    SealedParts& parts = stream.change_sealed();
    parts.open_block = as_bytes(open_block);
    parts.place = {.bytes = as_bytes(place), .taken = 3};
    parts.people.add(as_bytes(person));
  }
  static Records records(const DurableStream& stream, JournalOf journal = JournalOf::people) {
    Records found;
    stream.read_journal(journal,
                        [&](std::span<const std::byte> record) { found.push_back(as_text(record)); });
    return found;
  }
  void damage(const std::string& sql) const {
    store::Database(file(".db"), store::Database::Access::write).run(sql.c_str());
  }

  const Mechanism mechanism_{test::ten_blocks()};
  const std::vector<Row> rows_ = test::sample_rows(40);
};

TEST_F(CommittedParts, AreFoundByTheNextProcess) {
  {
    DurableStream stream(mechanism_, options());
    EXPECT_TRUE(stream.sealed().open_block.empty());
    set(stream, "open one", "here", "first");
    EXPECT_TRUE(records(stream).empty()) << "before the commit";
    stream.commit();
    EXPECT_EQ(records(stream), Records{"first"});
    static_cast<void>(stream.add_block(sum(0)));
    set(stream, "open two", "there", "second");
    stream.change_sealed().requests.add(as_bytes("a request"));
    stream.commit();
    set(stream, "never committed", "never committed", "never committed");
  }
  {
    DurableStream stream(mechanism_, options());
    EXPECT_EQ(as_text(stream.sealed().open_block), "open two");
    EXPECT_EQ(stream.sealed().place, (SourcePlace{.bytes = as_bytes("there"), .taken = 3}));
    EXPECT_EQ(records(stream), (Records{"first", "second"}));
    EXPECT_EQ(records(stream, JournalOf::requests), Records{"a request"});
    stream.resume_at(4);
    stream.change_sealed().people.add(as_bytes("third"));
    stream.commit();
    EXPECT_EQ(records(stream).size(), 3U);
  }
  DurableStream stream(mechanism_, options());
  EXPECT_EQ(as_text(stream.sealed().open_block), "open two") << "what does not change stays";
  EXPECT_EQ(Ledger::read(path("state")).entries().at(0).problem, "");
}

TEST_F(CommittedParts, GoWithTheBlocksBeforeThem) {
  DurableOptions slow = options();
  slow.commit_interval = std::chrono::hours(1);
  {
    DurableStream stream(mechanism_, slow);
    for (std::size_t t = 0; t < 6; ++t) {
      stream.push(rows_[t]);
      if (t == 3) set(stream, "", "after four", "of four");
    }
    stream.commit();  // rows 4 and 5 are in an open block
  }
  DurableStream stream(mechanism_, slow);
  EXPECT_EQ(stream.rows_before(), 4U);
  EXPECT_EQ(as_text(stream.sealed().place.bytes), "after four");
  EXPECT_THROW(stream.change_sealed(), StateError) << "rows that were committed come first";
  stream.resume_at(4);
  for (std::size_t t = 4; t < 8; ++t) stream.push(rows_[t]);
  set(stream, "", "after eight", "of eight");
  stream.commit();
  EXPECT_EQ(records(stream), (Records{"of four", "of eight"}));
}

TEST_F(CommittedParts, ChangeNoRelease) {
  test::Numbers with, without;
  {
    DurableStream stream(mechanism_, seeded("with"));
    for (std::size_t block = 0; block < 10; ++block) {
      with.push_back(test::numbers(stream.push_block(std::to_string(block), sum(block))));
      set(stream, "x", "y", "z");
      stream.commit();
    }
  }
  DurableStream stream(mechanism_, seeded("without"));
  for (std::size_t block = 0; block < 10; ++block) {
    without.push_back(test::numbers(stream.push_block(std::to_string(block), sum(block))));
  }
  EXPECT_EQ(with, without);
}

TEST_F(CommittedParts, CannotBeReadOnDisk) {
  const std::string secret = "this is nobody's business but the stream's";
  {
    DurableStream stream(mechanism_, options());
    set(stream, secret, secret, secret);
    stream.change_sealed().requests.add(as_bytes(secret));
    stream.commit();
    set(stream, "short", "short", "short");
    stream.commit();
  }
  for (const auto& entry : std::filesystem::directory_iterator(path("state"))) {
    EXPECT_EQ(content(entry.path()).find(secret.substr(0, 12)), std::string::npos) << entry.path();
  }
}

TEST_F(CommittedParts, ThatWereChangedExchangedOrTakenAwayAreRefused) {
  {
    DurableStream stream(mechanism_, options());
    for (int i = 0; i < 3; ++i) {
      set(stream, "open " + std::to_string(i), "place", "person " + std::to_string(i));
      stream.change_sealed().requests.add(as_bytes("request " + std::to_string(i)));
      stream.commit();
      if (i == 1) copy_state("state", "older");
    }
  }
  copy_state("state", "whole");
  const auto refuse = [&](const std::string& sql, const std::string& message) {
    SCOPED_TRACE(sql);
    copy_state("whole", "state");
    damage(sql);
    expect_refused(
        [&] {
          const DurableStream stream(mechanism_, options());
          static_cast<void>(records(stream));
          static_cast<void>(records(stream, JournalOf::requests));
        },
        message);
  };
  // Places 1, 3 and 5 are of people, the others of requests.
  refuse("UPDATE head SET sealed = zeroblob(length(sealed))", "changed");
  refuse("UPDATE head SET journals = zeroblob(length(journals))", "changed");
  for (const char* place : {"1", "3", "5", "6"}) {
    refuse(std::string("DELETE FROM journal WHERE place = ") + place, "journal");
  }
  refuse("UPDATE journal SET sealed = (SELECT sealed FROM journal WHERE place = 1) WHERE place = 3",
         "journal");
  refuse("UPDATE journal SET kind = 3 - kind", "journal");
  refuse("UPDATE journal SET place = 7 WHERE place = 5", "journal");
  refuse("UPDATE journal SET nonce = zeroblob(length(nonce)) WHERE place = 3", "changed");
  // What an earlier commit sealed, put back by itself.
  copy_state("whole", "state");
  damage("ATTACH DATABASE '" + file(".db", "older").string() +
         "' AS older; UPDATE main.head SET sealed = (SELECT sealed FROM older.head); DETACH DATABASE older");
  expect_refused([&] { DurableStream(mechanism_, options()); }, "changed");
}

TEST_F(CommittedParts, HaveAJournalThatIsReplacedByItselfAndInOneCommit) {
  const std::string secret = "an old record that must leave the disk";
  {
    DurableStream stream(mechanism_, options());
    for (int i = 0; i < 5; ++i) stream.change_sealed().people.add(as_bytes(secret));
    stream.change_sealed().requests.add(as_bytes("stays"));
    stream.commit();
    stream.change_sealed().people.replace_all();
    stream.change_sealed().people.add(as_bytes("never committed"));
  }
  {
    DurableStream stream(mechanism_, options());
    EXPECT_EQ(records(stream), Records(5, secret));
    stream.change_sealed().people.add(as_bytes("is replaced, too"));
    stream.change_sealed().people.replace_all();
    stream.change_sealed().people.add(as_bytes("new"));
    static_cast<void>(stream.add_block(sum(0)));
    stream.commit();
    EXPECT_EQ(records(stream), Records{"new"});
    EXPECT_EQ(records(stream, JournalOf::requests), Records{"stays"});
    stream.change_sealed().people.add(as_bytes("newer"));
    stream.commit();
  }
  const auto database = [&] { return store::Database(file(".db"), store::Database::Access::write); };
  // No place is used twice: records of one process are sealed under one key and their places.
  EXPECT_EQ(database().number("SELECT min(place) FROM journal WHERE kind = 1"), 7);
  copy_state("state", "whole");
  for (const char* sql : {"DELETE FROM journal WHERE place = 7", "DELETE FROM journal"}) {
    copy_state("whole", "state");
    damage(sql);
    expect_refused([&] { static_cast<void>(records(DurableStream(mechanism_, options()))); }, "journal");
  }
  copy_state("whole", "state");
  DurableStream stream(mechanism_, options());
  EXPECT_EQ(records(stream), (Records{"new", "newer"}));
  stream.resume_at(4);
  stream.change_sealed().people.replace_all();
  stream.commit();
  EXPECT_TRUE(records(stream).empty());
}

TEST_F(CommittedParts, CanBeWrittenWhereTheStreamHasEnded) {
  {
    DurableStream stream(mechanism_, options());
    for (std::size_t block = 0; block < 10; ++block)
      static_cast<void>(stream.push_block(std::to_string(block), sum(block)));
  }
  {
    DurableStream stream(mechanism_, options());
    stream.resume_at(40);
    set(stream, "", "", "new");
    stream.commit();
    EXPECT_THROW(static_cast<void>(stream.push_block("more", sum(0))), BudgetExhausted);
  }
  DurableStream stream(mechanism_, options());
  EXPECT_EQ(records(stream), Records{"new"});
  EXPECT_EQ(stream.rows_before(), 40U);
}

TEST_F(CommittedParts, OfManyBytesAreReadBackInPieces) {
  const std::string people(2'500'000, 'p');
  {
    DurableStream stream(mechanism_, options());
    stream.change_sealed().people.add(as_bytes(people));
    stream.commit();
  }
  const Records pieces = records(DurableStream(mechanism_, options()));
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0] + pieces[1] + pieces[2], people);
}

TEST_F(CommittedParts, AreConsistentForALedgerThatReadsMeanwhile) {
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
    set(stream, std::to_string(i), "", "");
    stream.commit();
  }
  done = true;
  reader.join();
  EXPECT_EQ(problem, "");
  EXPECT_GT(reads, 3U);
}

TEST_F(CommittedParts, HaveAKeyThatIsTheSameForEveryProcessAndAnotherForEveryPurpose) {
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
