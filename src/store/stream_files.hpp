#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace jme::store {

/// The files of one stream in a state folder. Their name tells people which one it is and ends in a digest,
/// because names of sources may hold anything.
struct StreamFiles {
  StreamFiles(const std::filesystem::path& folder, std::string_view source, std::string_view stream);
  /// Of a database found in a folder.
  explicit StreamFiles(const std::filesystem::path& database_file);

  static constexpr const char* database_ending = ".db";
  std::filesystem::path database, key, lock;
};

}  // namespace jme::store
