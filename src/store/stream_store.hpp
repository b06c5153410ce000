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
  [[nodiscard]] const Head& head() const { return log_->head(); }  ///< not while new
  [[nodiscard]] StreamState state() { return log_->state(); }
  /// What fronts keep beside it: nothing while new.
  [[nodiscard]] Bytes kept_beside() const { return log_ ? log_->kept_beside() : Bytes{}; }
  void read_journal(const std::function<void(std::span<const std::byte>)>& record) const {
    if (log_) log_->read_journal(record);
  }
  [[nodiscard]] const StreamKeys& keys() const { return *keys_; }
  [[nodiscard]] StoredBlock next_block() { return log_->next_block(); }
  /// The committed block with this digest's id; none where there is none.
  [[nodiscard]] std::optional<StoredBlock> find(const BlockDigest& digest) {
    const auto step = log_ ? log_->step_of(digest.marks) : std::nullopt;
    return step ? std::optional(log_->block(*step)) : std::nullopt;
  }

  /// Makes the key file of a new stream.
  void create_key(const Key& key);
  /// It is on disk, in the database and in the key file's counter, when the call returns. After a failure
  /// nothing more may be committed.
  void begin(const StreamState& state);
  void commit(std::span<const StoredBlock> blocks, const StreamState& state, const Annex& annex = {});

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
