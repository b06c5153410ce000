#include "store/key_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <jme/base/errors.hpp>

#include "store/state_folder.hpp"

namespace jme::store {
namespace {

class KeyFileTest : public test::StateFolder {
 protected:
  KeyFileTest() { KeyFile::create(path("a.key"), key_); }
  Key key_ = Key::from_system();
};

TEST_F(KeyFileTest, KeepsTheKeyAndTheCounterForItsOwnerAlone) {
  struct stat status {};
  ASSERT_EQ(::stat(path("a.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  for (std::uint64_t commits = 0; commits < 5; ++commits) {
    KeyFile file(path("a.key"));
    EXPECT_EQ(file.key().bytes(), key_.bytes());
    EXPECT_EQ(file.counter(), commits);
    file.advance(commits + 1);
    EXPECT_EQ(file.counter(), commits + 1);
  }
  EXPECT_FALSE(std::filesystem::exists(path("a.key.new")));
}

TEST_F(KeyFileTest, IsCreatedOverWhatACutOffCreationLeft) {
  overwrite(path("b.key.new"), "half of a ke");
  KeyFile::create(path("b.key"), key_);
  EXPECT_EQ(KeyFile(path("b.key")).key().bytes(), key_.bytes());
}

TEST_F(KeyFileTest, IsRefusedWhereOthersMayReadIt) {
  for (const unsigned mode : {0640U, 0604U, 0660U, 0610U, 0644U}) {
    ::chmod(path("a.key").c_str(), mode);
    EXPECT_THROW(KeyFile(path("a.key")), StateError) << mode;
  }
  ::chmod(path("a.key").c_str(), 0400);
  EXPECT_NO_THROW(KeyFile(path("a.key"), KeyFile::Access::read));
}

TEST_F(KeyFileTest, MovesItsCounterByOneOnly) {
  KeyFile file(path("a.key"));
  EXPECT_THROW(file.advance(0), StateError);
  EXPECT_THROW(file.advance(2), StateError);
  EXPECT_EQ(file.counter(), 0U);
}

// A write that was interrupted leaves the previous counter, never another number.
TEST_F(KeyFileTest, FallsBackByOneWhereTheNewestCounterIsDamaged) {
  {
    KeyFile file(path("a.key"));
    for (std::uint64_t counter = 1; counter <= 4; ++counter) file.advance(counter);
  }
  const std::string whole = content(path("a.key"));
  std::size_t refused = 0, same = 0, older = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (at > 200 && at % 4096 > 100 && at % 97 != 0) continue;  // padding
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    overwrite(path("b.key"), changed);
    ::chmod(path("b.key").c_str(), 0600);
    try {
      const KeyFile file(path("b.key"));
      EXPECT_EQ(file.key().bytes(), key_.bytes()) << at;
      file.counter() == 4 ? ++same : ++older;
      EXPECT_GE(file.counter(), 3U) << at;
    } catch (const StateError&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 71U);  // magic, version, key and check: 15 + 8 + 32 + 16
  EXPECT_EQ(older, 24U);    // the place of the newest counter
  EXPECT_GT(same, 24U);
}

TEST_F(KeyFileTest, IsRefusedWhereItIsTruncatedInsideTheKeyOrWithoutACounter) {
  const std::string whole = content(path("a.key"));
  for (const std::size_t size : {0U, 1U, 14U, 40U, 70U, 71U, 4096U, 4100U, 4119U}) {
    overwrite(path("b.key"), whole.substr(0, size));
    ::chmod(path("b.key").c_str(), 0600);
    EXPECT_THROW(KeyFile(path("b.key")), StateError) << size;
  }
}

TEST_F(KeyFileTest, IsRefusedWhereANewerVersionWroteIt) {
  std::string changed = content(path("a.key"));
  changed[15] = 2;
  overwrite(path("a.key"), changed);
  try {
    KeyFile file(path("a.key"));
    FAIL();
  } catch (const StateError& error) {
    EXPECT_NE(std::string(error.what()).find("newer version"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace jme::store
