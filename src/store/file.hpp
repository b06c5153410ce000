#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace jme::store {

/// An open file. Every failure throws Error with the file's name.
class File {
 public:
  File(const std::filesystem::path& path, int flags, unsigned mode = 0600);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  /// All of `bytes` at `offset`.
  void write(std::size_t offset, std::span<const std::byte> bytes) const;
  /// As much of `bytes` as the file has; returns how much.
  [[nodiscard]] std::size_t read(std::size_t offset, std::span<std::byte> bytes) const;
  /// Returns when the content is on disk.
  void sync() const;
  /// False where another open file has the lock. Held until this one is closed.
  [[nodiscard]] bool try_lock() const;
  /// Waits for it.
  void lock() const;
  [[nodiscard]] unsigned permissions() const;
  [[nodiscard]] bool is_regular() const;

 private:
  [[noreturn]] void fail(std::string_view what) const;
  std::filesystem::path path_;
  int descriptor_;
};

/// Returns when the names in a folder are on disk.
void sync_folder(const std::filesystem::path& folder);

}  // namespace jme::store
