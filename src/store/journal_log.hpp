#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <jme/random/key.hpp>
#include <jme/store/commit.hpp>

#include "store/bytes.hpp"
#include "store/database.hpp"
#include "store/hmac.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {

/// The journals of a stream, record by record, each sealed under its place and the nonce of the process that
/// wrote it. Both share one sequence of places, which is never used twice, also where records take the place
/// of others. A chain of MACs over each journal ends in the stream's head, which authenticates ends().
class JournalLog {
 public:
  static constexpr const char* schema =
      "CREATE TABLE journal (place INTEGER PRIMARY KEY, kind INTEGER NOT NULL, nonce BLOB NOT NULL,"
      " sealed BLOB NOT NULL);";

  explicit JournalLog(Database& database) : database_(&database) {}

  /// Where both journals end.
  [[nodiscard]] Bytes ends() const;
  void load(std::span<const std::byte> ends);
  /// Must be called inside the caller's transaction.
  void write(const StreamKeys& keys, const Nonce& nonce, JournalOf journal, const JournalEntries& entries);
  /// Needs a head that was checked. Throws StateError before the first record where any is not as it was
  /// written.
  void read(const StreamKeys& keys, JournalOf journal,
            const std::function<void(std::span<const std::byte>)>& record) const;

 private:
  [[nodiscard]] Tag& chain_of(JournalOf journal) { return chains_[journal == JournalOf::people ? 0 : 1]; }
  Database* database_;
  std::optional<Statement> insert_;
  std::uint64_t last_place_ = 0;
  std::array<Tag, 2> chains_{};
};

}  // namespace jme::store
