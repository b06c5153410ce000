#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace jme::testing {

/// A file in memory: a hundred thousand files on a disk would take minutes.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("rows", 0)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  void write(std::string_view content) const {
    ASSERT_EQ(::ftruncate(descriptor_, 0), 0);
    ASSERT_EQ(::pwrite(descriptor_, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
  }

 private:
  int descriptor_;
};

}  // namespace jme::testing
