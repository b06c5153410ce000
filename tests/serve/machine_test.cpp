#include "serve/machine.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/sysinfo.h>

#include "temporary_folder.hpp"

namespace jme::test {
namespace {

/// A file system that has what the kernel says about control groups.
class MemoryOfTheMachine : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::size_t memory() const { return serve::memory_of_machine(folder_.path()); }
  [[nodiscard]] static std::size_t physical() {
    struct sysinfo info {};
    EXPECT_EQ(::sysinfo(&info), 0);
    return static_cast<std::size_t>(info.totalram) * info.mem_unit;
  }

 private:
  TemporaryFolder folder_{TemporaryFolder::Where::in_memory};
};

TEST_F(MemoryOfTheMachine, IsAllOfItWhereNoGroupLimitsIt) {
  EXPECT_EQ(memory(), physical());
  write("proc/self/cgroup", "0::/user.slice\n");
  write("sys/fs/cgroup/user.slice/memory.max", "max\n");
  EXPECT_EQ(memory(), physical());
  write("sys/fs/cgroup/user.slice/memory.max", "99999999999999999\n");
  EXPECT_EQ(memory(), physical());
}

TEST_F(MemoryOfTheMachine, IsTheLeastLimitOfItsGroupAndThoseAboveIt) {
  write("proc/self/cgroup", "0::/system.slice/jme-serve.service\n");
  write("sys/fs/cgroup/system.slice/jme-serve.service/memory.max", "20000000\n");
  EXPECT_EQ(memory(), 20'000'000U);
  write("sys/fs/cgroup/system.slice/memory.max", "10000000\n");
  EXPECT_EQ(memory(), 10'000'000U);
  write("sys/fs/cgroup/memory.max", "5000000\n");  // as a container sees its own group
  EXPECT_EQ(memory(), 5'000'000U);
  write("sys/fs/cgroup/another.slice/memory.max", "1\n");
  EXPECT_EQ(memory(), 5'000'000U);
}

TEST_F(MemoryOfTheMachine, IsReadFromTheFirstVersionOfGroupsToo) {
  write("proc/self/cgroup", "5:cpu,memory:/docker/abc\n4:devices:/docker/def\n0::/\n");
  write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "7000000\n");
  write("sys/fs/cgroup/memory/docker/def/memory.limit_in_bytes", "1\n");
  EXPECT_EQ(memory(), 7'000'000U);
}

}  // namespace
}  // namespace jme::test
