#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/store/stored_releases.hpp>

#include "store/folder.hpp"
#include "store/key_file.hpp"
#include "store/stream_files.hpp"
#include "store/stream_keys.hpp"
#include "store/stream_log.hpp"

namespace jme {
namespace {

using store::StreamLog;

StreamLog open_log(const store::StreamFiles& files, std::string_view source, std::string_view stream) {
  if (!store::is_there(files.database)) {
    throw StateError(fmt::format("state: {} has no stream{} of the source {}",
                                 files.database.parent_path().string(),
                                 stream.empty() ? "" : fmt::format(" {}", stream), source));
  }
  StreamLog log(files.database, StreamLog::Access::read);
  if (log.is_empty()) throw StateError("state: the stream has not begun");
  if (log.old_format()) {
    throw StateError("state: was written by an older version of jme, which can read its releases");
  }
  return log;
}

}  // namespace

Settings stored_settings(const std::filesystem::path& directory, std::string_view source,
                         std::string_view stream) {
  return open_log({directory, source, stream}, source, stream).about().settings;
}

void stored_releases(const std::filesystem::path& directory, std::string_view source, std::string_view stream,
                     const ReleaseLayout& layout, const std::function<void(const Release&)>& take) {
  const store::StreamFiles files(directory, source, stream);
  StreamLog log = open_log(files, source, stream);
  const store::KeyFile key_file(files.key, store::KeyFile::Access::read);
  log.unlock(store::StreamKeys(key_file.key(), log.about().identity()));
  log.check_head();
  const std::uint64_t releases = log.head().state.steps;
  for (std::uint64_t step = 0; step < releases; ++step) {
    const store::StoredRelease release = log.next_release();
    take(Release::unpacked(layout, release.rows, release.step, release.numbers));
  }
}

}  // namespace jme
