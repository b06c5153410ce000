// Things in a state folder that are not ours: links, pipes, files and folders of others.
#include <filesystem>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jme/store/ledger.hpp>

#include "store/key_file.hpp"
#include "store/state_folder.hpp"

namespace jme::test {
namespace {

constexpr ::uid_t somebody_else = 12345;

class ForeignFiles : public StateFolder {
 protected:
  /// Twelve rows of a stream that is left open.
  void begin() const { static_cast<void>(run(mechanism_, options(), std::span(rows_).first(12))); }
  void go_on() const { static_cast<void>(run(mechanism_, options(), rows_)); }
  /// Of the only stream.
  [[nodiscard]] std::string problem() const {
    const Ledger ledger = Ledger::read(path("state"));
    return ledger.entries().size() == 1 ? ledger.entries().front().problem : "no stream";
  }
  /// Neither the writer nor the ledger accepts it, and both messages contain `text`.
  void expect_noticed(const std::string& text) const {
    expect_refused([&] { go_on(); }, text);
    EXPECT_NE(problem().find(text), std::string::npos) << problem();
  }
  void expect_folder_refused(const std::string& text) const {
    expect_refused([&] { go_on(); }, text);
    expect_refused([&] { static_cast<void>(Ledger::read(path("state"))); }, text);
  }
  /// Replaces the file with this ending by something else while `use` runs.
  void in_place_of(const std::string& ending, const std::function<void(const std::filesystem::path&)>& put,
                   const std::function<void()>& use) const {
    const std::filesystem::path there = file(ending), aside = path("aside");
    std::filesystem::rename(there, aside);
    put(there);
    use();
    std::filesystem::remove(there);
    std::filesystem::rename(aside, there);
  }

  Mechanism mechanism_{ten_blocks()};
  std::vector<Row> rows_ = sample_rows(40);
};

TEST_F(ForeignFiles, APipeIsRefusedAndNotWaitedFor) {
  begin();
  for (const std::string ending : {".key", ".db", ".lock"}) {
    const auto pipe = [](const std::filesystem::path& at) { ASSERT_EQ(::mkfifo(at.c_str(), 0600), 0); };
    in_place_of(ending, pipe, [&] { expect_noticed(file(ending).string() + ": is not a regular file"); });
  }
  for (const std::string side : {"-wal", "-shm", "-journal"}) {
    const std::filesystem::path at = file(".db").string() + side;
    std::filesystem::remove(at);
    ASSERT_EQ(::mkfifo(at.c_str(), 0600), 0);
    expect_noticed(at.string() + ": is not a regular file");
    std::filesystem::remove(at);
  }
  go_on();
}

TEST_F(ForeignFiles, APipeAloneIsAProblemOfTheLedgerAndNoStream) {
  std::filesystem::create_directory(path("state"));
  ASSERT_EQ(::mkfifo(path("state/air-00000000.key").c_str(), 0600), 0);
  EXPECT_NE(problem().find("is not a regular file"), std::string::npos) << problem();
}

TEST_F(ForeignFiles, ALinkIsRefusedWhereverItLeads) {
  begin();
  for (const std::string ending : {".key", ".db", ".lock"}) {
    const std::string word = ending == ".db" ? ": is not a regular file" : ": is a symbolic link";
    const auto to_it = [&](const std::filesystem::path& at) {
      std::filesystem::create_symlink(path("aside"), at);
    };
    in_place_of(ending, to_it, [&] { expect_noticed(file(ending).string() + word); });
    const auto to_nothing = [&](const std::filesystem::path& at) {
      std::filesystem::create_symlink(path("nowhere"), at);
    };
    in_place_of(ending, to_nothing, [&] { expect_noticed(file(ending).string() + word); });
    EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
  }
  go_on();
}

TEST_F(ForeignFiles, AFolderInAFilesPlaceIsRefused) {
  begin();
  for (const std::string ending : {".key", ".db", ".lock"}) {
    const auto folder = [](const std::filesystem::path& at) { std::filesystem::create_directory(at); };
    in_place_of(ending, folder, [&] { expect_noticed(file(ending).string() + ": is not a regular file"); });
  }
}

TEST_F(ForeignFiles, AKeyForOthersOrADatabaseThatOthersMayWriteIsRefused) {
  begin();
  ::chmod(file(".key").c_str(), 0640);
  expect_noticed("others may read it; a key must be for its owner alone (chmod 600)");
  ::chmod(file(".key").c_str(), 0600);
  for (const unsigned mode : {0620U, 0602U, 0666U}) {
    ::chmod(file(".db").c_str(), mode);
    expect_noticed("others may write it: it must be for its owner alone (chmod 600)");
  }
  ::chmod(file(".db").c_str(), 0644);  // its releases are no secret
  go_on();
}

TEST_F(ForeignFiles, AKeyOfAnotherSizeIsRefused) {
  begin();
  std::filesystem::resize_file(file(".key"), 3 * 4096 + 1);
  expect_noticed("it does not have the size of a key file");
}

TEST_F(ForeignFiles, AFolderThatOthersMayWriteIsRefused) {
  begin();
  for (const unsigned mode : {0720U, 0770U, 0707U, 0777U, 01777U}) {
    ::chmod(path("state").c_str(), mode);
    expect_folder_refused("others may write in the folder");
    expect_folder_refused("(chmod go-w)");
  }
  ::chmod(path("state").c_str(), 0755);  // reading does not write
  go_on();
}

TEST_F(ForeignFiles, AnEmptyFolderThatOthersMayWriteIsRefusedBeforeAnythingIsMade) {
  std::filesystem::create_directory(path("state"));
  ::chmod(path("state").c_str(), 0777);
  expect_folder_refused("others may write in the folder (mode 0777)");
  EXPECT_TRUE(std::filesystem::is_empty(path("state")));
}

TEST_F(ForeignFiles, AFolderMayBeReachedByALink) {
  std::filesystem::create_directory(path("elsewhere"));
  std::filesystem::create_directory_symlink(path("elsewhere"), path("state"));
  begin();
  go_on();
  EXPECT_EQ(problem(), "");
}

TEST_F(ForeignFiles, FilesOfAnotherUserAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  begin();
  for (const std::string ending : {".key", ".db", ".lock"}) {
    ASSERT_EQ(::chown(file(ending).c_str(), somebody_else, 0), 0);
    expect_noticed(file(ending).string() + ": belongs to another user (12345)");
    ASSERT_EQ(::chown(file(ending).c_str(), 0, 0), 0);
  }
  go_on();
}

TEST_F(ForeignFiles, AFolderOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  begin();
  ASSERT_EQ(::chown(path("state").c_str(), somebody_else, 0), 0);
  expect_folder_refused("the folder belongs to another user (12345)");
  expect_folder_refused("(chown 0)");
}

}  // namespace
}  // namespace jme::test
