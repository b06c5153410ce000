#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <jme/moments/stream_state.hpp>

#include "store/database.hpp"
#include "store/stream_keys.hpp"

namespace jme::store {

/// What the noise of windows remembers of its last steps, one sealed record for each step: a commit writes
/// the steps that are new and deletes those that are no longer needed. A record's seal is bound to its step
/// and to the nonce that drew it, so that no other record can take its place.
class NoiseLog {
 public:
  static constexpr const char* schema =
      "CREATE TABLE noise (step INTEGER PRIMARY KEY, sealed BLOB NOT NULL);";

  explicit NoiseLog(Database& database) : database_(&database) {}
  /// Must be called inside the caller's transaction.
  void write(const StreamKeys& keys, const StreamState& state);
  /// Oldest first.
  [[nodiscard]] std::vector<KeptNoise> read(const StreamKeys& keys, const std::vector<NoncePeriod>& nonces);

 private:
  Database* database_;
  std::optional<Statement> insert_, delete_;
};

}  // namespace jme::store
