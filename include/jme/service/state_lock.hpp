#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace jme {

/// One server per state folder, for as long as this object lives.
class StateLock {
 public:
  /// Makes the folder where it is missing. Throws StateError, which names who has it, where another process
  /// serves it.
  explicit StateLock(const std::filesystem::path& folder);
  ~StateLock();
  StateLock(const StateLock&) = delete;
  StateLock& operator=(const StateLock&) = delete;

  /// What others are told who find the folder locked, beside the number of this process: an address.
  void say(const std::string& where);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme
