#include "store/file.hpp"

#include <optional>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/state_folder.hpp"

namespace jme::store {
namespace {

class FileTest : public test::StateFolder {
 protected:
  [[nodiscard]] bool is_locked() const { return !File(path("lock"), O_RDWR).try_lock(); }

  /// Whether a child that was forked now ends well after this.
  template <class Work>
  static bool child_ends_after(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
      work();
      _exit(0);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::optional<File> file_{std::in_place, path("lock"), O_RDWR | O_CREAT};
};

TEST_F(FileTest, IsLockedByOneUntilItIsClosed) {
  EXPECT_FALSE(is_locked());
  ASSERT_TRUE(file_->try_lock());
  EXPECT_TRUE(is_locked());
  file_.reset();
  EXPECT_FALSE(is_locked());
  file_.emplace(path("lock"), O_RDWR);
  file_->lock();
  EXPECT_TRUE(is_locked());
  file_.reset();
  EXPECT_FALSE(is_locked());
}

TEST_F(FileTest, IsFreeWhenItIsClosedThoughAChildThatWasForkedIsAlive) {
  ASSERT_TRUE(file_->try_lock());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    char byte = 0;
    _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);  // until the parent closes its end
  }
  close(ends[0]);
  EXPECT_TRUE(is_locked());
  file_.reset();
  EXPECT_FALSE(is_locked());
  close(ends[1]);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FileTest, IsNotUnlockedByAChildThatClosesItsCopy) {
  ASSERT_TRUE(file_->try_lock());
  EXPECT_TRUE(child_ends_after([&] { file_.reset(); }));
  EXPECT_TRUE(is_locked());
}

}  // namespace
}  // namespace jme::store
