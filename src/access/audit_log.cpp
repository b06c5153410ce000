#include <chrono>
#include <ctime>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/access/audit_log.hpp>

#include "store/bytes.hpp"
#include "store/file.hpp"
#include "store/folder.hpp"

namespace jme {

struct AuditLog::Impl {
  explicit Impl(const std::filesystem::path& path) : file(path, O_WRONLY | O_APPEND | O_CREAT, 0600) {}
  store::File file;
};

AuditLog::AuditLog(const std::filesystem::path& folder) {
  store::make_folder(folder);
  const std::filesystem::path path = folder / "audit.log";
  store::check_file(path);
  impl_ = std::make_unique<Impl>(path);
}

AuditLog::~AuditLog() = default;

void AuditLog::add(const AuditEntry& entry) {
  using Json = nlohmann::ordered_json;
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  Json line{{"time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(now)), milliseconds)},
            {"request", entry.request},
            {"token", entry.token.empty() ? Json() : Json(entry.token)},
            {"action", entry.action},
            {"status", entry.status}};
  if (entry.rows) line["rows"] = *entry.rows;
  if (entry.left_out > 0) line["left_out"] = entry.left_out;
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  // A file that was opened for appending takes bytes at its end, wherever they are sent.
  impl_->file.write(0, store::bytes_of(text));
}

}  // namespace jme
