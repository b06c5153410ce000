#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <jme/random/key.hpp>

namespace jme::store {

/// SHA-256 of a stream's public configuration: what makes it this stream and no other.
using Identity = std::array<std::byte, 32>;

/// Keys for every purpose of one stream, HMAC-SHA256(key of its file, purpose | identity | ...): learning one
/// key says nothing about another.
class StreamKeys {
 public:
  StreamKeys(const Key& file_key, const Identity& identity) : key_(file_key), identity_(identity) {}

  [[nodiscard]] Key noise() const { return derive("noise"); }
  [[nodiscard]] Key rows() const { return derive("rows"); }            ///< digests of blocks of rows
  [[nodiscard]] Key block_ids() const { return derive("block ids"); }  ///< ids of blocks summed elsewhere
  [[nodiscard]] Key releases() const { return derive("releases"); }    ///< chain over stored releases
  [[nodiscard]] Key state() const { return derive("state"); }          ///< authenticates the state
  /// Seals the state and the open block. The nonce is fresh each time the stream is opened, so that a copy of
  /// the files that is continued elsewhere seals with other keys.
  [[nodiscard]] Key seal(const Nonce& nonce) const { return derive("seal", nonce); }
  /// Seals what the noise remembers of a step that was drawn under `nonce`.
  [[nodiscard]] Key seal_noise(const Nonce& nonce) const { return derive("seal noise", nonce); }
  /// Seals records of journals.
  [[nodiscard]] Key seal_journal(const Nonce& nonce) const { return derive("seal journal", nonce); }
  [[nodiscard]] Key journal() const { return derive("journal"); }  ///< chains over records
  /// For digests that a front stores, such as those of people or of requests.
  [[nodiscard]] Key front(std::string_view purpose) const;

 private:
  [[nodiscard]] Key derive(std::string_view purpose, const Nonce& nonce = {}) const;
  Key key_;
  Identity identity_;
};

}  // namespace jme::store
