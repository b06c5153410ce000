// What the command says about a state folder that others can reach.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "command.hpp"

namespace jme::test {
namespace {

using testing::HasSubstr;

class StateFolderCommand : public InDirectory {
 protected:
  [[nodiscard]] CommandResult run() const {
    return jme("run --epsilon 1 --delta 1e-6 --norm-bound 1 --rows 4 --state " + path("state"),
               {.input = "a\n0.1\n0.2\n"});
  }
};

TEST_F(StateFolderCommand, APipeNamedLikeAKeyEndsTheLedgerWithFive) {
  ASSERT_EQ(run().code, 0);
  ASSERT_EQ(::mkfifo(path("state/other-01234567.key").c_str(), 0600), 0);
  const CommandResult ledger = jme("ledger " + path("state"));
  EXPECT_EQ(ledger.code, 5);
  EXPECT_THAT(ledger.err, HasSubstr("other-01234567.key: is not a regular file"));
  EXPECT_THAT(ledger.out, HasSubstr("epsilon 1"));  // the stream beside it is listed all the same
}

// Whatever byte of the database is another one: its head, its settings or what was released.
TEST_F(StateFolderCommand, TheLedgerEndsWithFiveWhereverADamagedStreamIsRefused) {
  ASSERT_EQ(run().code, 0);
  ASSERT_EQ(jme("ledger " + path("state")).code, 0);
  std::string database;
  for (const auto& entry : std::filesystem::directory_iterator(path("state"))) {
    if (entry.path().extension() == ".db") database = entry.path().string();
  }
  const std::string whole = read_text(database);
  int refused = 0;
  for (std::size_t at = 100; at < whole.size(); at += 331) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    std::ofstream(database, std::ios::binary | std::ios::trunc) << bytes;
    if (jme("ledger " + path("state")).code == 5) {
      ++refused;
    } else {
      EXPECT_EQ(run().code, 0) << "byte " << at;
    }
    std::ofstream(database, std::ios::binary | std::ios::trunc) << whole;
  }
  EXPECT_GT(refused, 5);
}

TEST_F(StateFolderCommand, AFolderThatOthersMayWriteEndsRunAndLedgerWithFive) {
  ASSERT_EQ(run().code, 0);
  ::chmod(path("state").c_str(), 0775);
  expect_refused(
      run(), 5,
      "state: others may write in the folder (mode 0775): a state is for its owner alone (chmod go-w)");
  expect_refused(jme("ledger " + path("state")), 5, "chmod go-w");
  ::chmod(path("state").c_str(), 0700);
  EXPECT_EQ(run().code, 0);
}

}  // namespace
}  // namespace jme::test
