#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include <sys/stat.h>
#include <sys/types.h>

namespace jme::store {

/// An open file of a state folder. Every failure throws Error with the file's name.
class File {
 public:
  /// Throws StateError for anything except a regular file of this user: a link is not followed, and a pipe is
  /// not waited for.
  File(const std::filesystem::path& path, int flags, unsigned mode = 0600);
  /// A folder, to lock it or to sync its names.
  [[nodiscard]] static File folder(const std::filesystem::path& path);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  /// All of `bytes` at `offset`.
  void write(std::size_t offset, std::span<const std::byte> bytes) const;
  /// As much of `bytes` as the file has; returns how much.
  [[nodiscard]] std::size_t read(std::size_t offset, std::span<std::byte> bytes) const;
  /// Returns when the content is on disk.
  void sync() const;
  /// False where another open file has the lock. Held until this one is closed, or the process ends; a child
  /// that is forked meanwhile does not release it.
  [[nodiscard]] bool try_lock() const;
  /// Waits for it.
  void lock() const;
  [[nodiscard]] unsigned permissions() const;
  [[nodiscard]] std::size_t size() const;

 private:
  /// What open(2) returned.
  struct Opened {
    int descriptor;
  };
  File(const std::filesystem::path& path, Opened opened);
  [[noreturn]] void fail(std::string_view what) const;
  [[nodiscard]] struct stat status() const;
  std::filesystem::path path_;
  int descriptor_;
  mutable pid_t locked_by_ = 0;  // the process that took the lock
};

/// Throws StateError unless this is the status of a regular file that belongs to this user.
void check_status(const std::filesystem::path& path, const struct stat& status);

/// Returns when the names in a folder are on disk.
void sync_folder(const std::filesystem::path& folder);

}  // namespace jme::store
