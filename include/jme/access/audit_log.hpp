#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace jme {

/// Who did what and when. Numbers of rows are the writer's: the log is for the owner of the state folder.
struct AuditEntry {
  std::string request;  ///< the request's id
  std::string token;    ///< its id; empty where there was none
  std::string action;   ///< "POST /v1/streams/S/rows"
  int status = 0;       ///< what was answered
  std::optional<std::uint64_t> rows{};
  std::uint64_t left_out =
      0;  ///< lines that the writer of this one left out before it, because they were too many
};

/// A file of one JSON object per line, to which lines are only added; for its owner alone. May be used by
/// several threads.
class AuditLog {
 public:
  explicit AuditLog(const std::filesystem::path& folder);
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  /// Throws Error where it cannot be written.
  void add(const AuditEntry& entry);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace jme
