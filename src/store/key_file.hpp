#pragma once

#include <cstdint>
#include <filesystem>

#include <jme/random/key.hpp>

#include "store/file.hpp"

namespace jme::store {

/// The secret of one stream, in a separate file that only its owner may read, and how often the state was
/// committed. A state that was committed less often than that is an old copy.
///
/// The counter has two places, used in turn, each with its own authentication: a write that is interrupted
/// leaves the previous number intact.
class KeyFile {
 public:
  /// Writes a new file with counter 0. It appears whole or not at all.
  static void create(const std::filesystem::path& path, const Key& key);
  enum class Access { read, write };
  /// Throws StateError where the file is a link or a pipe, belongs to another user, can be read by others, is
  /// damaged or comes from a newer version.
  explicit KeyFile(const std::filesystem::path& path, Access access = Access::write);

  [[nodiscard]] const Key& key() const { return key_; }
  [[nodiscard]] std::uint64_t counter() const { return counter_; }
  /// `counter` must be one more. On disk when the call returns.
  void advance(std::uint64_t counter);

 private:
  std::filesystem::path path_;
  File file_;
  Key key_;
  std::uint64_t counter_ = 0;
};

}  // namespace jme::store
