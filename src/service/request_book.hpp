#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jme/random/key.hpp>
#include <jme/service/write_request.hpp>

#include "store/bytes.hpp"
#include "store/hmac.hpp"

namespace jme::service {

/// What is remembered of a request that was taken: whose it was, and keyed digests of its name and its body.
struct BookEntry {
  store::Tag name{};  ///< of the kind of request and its key or its rows
  store::Tag body{};
  store::Tag origin{};  ///< of the job that makes blocks
  bool has_name = false, by_rows = false, is_block = false, has_origin = false;
  std::string token;
  std::int64_t time = 0;  ///< seconds since 1970
  std::uint64_t first_row = 0, rows = 0;
  std::uint64_t releases_before = 0, releases_after = 0;  ///< numbers of releases

  [[nodiscard]] store::Bytes encoded() const;
  /// Throws StateError.
  [[nodiscard]] static BookEntry decoded(std::span<const std::byte> record);
};

/// The requests that a stream has taken. Names of requests belong to the token that used them first: another
/// token learns that, and nothing about the rows.
class RequestBook {
 public:
  /// Requests with rows are known again for this long, and at most this many of them. So many blocks are
  /// known by their ids, however old they are: who sends blocks sends the last ones again after any pause.
  static constexpr std::int64_t seconds_known = std::int64_t{7} * 24 * 3600;
  static constexpr std::size_t most_known = std::size_t{1} << 20;
  /// What is no longer known is on disk for this much longer at most.
  static constexpr std::int64_t seconds_on_disk = std::int64_t{24} * 3600;
  /// As many records that are no longer known may be on disk as known ones, or this many.
  static constexpr std::size_t few = 4096;

  explicit RequestBook(const Key& key, std::size_t most = most_known) : hmac_(key), most_(most) {}

  /// The entry for a request that is about to be taken; places in the stream are left open.
  [[nodiscard]] BookEntry entry_for(const WriteRequest& request, std::int64_t now);
  /// The entry of the same request, where it was taken before. Throws NotYours where its name, or the whole
  /// stream, belongs to another token, Conflict where blocks come from another job, and OtherBody where its
  /// body was another one.
  [[nodiscard]] const BookEntry* find(const BookEntry& request) const;
  /// Whether the entry has to be on disk: it can come again, or is its token's first.
  [[nodiscard]] bool must_be_kept(const BookEntry& request) const;
  void add(BookEntry entry);

  /// Forgets what is too old.
  void forget(std::int64_t now);
  /// Whether what was forgotten must leave the disk, and from when on that is so if nothing more comes.
  [[nodiscard]] bool must_be_rewritten(std::int64_t now) const;
  [[nodiscard]] std::optional<std::int64_t> rewriting_due() const;
  /// Everything that is known, for a journal in place of the one on disk.
  [[nodiscard]] std::vector<BookEntry> known() const;
  void was_rewritten();

 private:
  void forget_first(std::deque<store::Tag>& order, std::int64_t since);
  store::Hmac hmac_;
  std::size_t most_;
  std::map<store::Tag, BookEntry> known_;
  std::deque<store::Tag> rows_, blocks_;          // names in the order in which they came
  std::size_t forgotten_ = 0;                     // records that are still on disk
  std::optional<std::int64_t> forgotten_since_;   // the oldest of them
  std::map<std::string, std::uint64_t> writers_;  // requests by token
  std::optional<std::string> owner_of_rows_;      // who names requests by their rows
  std::optional<store::Tag> origin_;              // the job that makes blocks
};

}  // namespace jme::service
