#pragma once

#include <functional>
#include <optional>
#include <span>

#include "store/file.hpp"
#include "store/key_file.hpp"
#include "store/stream_files.hpp"
#include "store/stream_log.hpp"

namespace jme::store {

/// One stream on disk: its database, its key file and the lock that keeps other writers out for as long as
/// this object lives.
class StreamStore {
 public:
  /// Opens what is there and checks all of it. Throws StateError where another process has it open, where it
  /// is damaged, older than its key file says, of a newer version, or of another configuration than `about`.
  StreamStore(StreamFiles files, About about);

  /// True where nothing was ever committed: begin() comes first.
  [[nodiscard]] bool is_new() const { return !key_file_; }
  // Not while new.
  [[nodiscard]] const Head& head() const { return log_->head(); }
  [[nodiscard]] const StreamKeys& keys() const { return *keys_; }
  /// The last commit, but for releases and journals.
  [[nodiscard]] Commit read() { return log_->read(); }
  [[nodiscard]] StoredRelease next_release() { return log_->next_release(); }
  /// The committed block with this id (digest_of_id); none where there is none.
  [[nodiscard]] std::optional<StoredRelease> find(const Tag& id) {
    const auto step = log_->step_of(id);
    return step ? std::optional(log_->release(*step)) : std::nullopt;
  }
  void read_journal(JournalOf journal, const std::function<void(std::span<const std::byte>)>& record) const {
    log_->read_journal(journal, record);
  }

  /// Makes the key file of a new stream.
  void create_key(const Key& key);
  /// It is on disk, in the database and in the key file's counter, when the call returns. After a failure
  /// nothing more may be committed.
  void begin(const Commit& commit);
  void commit(const Commit& commit);

 private:
  void open();
  void check_counter() const;
  void check_settings() const;
  StreamFiles files_;
  About about_;
  File lock_;
  std::optional<KeyFile> key_file_;
  std::optional<StreamKeys> keys_;
  std::optional<StreamLog> log_;
};

}  // namespace jme::store
