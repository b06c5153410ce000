#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <jme/moments/stream_state.hpp>
#include <jme/store/stream_settings.hpp>

#include "store/annex_log.hpp"
#include "store/bytes.hpp"
#include "store/database.hpp"
#include "store/hmac.hpp"
#include "store/kept_log.hpp"
#include "store/row_digest.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {

/// What is public about a stream and never changes.
struct About {
  Settings settings;         ///< its configuration: together they are its identity
  Settings facts;            ///< what the ledger shows besides
  std::int64_t created = 0;  ///< seconds since 1970
  [[nodiscard]] Identity identity() const;
};

/// One release as it is kept.
struct StoredBlock {
  std::uint64_t step = 0;         ///< from 1
  std::uint64_t rows = 0;         ///< included in the release
  std::vector<double> numbers{};  ///< Release::packed
  BlockDigest digest{};
};

/// Where a stream stands. The secret part is sealed.
struct Head {
  std::uint64_t counter = 0;  ///< commits so far
  StreamState state{};        ///< without `secret`
  Bytes sealed{};
  Tag chain{};  ///< of the last release
  std::int64_t updated = 0;
};

/// The database of one stream: about, head, releases, what the noise of windows keeps of its last steps, and
/// what fronts keep beside it. Everything read is authenticated before it is given out: the head by a MAC
/// over all of it, the releases and the journal by chains of MACs that end in the head, what noise keeps by
/// the seal of its step.
class StreamLog {
 public:
  enum class Access { read, write };
  StreamLog(const std::filesystem::path& path, Access access);

  /// True where nothing was ever committed.
  [[nodiscard]] bool is_empty() const { return !about_; }
  [[nodiscard]] const About& about() const { return *about_; }
  /// As stored, before check().
  [[nodiscard]] const Head& head() const { return head_; }

  /// Everything below needs the keys.
  void unlock(const StreamKeys& keys);
  /// Throws StateError unless head and description are as we wrote them.
  void check_head();
  /// The same for the whole file.
  void check_all();
  /// The state with its secret.
  [[nodiscard]] StreamState state();
  /// The stored releases one after another, authenticated.
  [[nodiscard]] StoredBlock next_block();
  /// One of them.
  [[nodiscard]] StoredBlock block(std::uint64_t step);
  /// The step of the block with these marks (digest_of_sums); none where there is none.
  [[nodiscard]] std::optional<std::uint64_t> step_of(const std::vector<std::uint16_t>& marks) const;

  /// The first commit.
  void begin(const About& about, const StreamState& state);
  /// New releases, the state after them, and what fronts keep beside them, all or nothing; on disk when the
  /// call returns.
  void commit(std::span<const StoredBlock> blocks, const StreamState& state, const Annex& annex = {});
  [[nodiscard]] Bytes kept_beside() const;  ///< empty where nothing is
  void read_journal(const std::function<void(std::span<const std::byte>)>& record) const;

 private:
  void load();
  void write_head(const StreamState& state, const Tag& chain);
  void write_annex(const StreamState& state, const Annex& annex);
  [[nodiscard]] Tag mac_of(const Head& head);
  [[nodiscard]] Key seal_key(const StreamState& state) const;
  Database database_;
  KeptLog kept_;
  bool has_kept_ = false;
  AnnexLog annex_;
  bool has_annex_ = false;
  std::optional<StreamKeys> keys_;
  std::optional<Hmac> of_head_, of_releases_;
  std::optional<About> about_;
  Head head_;
  Tag head_mac_{};
  std::optional<Statement> insert_, update_, select_;
  [[nodiscard]] StoredBlock read(std::uint64_t step, Tag& chain);
  void remember(const StoredBlock& block);
  std::map<std::vector<std::uint16_t>, std::uint64_t> steps_by_id_;
  std::uint64_t read_steps_ = 0;
  Tag read_chain_{};
};

}  // namespace jme::store
