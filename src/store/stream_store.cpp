#include "store/stream_store.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

#include <jme/base/errors.hpp>

#include "store/folder.hpp"

namespace jme::store {

namespace {

/// "epsilon is 1 there and 2 here".
std::string difference(const Settings& there, const Settings& here) {
  const auto shown = [](std::string_view value) {
    return value.empty() ? std::string("not set") : std::string(value);
  };
  const auto compare = [&](const Settings& names) -> std::string {
    for (const Setting& setting : names) {
      const std::string_view old = value_of(there, setting.name), now = value_of(here, setting.name);
      if (old != now) return fmt::format("{} is {} there and {} here", setting.name, shown(old), shown(now));
    }
    return {};
  };
  const std::string found = compare(here);
  return found.empty() ? compare(there) : found;
}

}  // namespace

StreamStore::StreamStore(StreamFiles files, About about)
    : files_(std::move(files)), about_(std::move(about)), lock_(files_.lock, O_RDWR | O_CREAT) {
  // A ledger that checks whether the lock is taken holds it for a moment.
  constexpr int attempts = 10;
  int attempt = 1;
  while (!lock_.try_lock()) {
    if (attempt++ < attempts) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      continue;
    }
    throw StateError(fmt::format("state {}: another process has this stream open", files_.database.string()));
  }
  open();
}

void StreamStore::open() {
  const bool has_key = is_there(files_.key);
  const bool has_database = is_there(files_.database);
  if (!has_key && !has_database) return;
  if (!has_key) {
    throw StateError(
        fmt::format("state {}: its key file {} is missing", files_.database.string(), files_.key.string()));
  }
  key_file_.emplace(files_.key);
  if (has_database) log_.emplace(files_.database, StreamLog::Access::write);
  if (!log_ || log_->is_empty()) {
    if (key_file_->counter() > 0) {
      throw StateError(fmt::format("state {}: is gone, but its key file says that it was committed {} times",
                                   files_.database.string(), key_file_->counter()));
    }
    // Creation was interrupted before anything was released. The next attempt makes its own key.
    key_file_.reset();
    log_.reset();
    return;
  }
  if (const auto old = log_->old_format()) {
    throw StateError(
        fmt::format("state {}: was written by an older version of jme (format {}, this version writes {}); "
                    "finish it with that version, or begin another stream, which spends its budget again",
                    files_.database.string(), *old, StreamLog::format));
  }
  keys_.emplace(key_file_->key(), log_->about().identity());
  log_->unlock(*keys_);
  log_->check_head();
  check_counter();
  check_settings();
  log_->check_all();
  // The process ended between the two parts of a commit; nothing of it was released.
  if (log_->head().counter == key_file_->counter() + 1) key_file_->advance(log_->head().counter);
}

void StreamStore::check_counter() const {
  const std::uint64_t state = log_->head().counter, key = key_file_->counter();
  if (state < key) {
    throw StateError(fmt::format("state {}: is an old copy: it was committed {} times, its key file says {}",
                                 files_.database.string(), state, key));
  }
  if (state > key + 1) {
    throw StateError(fmt::format("key file {}: is an old copy: it says {} commits, the state has {}",
                                 files_.key.string(), key, state));
  }
}

void StreamStore::check_settings() const {
  const std::string_view version = value_of(log_->about().settings, mechanism_version_setting);
  if (version != mechanism_version) {
    throw StateError(fmt::format(
        "state {}: was begun by {} version of jme, whose noise this version cannot continue; finish it with "
        "that version, or begin another stream, which spends its budget again",
        files_.database.string(), version.empty() ? "an older (0.1.0)" : "another"));
  }
  if (log_->about().settings == about_.settings) return;
  throw StateError(
      fmt::format("state {}: holds a stream with another configuration: {}; a second stream on the same data "
                  "needs its own name and spends privacy again",
                  files_.database.string(), difference(log_->about().settings, about_.settings)));
}

void StreamStore::create_key(const Key& key) {
  KeyFile::create(files_.key, key);
  key_file_.emplace(files_.key);
  keys_.emplace(key, about_.identity());
}

void StreamStore::begin(const Commit& commit) {
  { const File for_its_owner_alone(files_.database, O_RDWR | O_CREAT, 0600); }
  log_.emplace(files_.database, StreamLog::Access::write);
  log_->unlock(*keys_);
  log_->begin(about_, commit);
  sync_folder(files_.database.parent_path());
  key_file_->advance(log_->head().counter);
}

void StreamStore::commit(const Commit& commit) {
  // The order matters: a crash in between leaves a state that is one commit ahead of its key file, which is
  // not taken for an old copy.
  log_->commit(commit);
  try {
    key_file_->advance(log_->head().counter);
  } catch (const std::exception& error) {
    throw FailedAfterCommit(error.what());
  }
}

}  // namespace jme::store
