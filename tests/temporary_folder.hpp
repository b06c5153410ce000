#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include <stdlib.h>  // mkdtemp

namespace jme::test {

/// A separate folder, removed at the end with everything in it.
class TemporaryFolder {
 public:
  /// in_memory: where there is such a file system. What a killed process wrote stays there all the same, and
  /// a sync costs nothing.
  enum class Where { on_disk, in_memory };
  explicit TemporaryFolder(Where where = Where::on_disk) {
    const std::filesystem::path memory = "/dev/shm";
    const bool there = where == Where::in_memory && std::filesystem::is_directory(memory);
    std::string name = (there ? memory : std::filesystem::temp_directory_path()) / "jme-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace jme::test
