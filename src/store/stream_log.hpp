#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <jme/moments/stream_state.hpp>
#include <jme/store/stream_settings.hpp>

#include "store/bytes.hpp"
#include "store/commit.hpp"
#include "store/database.hpp"
#include "store/hmac.hpp"
#include "store/journal_log.hpp"
#include "store/noise_log.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {

/// What is public about a stream and never changes.
struct About {
  Settings settings;         ///< its configuration: together they are its identity
  Settings facts;            ///< what the ledger shows besides
  std::int64_t created = 0;  ///< seconds since 1970
  [[nodiscard]] Identity identity() const;
};

/// Where a stream stands.
struct Head {
  std::uint64_t counter = 0;  ///< commits so far
  StreamState state{};        ///< without its secrets
  Bytes sealed{};             ///< the secret part of the state, the open block and the place of the source
  Tag chain{};                ///< of the last release
  std::int64_t updated = 0;
};

/// The database of one stream, which docs/development/recovery.md describes. Everything read is authenticated
/// before it is given out: the head by a MAC over all of it, releases and journals by chains of MACs that end
/// in the head, what noise remembers of its steps by their seals.
class StreamLog {
 public:
  static constexpr std::int64_t format = 5;
  enum class Access { read, write };
  StreamLog(const std::filesystem::path& path, Access access);

  /// True where nothing was ever committed.
  [[nodiscard]] bool is_empty() const { return !about_; }
  /// The format of an older version, of which only about() and what is public of head() is read; none for
  /// ours.
  [[nodiscard]] std::optional<std::int64_t> old_format() const { return old_format_; }
  [[nodiscard]] const About& about() const { return *about_; }
  /// As stored, before check_head().
  [[nodiscard]] const Head& head() const { return head_; }

  /// Everything below needs the keys.
  void unlock(const StreamKeys& keys);
  /// Throws StateError unless head and description are as we wrote them.
  void check_head();
  /// The same for the whole file.
  void check_all();
  /// The last commit, but for releases and journals, which are read one by one.
  [[nodiscard]] Commit read();
  /// The stored releases one after another, authenticated.
  [[nodiscard]] StoredRelease next_release();
  /// One of them.
  [[nodiscard]] StoredRelease release(std::uint64_t step);
  /// The step of the block with this id (digest_of_id); none where there is none.
  [[nodiscard]] std::optional<std::uint64_t> step_of(const Tag& id) const;
  void read_journal(JournalOf journal, const std::function<void(std::span<const std::byte>)>& record) const;

  /// The first commit.
  void begin(const About& about, const Commit& commit);
  /// All of it or nothing; on disk when the call returns.
  void commit(const Commit& commit);

 private:
  void load();
  void load_head();
  void load_old(std::int64_t version);
  void write(const Commit& commit);
  void write_head(const Commit& commit, const Tag& chain);
  [[nodiscard]] Tag mac_of(const Head& head);
  [[nodiscard]] Key seal_key(const StreamState& state) const;
  [[nodiscard]] StoredRelease read_release(std::uint64_t step, Tag& chain);
  Database database_;
  NoiseLog noise_;
  JournalLog journals_;
  std::optional<StreamKeys> keys_;
  std::optional<Hmac> of_head_, of_releases_;
  std::optional<About> about_;
  std::optional<std::int64_t> old_format_;
  Head head_;
  Tag head_mac_{};
  std::optional<Statement> insert_, update_, select_;
  std::map<Tag, std::uint64_t> steps_by_id_;
  std::uint64_t read_steps_ = 0;
  Tag read_chain_{};
};

}  // namespace jme::store
