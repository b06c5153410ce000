#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <jme/random/key.hpp>

#include "store/bytes.hpp"
#include "store/database.hpp"
#include "store/hmac.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {

/// What a front commits together with its stream: bytes in place of those that were kept before, and records
/// at the end of a journal.
struct Annex {
  std::optional<Bytes> keep{};
  std::vector<Bytes> journal{};
  bool journal_is_new = false;  ///< the records take the place of all before
  [[nodiscard]] bool is_empty() const { return !keep && journal.empty() && !journal_is_new; }
};

/// What fronts keep beside a stream, sealed, in the stream's own transactions. The bytes that were kept last
/// are sealed under the number of their commit, each record of the journal under its place and the nonce of
/// the process that wrote it. Places are never used twice, also where a new journal takes the place of an old
/// one, so that no two records are sealed alike. Everything that can be read here is bound to the head of the
/// stream, whose MAC covers description().
class AnnexLog {
 public:
  static constexpr const char* schema =
      "CREATE TABLE annex (id INTEGER PRIMARY KEY CHECK (id = 1), counter INTEGER NOT NULL, nonce BLOB NOT "
      "NULL, kept BLOB NOT NULL, records INTEGER NOT NULL, chain BLOB NOT NULL);"
      "CREATE TABLE journal (place INTEGER PRIMARY KEY, nonce BLOB NOT NULL, sealed BLOB NOT NULL);";

  explicit AnnexLog(Database& database) : database_(&database) {}

  /// Makes the tables, inside the caller's transaction.
  void create();
  /// Reads what is there, before anything is authenticated.
  void load();
  /// What the MAC of the stream's head covers.
  [[nodiscard]] Bytes description() const;
  /// Inside the caller's transaction, which is commit number `counter` of the stream.
  void write(const StreamKeys& keys, const Nonce& nonce, std::uint64_t counter, const Annex& annex);

  /// Both need a head that was checked, and throw StateError for anything that is not as it was written.
  [[nodiscard]] Bytes kept(const StreamKeys& keys) const;
  void read_journal(const StreamKeys& keys,
                    const std::function<void(std::span<const std::byte>)>& record) const;

 private:
  Database* database_;
  std::optional<Statement> insert_, update_;
  std::uint64_t counter_ = 0;  // of the commit that sealed `sealed_`; 0: nothing was kept yet
  Bytes nonce_, sealed_;
  std::uint64_t records_ = 0;  // the place of the last one
  Tag chain_{};                // over all that are there
};

}  // namespace jme::store
